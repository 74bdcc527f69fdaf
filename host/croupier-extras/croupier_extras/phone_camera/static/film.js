// The page of a phone that films the table: sends pictures with their times, one at a time, the newest first of all.
"use strict";

const HEAD_BYTES = 45; // croupier_extras/phone_camera/feed.py
const PINGS = 5; // before the first picture, so that the table knows this clock
const PING_MS = 2000;
const ANSWER_MS = 5000;
const AGAIN_MS = 1000;
const STALE_MS = 150; // a picture that waited longer for its turn is taken again
const SHOWN_S = 0.15; // the longest time from exposure to the screen, where the browser does not tell more
const QUALITY = 0.85;
const REFUSED = 4403;

const state = document.getElementById("state");
const video = document.getElementById("film-view");
const button = document.getElementById("film");
const lens = document.getElementById("which-lens");
const canvas = document.createElement("canvas");

let stream = null;
let number = 0;
let answered = 0; // the table's time in its last answer (s), and when it came (s of this clock)
let received = 0;
let canDim = true;
let post = false; // true where the browser opens no WebSocket

class Stranger extends Error {} // another phone is the camera

const now = () => (performance.timeOrigin + performance.now()) / 1000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const tell = (what) => { if (state.textContent !== state.dataset[what]) state.textContent = state.dataset[what]; };

async function join() {
  const token = location.hash.slice(1);
  if (!token) return;
  history.replaceState(null, "", "/");
  const answer = await fetch("/join", { method: "POST", body: token });
  if (answer.status === 403) throw new Stranger();
}

// One line to the table: a WebSocket, or where that is refused (Safari, a certificate of our own) one request a message.
async function open() {
  if (!post) {
    const socket = new WebSocket(`wss://${location.host}/pictures`);
    socket.binaryType = "arraybuffer";
    const closed = new Promise((_resolve, reject) => {
      socket.onclose = (event) => reject(event.code === REFUSED ? new Stranger() : new Error("closed"));
    });
    const isOpen = await Promise.race([new Promise((resolve) => { socket.onopen = () => resolve(true); }),
      closed.catch(() => false)]);
    if (isOpen) {
      const answered = (data) => new Promise((resolve) => {
        socket.onmessage = (event) => resolve(event.data);
        socket.send(data);
      });
      return { send: (data) => Promise.race([answered(data), closed]), close: () => socket.close() };
    }
  }
  return {
    send: async (data) => {
      const answer = await fetch("/pictures", { method: "POST", body: data });
      if (answer.status === 403) throw new Stranger();
      if (!answer.ok) throw new Error(answer.statusText);
      post = true; // the table is there, so it was the WebSocket that failed
      return answer.text();
    },
    close: () => {},
  };
}

async function exchange(line, picture) {
  const head = new DataView(new ArrayBuffer(HEAD_BYTES));
  head.setUint8(0, document.hidden ? 1 : 0);
  head.setUint32(1, number++, true);
  const times = [now(), answered, received, picture?.taken ?? 0, picture?.span ?? 0];
  times.forEach((time, place) => head.setFloat64(5 + 8 * place, time, true));
  const data = await new Blob(picture ? [head, picture.jpeg] : [head]).arrayBuffer();
  const late = pause(ANSWER_MS).then(() => { throw new Error("no answer"); });
  const answer = await Promise.race([line.send(data), late]);
  [answered, received] = [Number(answer), now()];
}

// The next picture of the camera. A browser that tells when it was taken is exact to a frame.
async function shown() {
  if (!video.requestVideoFrameCallback) {
    await new Promise(requestAnimationFrame);
    return { taken: now(), span: SHOWN_S };
  }
  const about = await new Promise((resolve) => video.requestVideoFrameCallback((_now, metadata) => resolve(metadata)));
  const taken = about.captureTime;
  if (!taken || taken > performance.now()) return { taken: now(), span: SHOWN_S };
  const rate = stream.getVideoTracks()[0]?.getSettings().frameRate || 30;
  return { taken: (performance.timeOrigin + taken) / 1000, span: 1 / rate };
}

async function picture() {
  const { taken, span } = await shown();
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0);
  const jpeg = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
  return { taken, span, jpeg, at: performance.now() };
}

async function film(line) {
  const least = 1000 / Number(state.dataset.fps);
  let flight = Promise.resolve();
  let pinged = performance.now();
  for (let n = 0; n < PINGS; n++) await exchange(line);
  tell(canDim ? "dims" : "filming");
  for (;;) {
    if (document.hidden) {
      await flight;
      await exchange(line);
      await pause(AGAIN_MS);
      continue;
    }
    const begin = performance.now();
    let next = await Promise.race([picture(), pause(AGAIN_MS)]); // the next is made while the last is on its way
    await flight;
    while (next && performance.now() - next.at > STALE_MS) next = await Promise.race([picture(), pause(AGAIN_MS)]);
    if (!next?.jpeg || performance.now() - pinged > PING_MS) {
      await exchange(line);
      pinged = performance.now();
    }
    if (next?.jpeg) flight = exchange(line, next);
    flight.catch(() => {}); // awaited above
    await pause(Math.max(0, least - (performance.now() - begin)));
  }
}

async function work() {
  for (;;) {
    let line = null;
    try {
      await join();
      line = await open();
      await film(line);
    } catch (error) {
      tell(error instanceof Stranger ? "stranger" : "lost");
    }
    line?.close();
    [number, answered, received] = [0, 0, 0];
    await pause(AGAIN_MS);
  }
}

async function stayAwake() {
  try {
    await navigator.wakeLock.request("screen");
    canDim = false;
  } catch {
    canDim = true;
  }
}

async function start(id) {
  const wanted = { width: { ideal: Number(state.dataset.width) }, height: { ideal: Number(state.dataset.height) } };
  stream?.getTracks().forEach((track) => track.stop());
  const which = id ? { deviceId: { exact: id } } : { facingMode: { ideal: "environment" } };
  stream = await navigator.mediaDevices.getUserMedia({ video: { ...wanted, ...which }, audio: false });
  stream.getVideoTracks()[0].addEventListener("ended", () => start(id).catch(complain));
  video.srcObject = stream;
  video.hidden = false;
  await video.play();
  await stayAwake();
}

function complain(error) {
  tell(error.name === "NotAllowedError" ? "denied" : "busy");
  button.hidden = false;
}

async function offerLenses() {
  const lenses = (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");
  lens.replaceChildren(...lenses.map(({ label, deviceId }, n) => new Option(label || String(n + 1), deviceId)));
  lens.value = stream.getVideoTracks()[0].getSettings().deviceId;
  document.getElementById("lens").hidden = lenses.length < 2;
}

let isWorking = false;
button.addEventListener("click", async () => {
  button.hidden = true;
  try {
    await start();
    await offerLenses();
  } catch (error) {
    complain(error);
    return;
  }
  if (isWorking) return;
  isWorking = true;
  work();
});
lens.addEventListener("change", () => start(lens.value).catch(complain));
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !stream) return;
  stayAwake();
  video.play().catch(() => {});
});

button.disabled = !navigator.mediaDevices;
tell(navigator.mediaDevices ? "ready" : "without");
