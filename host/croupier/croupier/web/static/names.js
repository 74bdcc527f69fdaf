// Where names are typed, people of former evenings are one tap each: into the field that had the focus, or the first empty one.
"use strict";

{
  const known = document.getElementById("played-before");
  const fields = [...document.querySelectorAll("input[list=known-names]")];
  let last = null;

  const showWhoIsFree = () => {
    const typed = new Set(fields.map((field) => field.value.trim()));
    for (const key of known.querySelectorAll("button")) key.disabled = typed.has(key.value);
  };

  if (known) {
    known.hidden = false;
    showWhoIsFree();
    for (const field of fields) {
      field.addEventListener("focus", () => (last = field));
      field.addEventListener("input", showWhoIsFree);
    }
    known.addEventListener("click", (event) => {
      const name = event.target.closest("button")?.value;
      const field = last?.value === "" ? last : fields.find((one) => !one.value);
      if (!name || !field) return;
      const folded = field.closest("details");
      if (folded) folded.open = true;
      field.value = name;
      showWhoIsFree();
    });
  }
}
