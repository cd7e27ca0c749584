// The side of openWorker that runs in a worker: { id, method, words } comes in, { id, value } or { id, error } goes out.
import { open } from "./nardy.js";

let nardy = null;

async function answer(method, words) {
  if (method === "open") {
    nardy = await open(words[0]);
    return { version: nardy.version, model: nardy.model, models: nardy.models, profiles: nardy.profiles, kernels: nardy.kernels };
  }
  return nardy[method](...words);
}

async function serve({ id, method, words }, post) {
  try {
    post({ id, value: await answer(method, words) });
  } catch (error) {
    post({ id, error: error.message });
  }
}

if (globalThis.process?.versions?.node) {
  const { parentPort } = await import(/* @vite-ignore */ "node:worker_threads");
  parentPort.on("message", (request) => serve(request, (reply) => parentPort.postMessage(reply)));
} else {
  self.onmessage = ({ data }) => serve(data, (reply) => self.postMessage(reply));
}
