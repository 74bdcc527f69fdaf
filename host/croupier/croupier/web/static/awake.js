// The screen of a player's phone stays on: UNO is called and caught in the turns of others, too. A browser has a wake lock where
// the address is https. Elsewhere a silent video plays in its place: phones keep their screens on for a video with sound.
"use strict";

const BREAK_MS = 600000; // nothing has happened at the table, and nobody has touched the phone: the players have a break
const AGAIN_S = 2; // not by `loop`, for which Safari lets the screen go off
// 16 x 16 px, black, 4 s, without a sound on its track of sound: python -m tools.silent_video
const SILENT_VIDEO = [
  "AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAVvbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAfQAAAfQAAAQAAAQAAAAAAAAAAAAAAAAEA",
  "AAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAwAAAml0cmFrAAAAXHRraGQAAAADAAAAAAAA",
  "AAAAAAABAAAAAAAAfQAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAABAAAAAQAAAAAAAkZWR0cwAAABxl",
  "bHN0AAAAAAAAAAEAAH0AAAAAAAABAAAAAAHhbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAABAAAABAABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAA",
  "AAAAAAAAAABWaWRlb0hhbmRsZXIAAAABjG1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAA",
  "AUxzdGJsAAAAuHN0c2QAAAAAAAAAAQAAAKhhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAABAAEABIAAAASAAAAAAAAAABDExhdmMgbGlieDI2NAAA",
  "AAAAAAAAAAAAAAAAAAAAAAAAGP//AAAALmF2Y0MBQsAK/+EAFmdCwArZHsBEAAADAAQAAAMACDxImSABAAVoy4PEyAAAABBwYXNwAAAAAQAAAAEAAAAU",
  "YnRydAAAAAAAAABmAAAAAAAAABhzdHRzAAAAAAAAAAEAAAAEAABAAAAAABRzdHNzAAAAAAAAAAEAAAABAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAABAAAA",
  "AQAAACRzdHN6AAAAAAAAAAAAAAAEAAAAEwAAAAsAAAALAAAACgAAACBzdGNvAAAAAAAAAAQAAAWjAAAF1gAABgEAAAYsAAACVXRyYWsAAABcdGtoZAAA",
  "AAMAAAAAAAAAAAAAAAIAAAAAAAB9AAAAAAAAAAAAAAAAAQEAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAACRl",
  "ZHRzAAAAHGVsc3QAAAAAAAAAAQAAfQAAAAQAAAEAAAAAAc1tZGlhAAAAIG1kaGQAAAAAAAAAAAAAAAAAAB9AAACBAFXEAAAAAAAtaGRscgAAAAAAAAAA",
  "c291bgAAAAAAAAAAAAAAAFNvdW5kSGFuZGxlcgAAAAF4bWluZgAAABBzbWhkAAAAAAAAAAAAAAAkZGluZgAAABxkcmVmAAAAAAAAAAEAAAAMdXJsIAAA",
  "AAEAAAE8c3RibAAAAH5zdHNkAAAAAAAAAAEAAABubXA0YQAAAAAAAAABAAAAAAAAAAAAAQAQAAAAAB9AAAAAAAA2ZXNkcwAAAAADgICAJQACAASAgIAX",
  "QBUAAAAAAB9AAAAA/wWAgIAFFYhW5QAGgICAAQIAAAAUYnRydAAAAAAAAB9AAAAA/wAAACBzdHRzAAAAAAAAAAIAAAAgAAAEAAAAAAEAAAEAAAAAKHN0",
  "c2MAAAAAAAAAAgAAAAEAAAABAAAAAQAAAAIAAAAIAAAAAQAAABRzdHN6AAAAAAAAAAQAAAAhAAAAJHN0Y28AAAAAAAAABQAABZ8AAAW2AAAF4QAABgwA",
  "AAY2AAAAGnNncGQBAAAAcm9sbAAAAAIAAAAB//8AAAAcc2JncAAAAAByb2xsAAAAAQAAACEAAAABAAAAPXVkdGEAAAA1bWV0YQAAAAAAAAAhaGRscgAA",
  "AAAAAAAAbWRpcmFwcGwAAAAAAAAAAAAAAAAIaWxzdAAAAAhmcmVlAAAAv21kYXQBGCAHAAAAD2WIhAXzn///D0UAAVefgAEYIAcBGCAHARggBwEYIAcB",
  "GCAHARggBwEYIAcBGCAHAAAAB0GaOAvnOoABGCAHARggBwEYIAcBGCAHARggBwEYIAcBGCAHARggBwAAAAdBmlQC+c6gARggBwEYIAcBGCAHARggBwEY",
  "IAcBGCAHARggBwEYIAcAAAAGQZpgF851ARggBwEYIAcBGCAHARggBwEYIAcBGCAHARggBwEYIAc=",
].join("");

let lock = null;
let isAsked = false;
let video = null;
let isTouched = false;
let isBreak = false;
let break_ = 0;

function playSilently() {
  if (!video) {
    video = document.createElement("video");
    video.className = "awake";
    video.playsInline = true;
    video.ariaHidden = "true";
    video.tabIndex = -1;
    video.src = `data:video/mp4;base64,${SILENT_VIDEO}`;
    video.addEventListener("timeupdate", () => { if (video.currentTime > AGAIN_S) video.currentTime = 0; });
    if (navigator.audioSession) navigator.audioSession.type = "ambient"; // music of another app goes on
    document.body.append(video);
  }
  if (video.paused) video.play().catch(() => {}); // the next touch tries again
}

async function stayAwake() {
  const isWanted = !document.hidden && !isBreak;
  if (!navigator.wakeLock) {
    if (isWanted && isTouched) playSilently(); // a browser plays nothing before somebody has touched the page
    else video?.pause();
    return;
  }
  if (isAsked) return;
  isAsked = true;
  try {
    if (isWanted && (!lock || lock.released)) lock = await navigator.wakeLock.request("screen");
    else if (!isWanted && lock) await lock.release();
  } catch {
    // As where the battery is low.
  }
  isAsked = false;
}

function noteLife() {
  isBreak = false;
  clearTimeout(break_);
  break_ = setTimeout(() => { isBreak = true; stayAwake(); }, BREAK_MS);
  stayAwake();
}

for (const event of ["click", "keydown"]) document.addEventListener(event, () => { isTouched = true; noteLife(); });
new MutationObserver(noteLife).observe(document.getElementById("moment"), { subtree: true, childList: true, attributes: true });
for (const event of ["visibilitychange", "resume"]) document.addEventListener(event, stayAwake);
window.addEventListener("pageshow", stayAwake);
noteLife();
