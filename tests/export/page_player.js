// Plays on the page as a player does, through what can be seen and pressed: `await playPage({ until, choose })`.
// until: "game" (the end of a game) or a number of own turns. choose: "first" or "last" of what can be lifted.
async ({ until, choose }) => {
  const byId = (id) => document.getElementById(id);
  const seen = (id) => byId(id) && !byId(id).hidden;
  const soon = () => new Promise((done) => setTimeout(done, 0));
  const press = (place) => {
    const { x, y, width, height } = place.getBoundingClientRect();
    const values = { bubbles: true, button: 0, pointerId: 1, clientX: x + width / 2, clientY: y + height / 2 };
    place.dispatchEvent(new PointerEvent("pointerdown", values));
    place.dispatchEvent(new PointerEvent("pointerup", values));
  };
  const places = () => [...document.querySelectorAll(".place.can")];
  const report = { turns: 0, lifted: 0, undone: 0, steps: 0 };
  for (let idle = 0; idle < 20000; idle++) {
    if (document.querySelector("#result-dialog[open]")) return report;
    if (typeof until === "number" && report.turns >= until && seen("throw")) return report;
    if (seen("throw")) byId("throw").click();
    else if (seen("give")) {
      report.turns++;
      byId("give").click();
    } else if (places().length) {
      const sources = places();
      press(choose === "first" ? sources[0] : sources[sources.length - 1]);
      report.lifted++;
      const targets = places().filter((place) => place.getAttribute("aria-pressed") !== "true");
      if (!targets.length) throw new Error(`nothing is lit: ${byId("said").textContent}`);
      press(targets[0]);
      report.steps++;
    } else {
      await soon();
      continue;
    }
    await soon();
    idle = 0;
  }
  throw new Error(`the page waits: ${byId("said").textContent}`);
}
