// A moment on the discard pile, four times slower; picture by picture where motion is not wanted.
"use strict";

const SLOWER = 4;
const byId = (id) => document.getElementById(id);
const [at, play, place, picture, now] = ["at", "play", "place", "picture", "now"].map(byId);
const isStepwise = matchMedia("(prefers-reduced-motion: reduce)").matches;

let frames = [];
let touch = 0;
let begun = 0;

const isPlaying = () => play.getAttribute("aria-pressed") === "true";

function show(n) {
  const last = frames.length - 1;
  at.value = Math.max(0, Math.min(n, last));
  const frame = frames[at.value];
  picture.setAttribute("href", frame.url);
  const s = frame.t - touch;
  const format = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  place.textContent = (s < 0 ? at.dataset.before : at.dataset.after).replace("{s}", format.format(Math.abs(s)));
  at.setAttribute("aria-valuetext", place.textContent);
  const length = frames[last].t - frames[0].t || 1;
  now.setAttribute("d", `M${100 * (frame.t - frames[0].t) / length} 0V12`);
}

function setPlaying(on) {
  play.setAttribute("aria-pressed", on);
  play.textContent = on ? "‖" : "▶";
  if (!on) return;
  if (Number(at.value) === frames.length - 1) show(0);
  begun = performance.now() - (frames[at.value].t - frames[0].t) * 1000 * SLOWER;
  requestAnimationFrame(tick);
}

function tick(time) {
  if (!isPlaying()) return;
  const t = frames[0].t + (time - begun) / 1000 / SLOWER;
  const n = frames.findLastIndex((frame) => frame.t <= t);
  if (n > at.value) show(n);
  if (n === frames.length - 1) setPlaying(false);
  else requestAnimationFrame(tick);
}

function step(n) {
  setPlaying(false);
  show(n);
}

function begin() {
  const data = JSON.parse(byId("clip").textContent);
  touch = data.touch;
  frames = data.frames.map(([t, jpeg]) => {
    const bytes = Uint8Array.from(atob(jpeg), (letter) => letter.charCodeAt(0));
    return { t, url: URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" })) };
  });
  play.hidden = isStepwise;
  play.addEventListener("click", () => setPlaying(!isPlaying()));
  byId("step-back").addEventListener("click", () => step(Number(at.value) - 1));
  byId("step-on").addEventListener("click", () => step(Number(at.value) + 1));
  at.addEventListener("input", () => step(Number(at.value)));
  at.addEventListener("pointerdown", () => setPlaying(false));
  at.addEventListener("keydown", ({ key }) => /^(Arrow|Page|Home|End)/.test(key) && setPlaying(false)); // Home at the begin is no input
  byId("controls").hidden = false;
  show(isStepwise ? frames.findLastIndex((frame) => frame.t <= touch) : 0);
  setPlaying(!isStepwise);
}

if (byId("clip")) begin();
