// What a drop or a file input holds, by paths. Files that can hold no manifest are named and left at home.
const KUSTOMIZATIONS = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const CHART = "Chart.yaml";
const ARCHIVES = [".zip", ".tgz", ".tar.gz"];

export class PickedFiles {
  /** [path, content] of what is sent. */
  sent = [];
  /** The paths of the rest. */
  named = [];
  bytes = 0;
  #limits;
  #isSource = false;

  /** `limits`: suffixes of manifests, the most bytes and files at once, and whether the server renders charts. */
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
    await this.#addAll([...files].map((file) => [file.webkitRelativePath || file.name, file]));
  }

  /** What was dropped; its entries are asked for before anything is waited for. */
  async addDrop(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === "file");
    const entries = items.map((item) => item.webkitGetAsEntry()).filter(Boolean);
    const found = [];
    for (const entry of entries) await this.#walk(entry, found);
    await this.#addAll(found);
  }

  /** [path, file] of all that is in a folder, but for folders whose names begin with a dot. */
  async #walk(entry, found) {
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isFile) {
      found.push([path, await new Promise((got, failed) => entry.file(got, failed))]);
    } else if (entry.name.startsWith(".")) {
      this.#name(path);
    } else {
      for (const inner of await list(entry)) await this.#walk(inner, found);
    }
  }

  async #addAll(found) {
    // A chart, or a kustomization, may be rendered from any of the files beside it.
    this.#isSource = this.#limits.renders && found.some(([path]) => [CHART, ...KUSTOMIZATIONS].includes(nameOf(path)));
    for (const [path, file] of found) await this.#add(path, file, found.length === 1);
  }

  async #add(path, file, isAlone) {
    const isTop = !path.includes("/");
    if (!(this.#mayHold(path) || (isTop && (isAlone || ARCHIVES.some((suffix) => file.name.endsWith(suffix)))))) return this.#name(path);
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
    if (parts.some((part) => part.startsWith(".") && part !== ".helmignore")) return false;
    if (this.#isSource) return true;
    return KUSTOMIZATIONS.includes(parts.at(-1)) || this.#limits.suffixes.some((suffix) => path.endsWith(suffix));
  }
}

function nameOf(path) {
  return path.split("/").at(-1);
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
