// Keeps the files of one export, so that the page works without a network. The version is that of the files: another
// export has another service worker, which fills a cache of its own and takes over when the player says so.
const FOLDER = new URL("./", self.location).pathname;
const CACHE = `nardy-ai ${FOLDER} @VERSION@`;
const LEFT_OUT = ["README.md", "LICENSE", "nardy.d.ts", "package.json", "example.html"];

async function fill() {
  const answer = await fetch("manifest.json", { cache: "no-cache" });
  const manifest = await answer.clone().json();
  if (manifest.version !== "@VERSION@") throw new Error("the files are of another export");
  const cache = await caches.open(CACHE);
  const names = Object.keys(manifest.files).filter((name) => !LEFT_OUT.includes(name) && !name.endsWith(".vectors.json"));
  await Promise.all(names.map(async (name) => cache.put(name, plain(await fetch(name, { cache: "no-cache" })))));
  await cache.put("manifest.json", plain(answer));
}

// Some servers lead index.html elsewhere; a browser shows no page whose answer was led there.
function plain(answer) {
  if (!answer.ok) throw new Error(`${answer.url} cannot be read`);
  return answer.redirected ? new Response(answer.body, { headers: answer.headers }) : answer;
}

async function clear() {
  for (const name of await caches.keys()) if (name.startsWith(`nardy-ai ${FOLDER} `) && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

async function answer(request) {
  const url = new URL(request.url);
  url.search = url.hash = "";
  if (url.pathname === FOLDER) url.pathname += "index.html";
  const cache = await caches.open(CACHE);
  return (await cache.match(url.href)) ?? fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(clear()));
self.addEventListener("message", ({ data }) => data === "take over" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method === "GET" && url.origin === self.location.origin && url.pathname.startsWith(FOLDER)) event.respondWith(answer(event.request));
});
