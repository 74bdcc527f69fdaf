// What htmx does not do: say what a wish came to, and look at the camera again.
"use strict";

const CAMERA_MS = 500;

document.addEventListener("htmx:after:request", async (event) => {
  const context = event.detail.ctx;
  const response = context && context.response;
  const notice = document.getElementById("notice");
  if (!notice || !response || context.request.method === "GET") return;
  notice.textContent = response.status < 400 ? "" : context.text || "";
});

setInterval(() => {
  const camera = document.querySelector("img.camera");
  if (!camera || document.hidden || !camera.complete) return;
  camera.src = `/camera.jpg?${Date.now()}`;
}, CAMERA_MS);
