// HTTPS is offered where the page does not come by it, until somebody has said no.
"use strict";

{
  const REFUSED = "croupier-no-https";
  let isRefused = false;
  try {
    isRefused = localStorage.getItem(REFUSED) !== null;
  } catch {
    // This browser keeps nothing: the offer stands.
  }
  const offer = document.getElementById("secure-offer");
  if (offer) offer.hidden = isRefused || window.isSecureContext;
  document.getElementById("not-now")?.addEventListener("click", () => {
    try {
      localStorage.setItem(REFUSED, "");
    } catch {
      // As above.
    }
  });
}
