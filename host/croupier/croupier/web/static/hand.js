// A hand is named card by card: each is added to the form, and taken out again by a tap on it.
"use strict";

let named = 0;

function count(hand) {
  const { length } = hand.querySelectorAll("li");
  hand.querySelector("output").textContent = `${length} / ${hand.dataset.most}`;
}

// The face that was named by its color and by a key; nothing without a color.
function namedFace(pick, key) {
  const color = pick.querySelector("[type=radio]:checked")?.value;
  const icon = pick.querySelector(".icon [type=checkbox]");
  const star = icon?.checked && /^\d$/.test(key.value) ? "*" : "";
  if (icon) icon.checked = false;
  return color && (color === "wild" ? key.value : `${color}-${key.value}${star}`);
}

function add(hand, key) {
  const color = hand.querySelector("[type=radio]:checked");
  if (!color || hand.querySelectorAll("li").length >= Number(hand.dataset.most)) return;
  const isWild = color.value === "wild";
  const [item, card, face] = ["li", "button", "input"].map((name) => document.createElement(name));
  card.type = "button";
  card.className = isWild ? "choice" : `choice color-key ${color.value}`;
  card.textContent = key.innerText.trim();
  card.ariaLabel = `✕ ${isWild ? "" : color.parentElement.innerText.trim()} ${card.textContent}`;
  Object.assign(face, { type: "hidden", name: `card-${String(named++).padStart(4, "0")}`, value: namedFace(hand, key) });
  if (face.value.endsWith("*")) card.textContent += "*";
  item.append(card, face);
  hand.querySelector("ol").append(item);
  color.checked = false;
  color.focus();
}

document.addEventListener("click", (event) => {
  const key = event.target.closest(".open-hand button[type=button]");
  if (!key) return;
  const hand = key.closest(".open-hand");
  if (key.name) add(hand, key);
  else key.parentElement.remove();
  count(hand);
});
