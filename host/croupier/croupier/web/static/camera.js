// The page Camera, and the steps of the setup with a camera: shows the table again and again, and lets people drag the
// pile and the seats on its picture. Only the page Camera chooses the camera here, and saves.
"use strict";

const PAUSE_MS = 700;
const STEP = 0.01; // of the picture's width: an arrow key moves a place by it
const FINGER_PX = 44;
const LETTER_PX = 14;
const SVG = "http://www.w3.org/2000/svg";

const view = document.getElementById("camera-view");
const picture = document.getElementById("picture");
const places = document.getElementById("places");
const source = document.getElementById("source");
const byAddress = document.getElementById("by-address");
const save = document.getElementById("save");
const ADDRESS = "address";

let shown = null; // the last answer of the table
let pending = {}; // what people changed since: fields of the next request
let drag = null; // {what, from, moved}
let isAsking = false;

async function ask(fields = {}) {
  pending = { ...pending, ...fields };
  if (isAsking) return;
  isAsking = true;
  const body = new URLSearchParams(pending);
  pending = {};
  try {
    const answer = await fetch("/camera", { method: "POST", body });
    if (!answer.ok) throw new Error(await answer.text());
    show(await answer.json());
  } catch (error) {
    list([error.message || view.dataset.lost]);
  }
  isAsking = false;
  if (Object.keys(pending).length) ask();
}

function list(notes) {
  document.getElementById("notes").replaceChildren(
    ...notes.map((note) => Object.assign(document.createElement("li"), { textContent: note })));
}

function show(answer) {
  if (drag || pending.pile || pending.seats) [answer.pile, answer.seats] = [shown.pile, shown.seats]; // newer than it
  shown = answer;
  picture.hidden = !answer.picture;
  if (answer.picture) {
    const before = picture.src;
    const bytes = Uint8Array.from(atob(answer.picture), (letter) => letter.charCodeAt(0));
    picture.src = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }));
    URL.revokeObjectURL(before);
  }
  list(answer.notes);
  view.dispatchEvent(new CustomEvent("look", { detail: answer })); // for the parts of plug-ins
  if (save) {
    save.disabled = !answer.pile.length || answer.is_saved;
    document.getElementById("saved").hidden = !answer.is_saved;
  }
  if (source && document.activeElement !== source) showCameras(answer);
  if (!drag) draw();
}

function showCameras(answer) {
  const options = answer.cameras.map(([value, name]) => new Option(name || source.dataset.none, value));
  options.push(new Option(source.dataset.address, ADDRESS));
  source.replaceChildren(...options);
  source.value = byAddress.hidden ? answer.source : ADDRESS;
}

function element(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const asText = (points) => points.map((point) => point.join(",")).join(" ");
const middle = (points) => [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);

function draw() {
  const focused = document.activeElement?.dataset?.what;
  const [width, height] = shown.size;
  const unit = width / (places.clientWidth || width); // pixels of the picture for one of the screen
  places.setAttribute("viewBox", `0 0 ${width || 1} ${height || 1}`);
  const made = shown.cards.map(({ name, outline }) => {
    const [x, y] = middle(outline);
    return element("g", { class: "card-seen" }, element("polygon", { points: asText(outline) }),
      element("text", { x, y, "font-size": LETTER_PX * unit }, name));
  });
  if (shown.pile.length && view.dataset.pile) {
    made.push(handle("pile", view.dataset.pile, element("polygon", { points: asText(shown.pile) })));
    shown.seats.forEach(({ name, at: [x, y] }, seat) => made.push(handle(`seat-${seat}`, view.dataset.seat.replace("%", name),
      element("circle", { cx: x, cy: y, r: FINGER_PX / 2 * unit }),
      element("text", { x, y, "font-size": LETTER_PX * unit }, name))));
  }
  places.replaceChildren(...made);
  places.querySelector(`[data-what="${focused}"]`)?.focus();
}

function handle(what, label, ...children) {
  const made = element("g", { class: `handle ${what.split("-")[0]}`, tabindex: 0, role: "button", "aria-label": label },
    ...children);
  made.dataset.what = what;
  return made;
}

function toPicture(event) {
  const box = places.getBoundingClientRect();
  return [(event.clientX - box.left) / box.width * shown.size[0], (event.clientY - box.top) / box.height * shown.size[1]];
}

// A seat is a point, the pile a square around its middle.
function move(what, [dx, dy]) {
  const within = ([x, y]) => [Math.min(Math.max(x, 0), shown.size[0]), Math.min(Math.max(y, 0), shown.size[1])];
  if (what === "pile") {
    const [x, y] = middle(shown.pile);
    const [toX, toY] = within([x + dx, y + dy]);
    shown.pile = shown.pile.map((point) => [point[0] + toX - x, point[1] + toY - y]);
    return { pile: asText([[toX, toY]]) };
  }
  const seat = Number(what.split("-")[1]);
  const place = shown.seats[seat];
  place.at = within([place.at[0] + dx, place.at[1] + dy]);
  return { seats: asText(shown.seats.map(({ at }) => at)) };
}

places.addEventListener("pointerdown", (event) => {
  const grabbed = event.target.closest(".handle");
  if (!grabbed) return;
  event.preventDefault();
  grabbed.focus();
  places.setPointerCapture(event.pointerId);
  drag = { what: grabbed.dataset.what, from: toPicture(event), fields: null };
});
places.addEventListener("pointermove", (event) => {
  if (!drag) return;
  const to = toPicture(event);
  drag.fields = move(drag.what, [to[0] - drag.from[0], to[1] - drag.from[1]]);
  drag.from = to;
  draw();
});
for (const end of ["pointerup", "pointercancel"]) {
  places.addEventListener(end, () => {
    const fields = drag?.fields;
    drag = null;
    if (fields) ask(fields);
  });
}
places.addEventListener("keydown", (event) => {
  const what = event.target.dataset?.what;
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!what || !way) return;
  event.preventDefault();
  const step = STEP * shown.size[0];
  ask(move(what, way.map((one) => one * step)));
  draw();
});

if (source) {
  const address = document.getElementById("address");
  address.placeholder = "http://192.168.1.20:8080/video";
  source.addEventListener("change", () => {
    byAddress.hidden = source.value !== ADDRESS;
    if (byAddress.hidden) ask({ source: source.value });
    else address.focus();
  });
  document.getElementById("which").addEventListener("submit", (event) => {
    event.preventDefault();
    byAddress.hidden = true;
    source.blur();
    ask({ source: address.value.trim() });
  });
}
save?.addEventListener("click", () => ask({ do: "save" }));
document.getElementById("measure")?.addEventListener("click", () => ask({ do: "measure" }));

async function look() {
  if (!document.hidden && !drag && !isAsking) await ask();
  setTimeout(look, PAUSE_MS);
}

look();
