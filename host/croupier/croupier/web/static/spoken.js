// For who plays without eyes: what is said of each moment, at the level of detail that this device keeps, and the keys.
"use strict";

const DETAIL = "croupier-detail";
const KEPT_LINES = 30;

const spoken = document.getElementById("spoken");
const detail = document.getElementById("detail");
let heard = Math.max(...sentences().map((one) => Number(one.dataset.n))) - 1; // a page begins with the last moment

function sentences() {
  return [...document.querySelectorAll("#news li")];
}

function say(text) {
  spoken.append(Object.assign(document.createElement("p"), { textContent: text }));
  while (spoken.children.length > KEPT_LINES) spoken.firstChild.remove();
}

function tell() {
  const news = sentences();
  const fresh = news.filter((one) => Number(one.dataset.n) > heard && Number(one.dataset.detail) <= Number(detail.value));
  heard = Math.max(heard, ...news.map((one) => Number(one.dataset.n)));
  if (fresh.length) say(fresh.map((one) => one.textContent).join(" "));
}

// A key counts with Alt and Shift; alone only while something of the play area has the focus, and nothing is typed.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.repeat) return;
  const isTyped = event.target.closest("input:not([type=radio], [type=checkbox]), select, textarea");
  const isAlone = !event.altKey && !event.shiftKey && event.target.closest("#mine") && !isTyped;
  if (!isAlone && !(event.altKey && event.shiftKey)) return;
  const named = `Alt+Shift+${event.code.replace(/^(Key|Digit)/, "")}`;
  const key = [...document.querySelectorAll("[aria-keyshortcuts]")].find((one) => one.ariaKeyShortcuts === named);
  if (!key) return;
  event.preventDefault();
  if (key.matches("button, input, a, summary")) key.click();
  else key.querySelector("input:not([type=hidden]), button").focus();
});

try {
  detail.value = localStorage.getItem(DETAIL) ?? detail.value;
} catch {
  // This browser keeps nothing.
}
detail.addEventListener("change", () => {
  try {
    localStorage.setItem(DETAIL, detail.value);
  } catch {
    // The choice is for this page.
  }
});
document.getElementById("tell-all").addEventListener("click", () => {
  say(["standing", "counts"].map((id) => document.getElementById(id).textContent).join(" "));
});
tell();
new MutationObserver(tell).observe(document.getElementById("moment"), { subtree: true, childList: true, attributes: true });
