// The page without a network: the service worker keeps all files of one export; a newer export takes over when the
// player says so.

/** @param told { update(go), ready() } */
export async function workOffline(told) {
  if (!("serviceWorker" in navigator)) return;
  let registration;
  try {
    registration = await navigator.serviceWorker.register("service_worker.js");
  } catch {
    return; // The page needs a network then, as pages do.
  }
  let asked = false;
  navigator.serviceWorker.addEventListener("controllerchange", () => asked && location.reload());
  const offer = (worker) =>
    told.update(() => {
      asked = true;
      worker.postMessage("take over");
    });
  if (registration.waiting && navigator.serviceWorker.controller) offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state !== "installed") return;
      if (navigator.serviceWorker.controller) offer(installing);
      else told.ready();
    });
  });
}

/** Throws away what is kept, so that the next loading takes everything from the server. */
export async function forgetFiles() {
  for (const registration of (await navigator.serviceWorker?.getRegistrations()) ?? []) await registration.unregister();
  for (const name of (await globalThis.caches?.keys()) ?? []) if (name.startsWith("nardy-ai ")) await caches.delete(name);
  location.reload();
}
