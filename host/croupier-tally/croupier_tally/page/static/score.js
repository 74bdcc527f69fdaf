// Scoring a hand: a picture is made small, read by the site and shown with the points of its cards; cards are set right.
"use strict";

const LOOK_MS = 5000;
const UNREAD = "?";
const SVG = "http://www.w3.org/2000/svg";

const find = (id) => document.getElementById(id);
const form = find("hand");
const keypad = find("keypad");
const facts = JSON.parse(keypad?.dataset.facts || "{}");
const cards = []; // {face, candidates, outline: the drawn group or null}
let chosen = null; // the card that the keypad is open for; null: a whole hand is typed
let entry = null; // whose hand it is: {seat, round, name, out}; null: nobody's
let size = null; // the number of cards in the hand, if a person said it
let mayHide = false; // cards lie on each other, and nobody said how many there are
let shown = null; // the picture whose cards are listed as they were read; null once a person changed them

function notify(text) {
  find("notice").textContent = text;
}

function known(face) {
  const fact = facts[face.replace("*", "")];
  return fact && { name: fact[0], points: fact[1] };
}

// What is read without a doubt needs no further tap: the picture with its points stays to be checked.
async function read(blob) {
  await reading(async () => {
    const small = await shrink(blob);
    show(small, await readHand(small));
  });
  if (entry && !isUnsure() && cards.length) await send();
  else find("shot").scrollIntoView({ block: "nearest" });
}

async function reading(work) {
  notify("");
  find("reading").hidden = false;
  try {
    await work();
  } catch (error) {
    notify(String(error.message || error));
  } finally {
    find("reading").hidden = true;
  }
}

function show(picture, hand, number = null) {
  const shot = find("shot");
  const image = shot.querySelector("img");
  URL.revokeObjectURL(image.src);
  image.src = URL.createObjectURL(picture);
  shot.querySelector("svg")?.remove();
  const drawing = document.createElementNS(SVG, "svg");
  drawing.setAttribute("viewBox", `0 0 ${hand.size.join(" ")}`);
  drawing.setAttribute("aria-hidden", "true");
  shot.append(drawing);
  shot.hidden = false;
  cards.length = 0;
  size = number;
  mayHide = hand.may_hide;
  shown = picture;
  for (const { face, corners, candidates, too_many: isOneTooMany } of hand.cards) {
    const card = { face, candidates, isOneTooMany, outline: outline(corners) };
    card.outline.addEventListener("click", () => choose(card));
    drawing.append(card.outline);
    cards.push(card);
  }
  find("nothing").hidden = cards.length > 0;
  find("face-down").hidden = !hand.face_down;
  find("camera-fault").textContent = hand.camera;
  find("camera-fault").hidden = !hand.camera;
  form.hidden = false;
  draw();
}

function outline(corners) {
  const group = document.createElementNS(SVG, "g");
  const shape = document.createElementNS(SVG, "polygon");
  shape.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
  const text = document.createElementNS(SVG, "text");
  const middle = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
  const side = Math.hypot(corners[0][0] - corners[1][0], corners[0][1] - corners[1][1]);
  text.setAttribute("x", middle[0]);
  text.setAttribute("y", middle[1]);
  text.setAttribute("font-size", side * 0.55);
  group.append(shape, text);
  return group;
}

function button(text, act, kind = "key") {
  const key = document.createElement("button");
  key.type = "button";
  key.className = kind;
  key.textContent = text;
  key.addEventListener("click", act);
  return key;
}

function why(text) {
  const reason = document.createElement("small");
  reason.textContent = text;
  return reason;
}

// The list of cards, the points on the picture, and their sum.
function draw() {
  if (size === cards.filter((card) => known(card.face)).length) {
    size = null; // answered: what people change after that is right
    mayHide = false;
    drop(cards.filter((card) => !known(card.face)));
  }
  const list = find("cards");
  list.replaceChildren();
  let sum = 0;
  cards.forEach((card, place) => {
    const item = document.createElement("li");
    const fact = known(card.face);
    const color = card.face.split("-")[0];
    item.className = fact ? color : "unknown";
    if (fact) {
      sum += fact.points;
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = `card-${String(place).padStart(3, "0")}`;
      field.value = card.face;
      const points = document.createElement("b");
      points.textContent = fact.points;
      const key = button(fact.name, () => choose(card), "plain");
      key.append(points);
      item.append(field, key);
    } else {
      const candidates = card.candidates.filter(known);
      item.append(button(list.dataset.unread, () => choose(card), "plain"));
      if (card.isOneTooMany) item.append(why(list.dataset.tooMany));
      for (const face of candidates) item.append(button(known(face).name, () => set(card, face)));
      if (candidates.length) item.append(button(list.dataset.other, () => choose(card)));
    }
    list.append(item);
    if (card.outline) {
      card.outline.setAttribute("class", fact ? "read" : "unread");
      card.outline.querySelector("text").textContent = fact ? fact.points : UNREAD;
    }
  });
  const count = cards.filter((card) => known(card.face)).length;
  const unsure = isUnsure();
  find("count").textContent = count;
  find("sum").textContent = unsure ? UNREAD : cards.length ? sum : "–";
  find("doubt").hidden = !unsure || count > 0;
  find("hides").hidden = !mayHide || size !== null;
  ask(unsure && count > 0, count);
  const add = find("add-hand");
  if (add) add.disabled = unsure || !cards.length;
  drawTyped(sum);
}

function isUnsure() {
  return cards.some((card) => !known(card.face)) || size !== null || mayHide;
}

