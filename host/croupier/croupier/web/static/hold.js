// "What do I hold?": the hand before the phone's camera, read and said on this phone alone.
"use strict";

const hold = document.getElementById("hold");
const held = document.getElementById("held");

hold?.addEventListener("change", async () => {
  held.textContent = held.dataset.reading;
  try {
    const { cards, may_hide: mayHide } = await readHand(await shrink(hold.files[0]));
    const names = cards.map(({ name, options }) => name ?? [held.dataset.unread, options.join(" / ")].filter(Boolean).join(": "));
    held.textContent = cards.length ? `${held.dataset.holds} ${names.join(", ")}.${mayHide ? ` ${held.dataset.hides}` : ""}` : held.dataset.none;
  } catch (error) {
    held.textContent = String(error.message || error);
  }
  hold.value = "";
});
