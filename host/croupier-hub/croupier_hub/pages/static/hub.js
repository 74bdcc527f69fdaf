// The clock of a round goes on between two answers of the hub, and a hub that is away is told.

const seen = new WeakMap();

setInterval(() => {
  for (const clock of document.querySelectorAll("[data-left]")) {
    let since = seen.get(clock);
    if (since?.left !== clock.dataset.left) seen.set(clock, (since = { left: clock.dataset.left, at: performance.now() }));
    const left = Math.max(0, Math.round(Number(since.left) - (performance.now() - since.at) / 1000));
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    clock.parentElement.classList.toggle("is-up", left === 0);
  }
}, 1000);

function tellLost(isLost) {
  const lost = document.getElementById("lost");
  const text = isLost ? lost.dataset.text : "";
  if (lost.textContent !== text) lost.textContent = text;
}

document.addEventListener("htmx:error", () => tellLost(true));
document.addEventListener("htmx:after:request", (event) => {
  const isLost = event.detail.ctx.response.status >= 400;
  if (isLost) event.detail.ctx.swap = "none";
  tellLost(isLost);
});