// The hand that is typed: a tap takes a card out again.
function drawTyped(sum) {
  const keys = cards.map((card) => {
    const color = card.face.split("-")[0];
    return button(known(card.face)?.name || UNREAD, () => { drop([card]); draw(); }, color === "wild" ? "choice" : `choice color-key ${color}`);
  });
  find("typed").querySelector("ol").replaceChildren(...keys.map((key) => {
    const item = document.createElement("li");
    item.append(key);
    return item;
  }));
  find("typed").querySelector("output").textContent = sum;
  find("enough").disabled = isUnsure() || !cards.length;
}

// The number of cards is the first question: the picture is read again with the answer. If so many are known then, what
// is marked ? beside them is no card.
function ask(isOpen, count) {
  const group = find("size");
  group.hidden = !isOpen;
  find("question").textContent = JSON.parse(group.dataset.questions)[cards.length - 1] || "";
  const parts = { question: size === null, yes: size === null, fewer: size !== null && count < size, more: size !== null && count > size };
  for (const [id, isShown] of Object.entries(parts)) {
    const part = find(id);
    part.hidden = !isShown;
    if (part.dataset.text) part.textContent = part.dataset.text.replace("{n}", count).replace("{size}", size);
  }
  find("counted").hidden = true;
  find("number").value = "";
}

async function setSize(number) {
  const picture = shown;
  size = number;
  draw();
  if (!picture) return;
  await reading(async () => {
    const hand = await readHand(picture, number);
    if (shown === picture && !keypad.open) show(picture, hand, number); // unless a person changes a card meanwhile
  });
}

function applySize() {
  const field = find("number");
  if (field.reportValidity() && field.value) setSize(Number(field.value));
}

function set(card, face) {
  if (!cards.includes(card)) cards.push(card);
  card.face = face;
  shown = null;
  draw();
}

// Open the keypad for one card, or (null) for a whole hand.
function choose(card) {
  chosen = card;
  const likely = card ? card.candidates.filter((face) => known(face) && face !== card.face) : [];
  find("likely").replaceChildren(...likely.map((face) => button(known(face).name, () => settle(face))));
  find("which").textContent = card ? keypad.dataset.which : entry ? entry.name : keypad.dataset.all;
  for (const id of ["typed", "enough"]) find(id).hidden = card !== null;
  find("no-card").hidden = card === null;
  keypad.showModal();
}

function settle(face) {
  if (chosen === null) {
    set({ face, candidates: [], outline: null }, face);
    return;
  }
  keypad.close();
  set(chosen, face);
}

// Begin the hand of the player whom a key names.
function begin({ seat, round, name, out }) {
  entry = seat === undefined ? null : { seat, round, name, out: out ?? "" };
  const whose = find("whose");
  if (whose) whose.textContent = entry?.name ?? "";
  cards.length = 0;
  size = null;
  mayHide = false;
  shown = null;
  find("shot").hidden = true;
}

async function send() {
  for (const [name, value] of Object.entries({ ...entry, version: find("sheet").dataset.version })) {
    if (form.elements[name]) form.elements[name].value = value;
  }
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)), headers: { "hx-request": "true" } });
  if (!answer.ok) {
    notify(await answer.text());
    return;
  }
  notify("");
  find("add-hand").disabled = true; // until a card is set right
  if (find("shot").hidden) form.hidden = true; // of a picture, what was read stays to be looked at
  await refresh();
}

// The sheet as it is now; the picture and the cards of the last hand stay.
async function refresh() {
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["sheet", "record"]) find(id).replaceWith(now.getElementById(id));
}

function drop(some) {
  for (const card of some) {
    card.outline?.remove();
    if (cards.includes(card)) cards.splice(cards.indexOf(card), 1);
  }
}

if (keypad) {
  document.addEventListener("change", async ({ target }) => {
    if (!target.matches("input.picture")) return;
    const [file] = target.files;
    begin(target.dataset);
    if (file) await read(file);
    target.value = "";
  });
  document.addEventListener("click", async ({ target }) => {
    const key = target.closest(".by-hand, .table-camera");
    if (!key) return;
    begin(key.dataset);
    if (key.matches(".by-hand")) {
      form.hidden = false;
      draw();
      choose(null);
      return;
    }
    const answer = await fetch("/score/camera.jpg", { headers: { "hx-request": "true" } });
    if (answer.status === 200) await read(await answer.blob());
    else notify((await answer.text()) || find("nothing").textContent);
  });
  find("add-card").addEventListener("click", () => choose({ face: UNREAD, candidates: [], outline: null }));
  find("yes").addEventListener("click", () => setSize(cards.length));
  find("another").addEventListener("click", () => {
    find("counted").hidden = false;
    find("number").focus();
  });
  find("set-size").addEventListener("click", applySize);
  find("number").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // the hand is not added by it
    applySize();
  });
  keypad.addEventListener("click", async (event) => {
    const key = event.target.closest("button");
    if (key?.value) settle(key.value);
    else if (key?.id) keypad.close();
    if (key?.id === "no-card") {
      drop([chosen]);
      shown = null;
      draw();
    }
    if (key?.id === "enough" && entry) await send();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (entry) await send();
  });
}

// Others write on the same sheet: look again, but never while somebody reads or enters something.
const sheet = find("sheet");
if (sheet) {
  setInterval(async () => {
    if (document.hidden || keypad?.open || document.querySelector("main details[open], #sheet :focus, #record :focus")) return;
    const answer = await fetch(sheet.dataset.at).catch(() => null);
    if (answer?.ok && (await answer.text()) !== find("sheet").dataset.version) await refresh();
  }, LOOK_MS);
}
