// Where the table does not answer, the page says so and comes back. Nothing else is kept: a game is shown as it is now.
"use strict";

const STORE = "croupier";
const AWAY = "/away";
const KEPT = [AWAY, "/static/page.css", "/static/dark.css", "/static/away.js", "/static/icon.svg"];

async function keep() {
  const store = await caches.open(STORE);
  await store.addAll(KEPT.map((path) => new Request(path, { cache: "reload" })));
  await self.skipWaiting();
}

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { pathname } = new URL(event.request.url);
  const kept = event.request.mode === "navigate" ? AWAY : pathname;
  if (KEPT.includes(kept)) event.respondWith(fetch(event.request).catch(() => caches.match(kept)));
});
