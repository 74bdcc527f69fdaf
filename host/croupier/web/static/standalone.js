// A game that stands alone: looks it up in what the page brings along, one region after the other.
"use strict";

const at = document.getElementById("at");
const round = document.getElementById("round");
const play = document.getElementById("play");
const speed = document.getElementById("speed");
const place = document.getElementById("place");

let game = null;
let now = -1;
let t = 0;
let before = 0;

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

function show(n) {
  n = Math.max(0, Math.min(n, game.t.length - 1));
  for (const [name, changes] of Object.entries(game.regions)) {
    const look = lookAt(changes, n);
    if (now < 0 || look !== lookAt(changes, now)) document.getElementById(name).outerHTML = game.looks[look];
  }
  now = n;
  at.value = n;
  round.value = game.round[n];
  place.textContent = `${n} / ${game.t.length - 1}`;
  history.replaceState(null, "", `#${n}`);
}

function go(n) {
  show(n);
  t = game.t[now];
}

function setPlaying(on) {
  play.setAttribute("aria-pressed", on);
  play.textContent = on ? "‖" : "▶";
  if (!on) return;
  before = performance.now();
  requestAnimationFrame(tick);
}

function tick(time) {
  if (play.getAttribute("aria-pressed") !== "true") return;
  t += Math.max(0, time - before) / 1000 * Number(speed.value);
  before = time;
  let n = now;
  while (n + 1 < game.t.length && game.t[n + 1] <= t) n += 1;
  if (n !== now) show(n);
  if (n + 1 < game.t.length) requestAnimationFrame(tick);
  else setPlaying(false);
}

async function begin() {
  const packed = atob(document.getElementById("game").textContent.trim());
  const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  game = await new Response(stream).json();
  const start = Number.parseInt(location.hash.slice(1), 10);
  go(Number.isNaN(start) ? 0 : start);
  at.addEventListener("input", () => go(Number(at.value)));
  round.addEventListener("change", () => go(game.round.indexOf(Number(round.value))));
  document.getElementById("step-back").addEventListener("click", () => go(now - 1));
  document.getElementById("step-on").addEventListener("click", () => go(now + 1));
  play.addEventListener("click", () => {
    if (now + 1 === game.t.length) go(0);
    setPlaying(play.getAttribute("aria-pressed") !== "true");
  });
  document.getElementById("controls").hidden = false;
}

begin();
