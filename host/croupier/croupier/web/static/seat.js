// A player's phone hums when the own turn comes. Where it cannot, static/sound.js has a short tone in its place.
"use strict";

const HUM_MS = 200;
let hadTurn = false;

function notice() {
  const hasTurn = document.getElementById("mine").hasAttribute("data-turn");
  // Before the first tap a browser refuses to hum, and says so on its console.
  const mayHum = navigator.vibrate && navigator.userActivation?.hasBeenActive !== false;
  if (hasTurn && !hadTurn && mayHum) navigator.vibrate(HUM_MS);
  hadTurn = hasTurn;
}

new MutationObserver(notice).observe(document.getElementById("moment"), { subtree: true, childList: true, attributes: true });
notice();
