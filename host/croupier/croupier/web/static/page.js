// What htmx does not do: show the answer to a command, load the camera picture again, notice that the table is gone, and
// go on to the next game.
"use strict";

const RETRY_MS = 3000;
const SCROLL_MS = 300;

document.addEventListener("htmx:after:request", async (event) => {
  const context = event.detail.ctx;
  const response = context && context.response;
  const notice = document.getElementById("notice");
  if (!notice || !response || context.request.method === "GET") return;
  notice.textContent = response.status === 202 || response.status >= 400 ? context.text || "" : "";
});

// A table that lost its power does not hang up. It is heard of at least every 15 s.
const SILENT_MS = 40000;
const WATCH_MS = 5000;
let stream = null;
let heardAt = 0;

function tellLost(isLost) {
  const lost = document.getElementById("lost");
  const text = isLost ? lost.dataset.text : "";
  if (lost.textContent !== text) lost.textContent = text;
}

function hear(event) {
  stream = event.detail.connection;
  heardAt = Date.now();
  tellLost(false);
}

document.addEventListener("htmx:sse:after:connection", hear);
document.addEventListener("htmx:sse:before:message", hear);
document.addEventListener("htmx:sse:error", () => tellLost(true));
document.addEventListener("htmx:error", (event) => {
  if (event.detail.ctx) tellLost(true); // the first try of a stream, or a press
});
document.addEventListener("over", (event) => location.replace(event.detail.data));
setInterval(() => {
  if (!stream || !stream.reader || document.hidden || Date.now() - heardAt < SILENT_MS) return;
  tellLost(true);
  stream.reader.cancel();
}, WATCH_MS);

// A phone that wakes, or a page that the browser had kept, asks for the present state at once: what a stream would have
// brought meanwhile may be lost, and its next try may be seconds away.
const FRESH_MS = 20000;

function wake() {
  if (!stream || document.hidden) return;
  if (Date.now() - heardAt > FRESH_MS) stream.reader?.cancel();
  setTimeout(() => stream.delayCanceller?.()); // when htmx has noticed
}

for (const event of ["visibilitychange", "resume"]) document.addEventListener(event, wake);
for (const event of ["pageshow", "online"]) window.addEventListener(event, wake);

// The table's colors are for the whole page, unless this device has colors of its own, and another language for what is beside the table, too.
// Who sits there now is in the title. Each is compared with what the table said before: a translator of the browser changes lang and title.
let title = document.title;

document.addEventListener("htmx:sse:after:message", () => {
  const look = document.getElementById("look");
  if (!look) return;
  const dark = document.getElementById("dark");
  if (!("own" in dark.dataset)) dark.media = look.dataset.dark;
  if (look.dataset.title !== title) document.title = title = look.dataset.title;
  if (look.dataset.language !== document.body.dataset.language) location.reload();
});

// An update that takes away what has the focus leaves the focus as near as it can: nobody begins again at the top.
let focused = [];

document.addEventListener("pointerdown", () => (focused = []));
document.addEventListener("focusin", (event) => {
  focused = [];
  for (let one = event.target; one !== document.body && one; one = one.parentElement) focused.push(one);
});
document.addEventListener("htmx:sse:after:message", () => {
  if (document.activeElement !== document.body) return;
  const near = focused.find((one) => one.isConnected && one.hasAttribute("tabindex"));
  near?.focus({ preventScroll: true });
});

// A newcomer goes on as soon as the host has decided.
const ASK_MS = 2000;

async function askAgain() {
  try {
    const answer = await fetch("/join", { redirect: "manual" });
    if (answer.type === "opaqueredirect" || !(await answer.text()).includes('id="waits"')) return location.replace("/join");
  } catch {
    // The table cannot be reached now.
  }
  setTimeout(askAgain, ASK_MS);
}

if (document.getElementById("waits")) setTimeout(askAgain, ASK_MS);

// The picture, as soon as it can be seen; the table says when to look again.
async function refreshPicture() {
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
  setTimeout(refreshPicture, next);
}

function isInSight(element) {
  const box = element.getBoundingClientRect();
  return box.bottom > 0 && box.top < window.innerHeight;
}

// `croupier host` opens the page with a code for one session of the admin behind the #, which no server and no log gets to see.
const code = document.getElementById("code");
if (code && window.location.hash.length > 1) {
  code.value = window.location.hash.slice(1);
  window.history.replaceState(null, "", window.location.pathname);
  code.form.submit();
}

refreshPicture();

// Only where the address is https, or this machine. Browsers start none from a site whose certificate they do not know.
const isUnknown = location.protocol === "https:" && "ownCertificate" in document.body.dataset;
if ("serviceWorker" in navigator && !isUnknown) navigator.serviceWorker.register("/sw.js").catch(() => {});
