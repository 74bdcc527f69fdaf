// The picture of a hand: made small, and read by the site, which keeps nothing of it.
"use strict";

const LONGEST_PX = 2560;
const QUALITY = 0.9;
const HEAD_BYTES = 64;

// The picture: at most LONGEST_PX, upright, without its EXIF data. Of a file that this browser cannot open, its head:
// the site says what it is.
async function shrink(blob) {
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  try {
    await image.decode();
  } catch {
    return blob.slice(0, HEAD_BYTES);
  }
  const scale = Math.min(1, LONGEST_PX / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.naturalWidth * scale);
  canvas.height = Math.round(image.naturalHeight * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done) => canvas.toBlob(done, "image/jpeg", QUALITY));
}

// The cards, of the deck that the page names, and so many as a person told; an error says why there are none.
async function readHand(picture, number) {
  const known = new URLSearchParams();
  const deck = document.querySelector("[data-deck]")?.dataset.deck;
  if (deck) known.set("deck", deck);
  if (number) known.set("number", number);
  const answer = await fetch(`/score/read?${known}`, { method: "POST", body: picture, headers: { "content-type": "image/jpeg", "hx-request": "true" } });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}
