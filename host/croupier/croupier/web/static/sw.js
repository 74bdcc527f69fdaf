// Where the table does not answer, the page says so and comes back. Nothing else is kept: a game is shown as it is now.
"use strict";

const STORE = "croupier";
const AWAY = "/away";
const KEPT = [AWAY, "/static/page.css", "/static/dark.css", "/static/away.js", "/static/icon.svg"];

async function keep() {
  const store = await caches.open(STORE);
  await store.addAll(KEPT.map((path) => new Request(path, { cache: "no-cache" })));
}

self.addEventListener("install", (event) => event.waitUntil(keep().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const kept = event.request.mode === "navigate" ? AWAY : pathname;
  if (!KEPT.includes(kept)) return;
  const answer = fetch(event.request);
  event.respondWith(answer.catch(() => caches.match(kept)));
  // With each page, since an upgrade or another language may have changed what is kept.
  if (kept === AWAY) event.waitUntil(answer.then(keep).catch(() => {}));
});
