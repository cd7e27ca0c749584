// The page without a network: the service worker keeps all files of one export; a newer export takes over when the
// player says so.

/** @param update called with what lets a newer export take over, once it is there */
export async function workOffline(update) {
  if (!("serviceWorker" in navigator)) return;
  let registration;
  try {
    registration = await navigator.serviceWorker.register("service_worker.js");
  } catch {
    return; // The page needs a network then, as pages do.
  }
  let asked = false;
  navigator.serviceWorker.addEventListener("controllerchange", () => asked && location.reload());
  const takeOver = () => {
    asked = true;
    // Where another tab has let it take over already, loading again is all there is to do.
    if (registration.waiting) registration.waiting.postMessage("take over");
    else location.reload();
  };
  const offer = () => registration.waiting && navigator.serviceWorker.controller && update(takeOver);
  const follow = () => registration.installing?.addEventListener("statechange", offer);
  // The browser looks for a newer export by itself as the page loads: it may be there or on its way by now.
  registration.addEventListener("updatefound", follow);
  follow();
  offer();
}

/** Throws away what is kept, so that the next loading takes everything from the server. */
export async function forgetFiles() {
  for (const registration of (await navigator.serviceWorker?.getRegistrations()) ?? []) await registration.unregister();
  for (const name of (await globalThis.caches?.keys()) ?? []) if (name.startsWith("nardy-ai ")) await caches.delete(name);
  location.reload();
}
