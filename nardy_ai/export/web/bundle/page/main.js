// Begins the page: settings, the bot in its worker, the saved match.
import { openWorker } from "../nardy.js";
import { button, byId, make } from "./dom.js";
import { followMovements } from "./halves.js";
import { matchOf } from "./match.js";
import { gatherMovements } from "./movements.js";
import { forgetFiles, workOffline } from "./offline.js";
import { Page } from "./page.js";
import { Settings } from "./settings.js";
import { Store } from "./store.js";

const FOLDER = new URL("../", import.meta.url);
const settings = new Settings();
const page = new Page(settings);

gatherMovements(followMovements);
begin();

async function begin() {
  let nardy;
  try {
    nardy = await openWorker({ folder: FOLDER });
  } catch (error) {
    page.say("noWorker", error.message.replace(/\.$/, ""));
    notice("noWorker", [["again", () => forgetFiles()]], error.message.replace(/\.$/, ""));
    return;
  }
  const store = new Store(FOLDER.pathname, { taken: () => otherTab(store), failed: () => notice("storageOff") });
  page.serve(nardy, store);
  checkVersion(nardy);
  if (!store.works) notice("storageOff");
  document.addEventListener("visibilitychange", () => !document.hidden && !store.mine && otherTab(store));
  await goOn(nardy, store);
  document.documentElement.dataset.ready = "true";
  performance.mark("playable");
  workOffline((takeOver) => notice("newVersion", [["reload", takeOver]]));
}

/** Lays the saved match on the table, or asks for a new one. */
async function goOn(nardy, store) {
  const saved = store.load();
  const match = saved === undefined ? undefined : matchOf(saved, page.profiles);
  store.take();
  if (match) {
    try {
      const cut = await page.table.open(match);
      if (cut !== null) notice("savedCut", [], cut);
      return;
    } catch {
      page.table.clear();
    }
  }
  if (match !== undefined) {
    const known = nardy.profiles.some(({ name }) => name === saved?.profile);
    store.putAside();
    notice(known && !page.profiles.some(({ name }) => name === saved.profile) ? "savedOtherModel" : "savedDamaged");
  }
  page.table.clear();
  page.say("firstGame");
  page.show();
  page.askNew();
}

function otherTab(store) {
  if (byId("notice-otherTab")) return;
  page.freeze();
  notice("otherTab", [
    [
      "playHere",
      async () => {
        page.thaw();
        await goOn(page.nardy, store);
      },
    ],
  ]);
}

// The page's own files and those of the bot come from one export, unless a cache mixed them.
function checkVersion({ version }) {
  const own = document.querySelector('meta[name="nardy-version"]').content;
  if (own !== version) notice("otherVersion", [["reload", () => forgetFiles()]]);
}

/** A sentence at the top of the page, with what can be done. */
function notice(key, actions = [], ...values) {
  byId(`notice-${key}`)?.remove();
  const word = settings.words[key];
  const text = typeof word === "function" ? word(...values) : word;
  byId("notices").append(
    make(
      "div",
      { id: `notice-${key}`, className: "notice" },
      make("p", {}, text),
      ...actions.map(([name, use]) => button(settings.words[name], use)),
      actions.length ? null : button("×", () => byId(`notice-${key}`).remove(), { className: "quiet round", ariaLabel: settings.words.close }),
    ),
  );
}
