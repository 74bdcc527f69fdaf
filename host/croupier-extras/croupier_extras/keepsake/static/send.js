// The evening as a file, by the device's own sheet for sharing. Where that takes no files (or the address is not secure), the
// link is a plain download, and this script leaves it alone.
"use strict";

const fetched = new Map(); // by address: begun when the finger comes down, since sharing must follow the tap soon

const sendable = (target) => target instanceof Element && target.closest("a[data-sends]");

function takesFiles(link) {
  if (!window.isSecureContext || !navigator.share || !navigator.canShare) return false;
  return navigator.canShare({ files: [new File([""], link.download, { type: link.dataset.sends })] });
}

async function fetchFile(link) {
  const answer = await fetch(link.href);
  if (!answer.ok) throw new Error(answer.statusText);
  return new File([await answer.blob()], link.download, { type: link.dataset.sends });
}

document.addEventListener("pointerdown", ({ target }) => {
  const link = sendable(target);
  if (!link || !takesFiles(link)) return;
  const file = fetchFile(link);
  file.catch(() => {}); // the tap tells
  fetched.set(link.href, file);
});

document.addEventListener("click", async (event) => {
  const link = sendable(event.target);
  if (!link || !event.isTrusted || !takesFiles(link)) return;
  event.preventDefault();
  const file = fetched.get(link.href) || fetchFile(link);
  fetched.delete(link.href);
  try {
    await navigator.share({ files: [await file] });
  } catch (error) {
    if (error.name !== "AbortError") link.click(); // nobody closed the sheet: it did not open, so the file is saved
  }
});
