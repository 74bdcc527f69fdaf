// What htmx does not do: show the answer to a command, and load the camera picture again.
"use strict";

const RETRY_MS = 3000;
const SCROLL_MS = 300;

document.addEventListener("htmx:after:request", async (event) => {
  const context = event.detail.ctx;
  const response = context && context.response;
  const notice = document.getElementById("notice");
  if (!notice || !response || context.request.method === "GET") return;
  notice.textContent = response.status < 400 ? "" : context.text || "";
});

// The picture, as soon as it can be seen; the table says when to look again.
async function look() {
  const camera = document.querySelector("img.camera");
  let next = SCROLL_MS;
  if (camera && !document.hidden && isInSight(camera.parentElement)) {
    next = RETRY_MS;
    try {
      const answer = await fetch("/camera.jpg");
      next = Number(answer.headers.get("x-next-ms")) || RETRY_MS;
      const before = camera.src;
      if (answer.status === 200) camera.src = URL.createObjectURL(await answer.blob());
      camera.hidden = answer.status !== 200;
      URL.revokeObjectURL(before);
    } catch {
      camera.hidden = true;
    }
  }
  setTimeout(look, next);
}

function isInSight(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > 0 && box.top < window.innerHeight;
}

look();
