// Reads the files of a bundle and checks them against its manifest, in browsers and in Node.
import { NardyError } from "./errors.js";

const FORMAT = 2;

// The smallest module with a SIMD instruction: engines that validate it run engine-simd.wasm.
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** Whether this browser runs 128-bit SIMD. */
export function hasSimd() {
  return WebAssembly.validate(SIMD);
}

/** A bundle whose manifest has been read. */
export class Bundle {
  static async at(folder) {
    const base = new URL(folder);
    if (!base.pathname.endsWith("/")) base.pathname += "/";
    const text = new TextDecoder().decode(await read(new URL("manifest.json", base)));
    let manifest;
    try {
      manifest = JSON.parse(text);
    } catch {
      manifest = null;
    }
    if (manifest?.kind !== "nardy-ai web bundle")
      throw new NardyError("manifest.json is not that of a nardy-ai web bundle: copy the whole folder again");
    if (manifest.format !== FORMAT)
      throw new NardyError(
        `manifest.json has format ${manifest.format} and this nardy.js reads ${FORMAT}: take all files from one export`,
      );
    if (!isWhole(manifest)) throw new NardyError("manifest.json is damaged: copy the whole folder again");
    return new Bundle(base, manifest);
  }

  constructor(base, manifest) {
    this.base = base;
    this.manifest = manifest;
  }

  /** One of the models of the manifest: { name, net, vectors, facts }; the first one where none is named. */
  model(name = this.manifest.models[0].name) {
    const found = this.manifest.models.find((model) => model.name === name);
    if (!found) throw new NardyError(`there is no model ${JSON.stringify(name)}; nardy.models lists them`);
    return found;
  }

  /** What is known of all its models, in their order. */
  get models() {
    return this.manifest.models.map(({ name, facts }) => ({ name, ...facts }));
  }

  /** The bytes of one file, checked. */
  async bytes(name) {
    const listed = this.manifest.files[name];
    if (!listed) throw new NardyError(`manifest.json does not list ${name}: copy the whole folder again`);
    const bytes = await read(new URL(name, this.base));
    if (bytes.length !== listed.bytes || !(await hasDigest(bytes, listed.sha256)))
      throw new NardyError(`${name} is damaged or of another export: copy the whole folder again and reload`);
    return bytes;
  }

  async json(name) {
    return JSON.parse(new TextDecoder().decode(await this.bytes(name)));
  }
}

/** Whether a manifest has the parts that are relied on, each of its kind. */
function isWhole({ version, engines, models, files }) {
  const texts = (...values) => values.every((value) => typeof value === "string");
  const listed = (name) => Object.hasOwn(files, name) && Number.isInteger(files[name]?.bytes) && texts(files[name].sha256);
  if (![engines, models, files].every((part) => typeof part === "object" && part !== null)) return false;
  if (!texts(version) || !listed(engines.simd) || !listed(engines.plain) || !Array.isArray(models) || models.length === 0) return false;
  return models.every((model) => texts(model?.name, model?.facts?.profile) && listed(model.net) && listed(model.vectors));
}

async function read(url) {
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    const { readFile } = await import(/* @vite-ignore */ "node:fs/promises");
    try {
      return new Uint8Array(await readFile(url));
    } catch (error) {
      throw new NardyError(`${url.href} cannot be read (${error.code}): is the folder of the bundle whole?`);
    }
  }
  let answer;
  try {
    // What is cached is asked for again, so that files of two exports are not mixed.
    answer = await fetch(url, { cache: "no-cache" });
  } catch {
    throw new NardyError(`${url.href} cannot be read: open the page from a file server, and not from a file`);
  }
  if (!answer.ok) throw new NardyError(`${url.href} cannot be read (HTTP ${answer.status}): is the folder of the bundle whole?`);
  try {
    return new Uint8Array(await answer.arrayBuffer());
  } catch {
    throw new NardyError(`${url.href} did not arrive whole: reload the page`);
  }
}

// Browsers give crypto.subtle to https and localhost alone; elsewhere lengths and the net's own checksum remain.
async function hasDigest(bytes, sha256) {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle) return true;
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}
