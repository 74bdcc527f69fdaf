// The big screen between two states: cards that are laid and drawn fly, points run up, what just happened goes away again.
// The page shows each state in full; a newer one ends all motion, and nothing waits for it.
"use strict";

const FONTS_MS = 10000;
const MENU_MS = 5000;
const SHOWN_MS = 3000;
const PLAY_MS = 320;
const FLIGHT_MS = 420;
const NEXT_FLIGHT_MS = 70;
const MOST_FLIGHTS = 6;
const RUN_MS = 1200;
const PILE = { x: 448, y: 366 };
const TOP = { x: 960, y: 378 };
const FIGURE_SPACE = "\u2007"; // as wide as a figure
const SVG = "http://www.w3.org/2000/svg";

const reduced = matchMedia("(prefers-reduced-motion: reduce)");
const moment = document.getElementById("moment");
let motions = [];
let frame = 0;
let goAway = 0;
let isGone = false;
let before = read();

function read() {
  const pile = document.getElementById("pile").dataset;
  const scene = document.getElementById("scene");
  const seats = Array.from(document.querySelectorAll(".plate"), (plate) => plate.dataset);
  return {
    plays: Number(pile.plays),
    by: pile.by,
    seats: seats.map(({ x, y, cards }) => ({ x: Number(x), y: Number(y), cards: Number(cards) })),
    scene: `${scene.className} ${scene.dataset.n}`,
    runs: Array.from(scene.querySelectorAll("[data-runs]"), (number) => number.dataset.runs).join(),
  };
}

function move(element, keyframes, duration, delay = 0) {
  const motion = element.animate(keyframes, { duration, delay, easing: "cubic-bezier(.3, .7, .3, 1)", fill: "backwards" });
  motions.push(motion);
  return motion;
}

function layCard({ x, y }) {
  const from = `translate(${x}px, ${y}px) scale(.3) translate(${-TOP.x}px, ${-TOP.y}px)`;
  move(document.getElementById("top"), [{ transform: from }, { transform: "none" }], PLAY_MS);
}

function drawCard({ x, y }, delay) {
  const card = document.createElementNS(SVG, "use");
  card.setAttribute("href", "#back");
  document.getElementById("flights").append(card);
  const way = [[PILE, 1.9], [{ x, y }, 0.7]].map(([at, size]) => ({ transform: `translate(${at.x}px, ${at.y}px) scale(${size})` }));
  const motion = move(card, way, FLIGHT_MS, delay);
  motion.onfinish = motion.oncancel = () => {
    card.remove();
    observer.takeRecords();
  };
}

function runUp(part) {
  for (const number of document.querySelectorAll("[data-runs]")) {
    const [from, to] = number.dataset.runs.split(" ").map(Number);
    number.textContent = String(Math.round(from + (to - from) * part)).padStart(String(to).length, FIGURE_SPACE);
  }
  observer.takeRecords();
}

function startRun() {
  const begun = performance.now();
  const step = (now) => {
    const part = Math.min((now - begun) / RUN_MS, 1);
    runUp(1 - (1 - part) ** 3);
    frame = part < 1 ? requestAnimationFrame(step) : 0;
  };
  runUp(0);
  frame = requestAnimationFrame(step);
}

function endMotions() {
  for (const motion of motions) motion.cancel();
  motions = [];
  if (frame) {
    cancelAnimationFrame(frame);
    frame = 0;
    runUp(1);
  }
}

// A page that connects anew gets the same scene once more, and its part of the page is then as the table sends it: not hidden.
function show(after) {
  const scene = document.getElementById("scene");
  if (after.scene !== before.scene || !goAway) {
    clearTimeout(goAway);
    isGone = false;
    goAway = scene.matches(".uno, .verdict") ? setTimeout(hide, SHOWN_MS) : 0;
  }
  scene.hidden = isGone;
}

function hide() {
  isGone = true;
  document.getElementById("scene").hidden = true;
}

function change() {
  endMotions();
  const after = read();
  if (!reduced.matches) {
    if (after.plays > before.plays && after.by !== undefined) layCard(after.seats[after.by]);
    after.seats.forEach((seat, n) => {
      const drawn = before.seats[n] ? seat.cards - before.seats[n].cards : 0;
      for (let i = 0; i < Math.min(drawn, MOST_FLIGHTS); i++) drawCard(seat, i * NEXT_FLIGHT_MS);
    });
    if (after.runs && after.runs !== before.runs) startRun();
  }
  show(after);
  before = after;
  observer.takeRecords();
}

const observer = new MutationObserver(change);
observer.observe(moment, { childList: true, subtree: true, attributes: true, characterData: true });
show(before);

// Text in another font and then in ours would jump: nothing is shown before a frame was laid out in our fonts, or they are too late.
function showAll() {
  document.body.classList.add("is-laid-out");
}

const showAfterFrame = () => requestAnimationFrame(() => requestAnimationFrame(showAll));
const load = (font) => document.fonts.load(font, moment.textContent);
setTimeout(showAll, FONTS_MS);
Promise.all(['1em "Croupier Sans"', '600 1em "Croupier Serif"'].map(load)).then(showAfterFrame, showAll);

// The menu is in the way of the table: it comes when somebody touches anything, and goes again after a while.
let menu = 0;

function showMenu() {
  document.body.classList.remove("is-still");
  clearTimeout(menu);
  menu = setTimeout(() => document.body.classList.add("is-still"), MENU_MS);
}

for (const event of ["pointerdown", "keydown", "focusin"]) document.addEventListener(event, showMenu);

// A browser also tells of a pointer that rests, when the page under it has been laid out; without a mouse it rests at 0, 0.
let rests = "0 0";

document.addEventListener("pointermove", ({ screenX, screenY }) => {
  const place = `${screenX} ${screenY}`;
  if (place !== rests) showMenu();
  rests = place;
});
