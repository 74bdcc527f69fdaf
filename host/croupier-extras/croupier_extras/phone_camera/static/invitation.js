// The page Camera, and the steps of the setup with a camera: how a phone's browser becomes the camera. The code is drawn
// anew only when it changes: a screen reader stays calm.
"use strict";

document.getElementById("camera-view").addEventListener("look", ({ detail: { invitation, picture } }) => {
  const part = document.getElementById("phone-camera");
  const isAwaited = String(!picture);
  part.hidden = !invitation;
  if (part.dataset.awaited !== isAwaited) document.getElementById("phone-how").open = !picture;
  part.dataset.awaited = isAwaited;
  if (!invitation || part.dataset.told === JSON.stringify(invitation)) return;
  part.dataset.told = JSON.stringify(invitation);
  const [code, url, fingerprint, status] = ["code", "url", "fingerprint", "status"].map((what) =>
    document.getElementById(`phone-${what}`));
  code.innerHTML = invitation.code;
  const others = document.getElementById("phone-others");
  others.hidden = !invitation.others.length;
  others.querySelector("ul").replaceChildren(...invitation.others.map(([network, url, svg]) => {
    const [item, name, picture, text] = ["li", "b", "div", "span"].map((kind) => document.createElement(kind));
    [name.textContent, picture.innerHTML, text.textContent] = [network, svg, url];
    [picture.className, text.className] = ["qr", "address"];
    item.append(name, picture, text);
    return item;
  }));
  [url.textContent, fingerprint.textContent, status.textContent] = [invitation.url, invitation.fingerprint, invitation.status];
});
