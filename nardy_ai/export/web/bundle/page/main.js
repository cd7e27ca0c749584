// Begins the page: settings, the bot in its worker, the saved match.
import { Bundle } from "../bundle.js";
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
  const store = new Store(FOLDER.pathname, () => otherTab(store));
  page.serve(nardy, store);
  checkVersion();
  if (!store.works) notice("storageOff");
  document.addEventListener("visibilitychange", () => !document.hidden && !store.mine && otherTab(store));
  await goOn(nardy, store);
  document.documentElement.dataset.ready = "true";
  performance.mark("playable");
  workOffline({ update: (go) => notice("newVersion", [["reload", go]]), ready: () => {} });
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
      page.table.match = null;
    }
  }
  if (match !== undefined) {
    const known = nardy.profiles.some(({ name }) => name === saved?.profile);
    store.putAside();
    notice(known && !page.profiles.some(({ name }) => name === saved.profile) ? "savedOtherModel" : "savedDamaged");
  }
  page.say("firstGame");
  page.askNew();
}

function otherTab(store) {
  if (byId("notice-otherTab")) return;
  page.freeze();
  notice("otherTab", [
    [
      "playHere",
      async () => {
        byId("notice-otherTab").remove();
        for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
        page.thaw();
        await goOn(page.nardy, store);
      },
    ],
  ]);
}

// The page's own files and those of the bot come from one export, unless a cache mixed them.
async function checkVersion() {
  const { manifest } = await Bundle.at(FOLDER);
  const own = document.querySelector('meta[name="nardy-version"]').content;
  if (own !== manifest.version) notice("otherVersion", [["reload", () => forgetFiles()]]);
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
