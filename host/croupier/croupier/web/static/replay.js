// A game is gone through: on the site, where the regions that change are asked for, and as a file, which has them all.
"use strict";

const MOST_WAIT_S = 10; // a longer wait at the table is not waited for
const byId = (id) => document.getElementById(id);
const [at, round, play, speed] = ["at", "round", "play", "speed"].map(byId);
const told = byId("said").parentElement;
const alone = byId("game");

let moments = null;
let shown = -1;
let wanted = 0;
let t = 0;
let before = 0;
let isLoading = false;

const isPlaying = () => play.getAttribute("aria-pressed") === "true";

// The last change at or before n.
function lookAt(changes, n) {
  let low = 0;
  let high = changes.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (changes[middle][0] <= n) low = middle;
    else high = middle - 1;
  }
  return changes[low][1];
}

async function changedRegions(n) {
  if (!alone) return (await fetch(`${byId("moment").dataset.changes}?since=${shown}&at=${n}`)).json();
  const found = {};
  for (const [name, changes] of Object.entries(moments.regions)) {
    const look = lookAt(changes, n);
    if (shown < 0 || look !== lookAt(changes, shown)) found[name] = moments.looks[look];
  }
  return found;
}

// While one moment is fetched, the newest wish waits, and none before it.
async function show() {
  if (isLoading) return;
  isLoading = true;
  try {
    while (shown !== wanted) {
      const n = wanted;
      const regions = await changedRegions(n);
      for (const [name, html] of Object.entries(regions)) {
        if (byId(name).contains(document.activeElement)) at.focus();
        byId(name).outerHTML = html;
      }
      shown = n;
    }
  } catch {
    setPlaying(false); // the site cannot be reached: what is shown stays
    wanted = shown;
  }
  isLoading = false;
  describe();
}

function describe() {
  at.value = shown;
  at.setAttribute("aria-valuetext", `${shown} / ${moments.t.length - 1}: ${byId("said").textContent.trim()}`);
  round.value = moments.round[shown];
  byId("place").textContent = `${shown} / ${moments.t.length - 1}`;
  for (const line of document.querySelectorAll(".log [aria-current]")) line.removeAttribute("aria-current");
  const line = document.querySelector(`.log [data-n="${shown}"] > a`);
  if (line) {
    const log = line.closest(".log");
    line.setAttribute("aria-current", "true");
    log.scrollTop += line.getBoundingClientRect().top - log.getBoundingClientRect().top - log.clientHeight / 2;
  }
  for (const one of document.querySelectorAll("[data-at]")) {
    one["href" in one ? "href" : "value"] = one.dataset.at.replace("{at}", shown);
  }
  const again = byId("again");
  if (again) {
    again.hidden = !(shown in moments.reruns);
    if (!again.hidden) again.href = moments.reruns[shown];
  }
  if (!isPlaying()) history.replaceState(null, "", alone ? `#${shown}` : `?at=${shown}`);
}

function want(n) {
  wanted = Math.max(0, Math.min(n, moments.t.length - 1));
  show();
}

function go(n) {
  want(n);
  t = moments.t[wanted];
}

function setPlaying(on) {
  play.setAttribute("aria-pressed", on);
  play.textContent = on ? "‖" : "▶";
  told.setAttribute("aria-live", on ? "off" : "polite");
  if (!on) return;
  before = performance.now();
  requestAnimationFrame(tick);
}

function tick(time) {
  if (!isPlaying()) return;
  t += Math.max(0, time - before) / 1000 * Number(speed.value);
  before = time;
  let n = wanted;
  if (n + 1 < moments.t.length) t = Math.max(t, moments.t[n + 1] - MOST_WAIT_S);
  while (n + 1 < moments.t.length && moments.t[n + 1] <= t) n += 1;
  if (n !== wanted) want(n);
  if (n + 1 < moments.t.length) return requestAnimationFrame(tick);
  setPlaying(false);
  show();
}

function togglePlaying() {
  if (wanted + 1 === moments.t.length) go(0);
  setPlaying(!isPlaying());
  describe();
}

async function copy(button) {
  const field = byId(button.dataset.copies);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // where the address is not https
  }
  byId("notice").textContent = button.dataset.done;
}

async function begin() {
  if (alone) {
    const bytes = Uint8Array.from(atob(alone.textContent.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    moments = await new Response(stream).json();
    go(Number.parseInt(location.hash.slice(1), 10) || 0);
  } else {
    moments = JSON.parse(byId("moments").textContent);
    shown = Number(at.value);
    go(shown);
  }
  const decided = (isBetter) => moments.decisions.filter(isBetter);
  at.addEventListener("input", () => go(Number(at.value)));
  at.addEventListener("keydown", (event) => {
    if (event.key === " ") togglePlaying();
  });
  round.addEventListener("change", () => go(moments.round.indexOf(Number(round.value))));
  byId("step-back").addEventListener("click", () => go(wanted - 1));
  byId("step-on").addEventListener("click", () => go(wanted + 1));
  byId("decision-back").addEventListener("click", () => go(decided((n) => n < wanted).at(-1) ?? 0));
  byId("decision-on").addEventListener("click", () => go(decided((n) => n > wanted)[0] ?? moments.t.length - 1));
  play.addEventListener("click", togglePlaying);
  byId("moment").addEventListener("click", (event) => {
    const line = event.target.closest(".log a");
    if (!line) return;
    event.preventDefault();
    go(Number(line.parentElement.dataset.n));
  });
  for (const button of document.querySelectorAll("[data-copies]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
  byId("controls").hidden = false;
}

begin();
