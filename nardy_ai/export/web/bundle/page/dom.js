// Elements in few words.

/** An element with properties (`class`, `for`, aria-… and data-… as attributes) and what is in it. */
export function make(name, values = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === null || value === false) continue;
    if (key in made && !key.includes("-") && key !== "list") made[key] = value;
    else made.setAttribute(key === "htmlFor" ? "for" : key, value === true ? "" : value);
  }
  made.append(...inside.filter((part) => part !== null && part !== undefined && part !== false));
  return made;
}

export const byId = (id) => document.getElementById(id);

/** A button that does something. */
export function button(text, onclick, values = {}) {
  return make("button", { type: "button", onclick, ...values }, text);
}

/** A labelled choice: [value, text] pairs; values are texts. */
export function choice(text, options, value, onchange, values = {}) {
  const select = make("select", values, ...options.map(([name, shown]) => make("option", { value: name, selected: name === value }, shown)));
  select.onchange = () => onchange(select.value);
  return make("label", {}, make("span", {}, text), select);
}

/** A labelled switch. */
export function tick(text, checked, onchange, values = {}) {
  const box = make("input", { type: "checkbox", checked, ...values });
  box.onchange = () => onchange(box.checked);
  return make("label", { className: "tick" }, box, make("span", {}, text));
}

/** Shows a dialog with these parts. Closed, it is empty: another dialog may have fields of the same names. */
export function showDialog(dialog, ...parts) {
  dialog.replaceChildren(...parts);
  dialog.onclose = () => dialog.open || dialog.replaceChildren();
  if (!dialog.open) dialog.showModal();
}

/** Copies a text; false where the browser does not let the page. */
export async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = make("textarea", { value: text, readOnly: true, className: "unseen" });
    document.body.append(area);
    area.select();
    // Pages that came over plain HTTP have no clipboard but this old way.
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** Hands a text to the player as a file. */
export function download(name, text) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
