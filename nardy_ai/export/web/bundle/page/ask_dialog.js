// A question that is answered with yes or no.
import { button, byId, make } from "./dom.js";

/** Asks; true where the first button is pressed. */
export function ask(words, question, yes) {
  const dialog = byId("ask-dialog");
  return new Promise((answer) => {
    let said = false;
    const close = (value) => () => {
      said = value;
      dialog.close();
    };
    dialog.replaceChildren(
      make(
        "div",
        { className: "form" },
        make("h2", { id: "ask-title" }, question),
        make("div", { className: "row" }, button(yes, close(true), { className: "main", id: "ask-yes" }), button(words.cancel, close(false))),
      ),
    );
    dialog.onclose = () => answer(said);
    dialog.showModal();
  });
}
