// What a drop or a file input holds, by paths. Files that can hold no manifest are named and left at home.
const KUSTOMIZATIONS = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

export class PickedFiles {
  /** [path, content] of what is sent. */
  sent = [];
  /** The paths of the rest. */
  named = [];
  bytes = 0;
  #limits;

  /** `limits`: suffixes of manifests, and the most bytes and files at once. */
  constructor(limits) {
    this.#limits = limits;
  }

  /** What people call it. */
  get name() {
    const tops = new Set([...this.sent.map(([path]) => path), ...this.named].map((path) => path.split("/")[0]));
    return tops.size === 1 ? [...tops][0] : `${tops.size} files and folders`;
  }

  get count() {
    return this.sent.length + this.named.length;
  }

  /** Files of an input. Throws an Error that says what is wrong. */
  async addFiles(files) {
    for (const file of files) await this.#add(file.webkitRelativePath || file.name, file, files.length === 1);
  }

  /** What was dropped; its entries are asked for before anything is waited for. */
  async addDrop(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === "file");
    const entries = items.map((item) => item.webkitGetAsEntry()).filter(Boolean);
    for (const entry of entries) await this.#addEntry(entry, entries.length === 1);
  }

  async #addEntry(entry, isAlone) {
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) {
      await this.#add(path, await new Promise((found, failed) => entry.file(found, failed)), isAlone);
    } else if (entry.name.startsWith(".")) {
      this.#name(path);
    } else {
      for (const inner of await list(entry)) await this.#addEntry(inner, false);
    }
  }

  async #add(path, file, isAlone) {
    const isTop = !path.includes("/");
    if (!(this.#mayHold(path) || (isTop && (isAlone || file.name.endsWith(".zip"))))) return this.#name(path);
    this.bytes += file.size;
    if (this.bytes > this.#limits.bytes) {
      const most = this.#limits.bytes / 1024 / 1024;
      throw new Error(`More than ${most} MiB of manifests are too much at once: give a part of them.`);
    }
    // A copy: what is applied later is what was read now, whatever becomes of the file.
    this.sent.push([path, new Blob([await read(path, file)])]);
    this.#count();
  }

  #name(path) {
    this.named.push(path);
    this.#count();
  }

  #count() {
    if (this.count > this.#limits.files) {
      throw new Error(`More than ${this.#limits.files} files are too many at once: give a part of them.`);
    }
  }

  #mayHold(path) {
    const parts = path.split("/");
    if (parts.some((part) => part.startsWith("."))) return false;
    return KUSTOMIZATIONS.includes(parts.at(-1)) || this.#limits.suffixes.some((suffix) => path.endsWith(suffix));
  }
}

async function read(path, file) {
  try {
    return await file.arrayBuffer();
  } catch {
    throw new Error(`${path} cannot be read.`);
  }
}

/** A browser tells of a folder in parts. */
async function list(folder) {
  const reader = folder.createReader();
  const found = [];
  for (;;) {
    const part = await new Promise((told, failed) => reader.readEntries(told, failed));
    if (!part.length) return found.sort((one, other) => (one.name < other.name ? -1 : 1));
    found.push(...part);
  }
}
