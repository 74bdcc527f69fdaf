// The page that was asked for is shown as soon as the table answers.
"use strict";

const ASK_MS = 2000;

async function ask() {
  try {
    await fetch("/sw.js", { cache: "no-store" });
    location.reload();
  } catch {
    setTimeout(ask, ASK_MS);
  }
}

setTimeout(ask, ASK_MS);
