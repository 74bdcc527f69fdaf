// A player's phone while it is the player's turn: it hums when the turn comes, and its screen stays on.
"use strict";

const HUM_MS = 200;
let hadTurn = false;
let lock = null;

async function notice() {
  const hasTurn = document.getElementById("mine").hasAttribute("data-turn");
  // Before the first tap a browser refuses to hum, and says so on its console.
  const mayHum = navigator.vibrate && navigator.userActivation?.hasBeenActive !== false;
  if (hasTurn && !hadTurn && mayHum) navigator.vibrate(HUM_MS);
  hadTurn = hasTurn;
  try {
    if (hasTurn && !document.hidden && (!lock || lock.released)) lock = await navigator.wakeLock.request("screen");
    else if (!hasTurn && lock) await lock.release();
  } catch {
    // This browser, or an address without https, leaves the screen as it is.
  }
}

new MutationObserver(notice).observe(document.getElementById("moment"), { subtree: true, childList: true, attributes: true });
document.addEventListener("visibilitychange", notice);
notice();
