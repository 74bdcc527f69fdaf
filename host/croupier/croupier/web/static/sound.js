// The sounds of a player's phone, once somebody wants them: my turn, UNO, a ruling against somebody, a refused play. Whoever
// has not chosen hears the own turn alone, and only from a phone that cannot hum.
"use strict";

const CHOICE = "croupier-sound";
// Of each tone: pitch (Hz), and when it begins (s).
const SOUNDS = {
  turn: [[523, 0], [784, 0.15]],
  uno: [[784, 0], [784, 0.15], [1047, 0.3]],
  against: [[392, 0], [294, 0.2]],
  refused: [[165, 0], [156, 0.12]],
};
// The first of these rulings that is there decides.
const RULINGS = { refused: ".illegal", against: ".caught, .eliminated, .challenge", uno: ".uno" };
const TONE_S = 0.18;
const LOUDNESS = 0.25;
const NEXT_S = 0.6;

const button = document.getElementById("sound");
let choice = null; // "on", "off"
let audio = null;
let before = look();

function look() {
  const said = document.getElementById("said");
  const sound = Object.keys(RULINGS).find((kind) => said.querySelector(RULINGS[kind]));
  return { n: Number(said.dataset.n), sound, hasTurn: document.getElementById("mine").hasAttribute("data-turn") };
}

function play(sound, after = 0) {
  for (const [pitch, begin] of SOUNDS[sound]) {
    const start = audio.currentTime + after + begin;
    const [tone, volume] = [new OscillatorNode(audio, { frequency: pitch, type: "triangle" }), new GainNode(audio)];
    volume.gain.setValueAtTime(LOUDNESS, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_S);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + TONE_S);
  }
}

function change() {
  const now = look();
  const isNew = now.n > before.n && now.sound;
  const isTurn = now.hasTurn && !before.hasTurn;
  before = now;
  if (!audio) return;
  if (isNew && choice === "on") play(now.sound);
  if (isTurn && isHeard()) play("turn", isNew && choice === "on" ? NEXT_S : 0);
}

function isHeard() {
  return choice === "on" || (choice === null && !navigator.vibrate);
}

// A browser makes no sound before somebody has touched the page.
function unlock() {
  if (isHeard()) (audio ??= new AudioContext()).resume();
}

button.addEventListener("click", () => {
  choice = choice === "on" ? "off" : "on";
  button.setAttribute("aria-pressed", choice === "on");
  unlock();
  if (choice === "on") play("turn");
  try {
    localStorage.setItem(CHOICE, choice);
  } catch {
    // This browser keeps nothing: the choice is for this page.
  }
});
try {
  choice = localStorage.getItem(CHOICE);
} catch {
  // As above.
}
button.hidden = !("AudioContext" in window);
button.setAttribute("aria-pressed", choice === "on");
for (const event of ["click", "keydown"]) document.addEventListener(event, unlock);
new MutationObserver(change).observe(document.getElementById("moment"), { subtree: true, childList: true, attributes: true });
