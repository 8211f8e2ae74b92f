// One WebSocket, opened again whenever it is lost; what arrives is handed on by its shape.
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;

export class Socket {
  #address;
  #handlers;
  #socket = null;
  #waitMs = FIRST_WAIT_MS;
  #retrying = null;
  // Asked for while it was opened: its address does not say so.
  #unsent = {};

  /** `handlers`: open, lost (in how many ms it is tried again), and one for each kind of message. */
  constructor(address, handlers) {
    this.#address = new URL(address, location.href);
    this.#address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.#handlers = handlers;
    this.#begin(address);
    addEventListener("pagehide", () => this.#socket?.close());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
  }

  /** Ask for something else from now on, and whenever the socket is opened again; null: no longer asked for. */
  ask(name, value) {
    if (value === null) this.#address.searchParams.delete(name);
    else this.#address.searchParams.set(name, value);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ [name]: value }));
    else this.#unsent[name] = value;
  }

  /** Do not wait for the next try. */
  tryNow() {
    if (this.#retrying) this.#open();
  }

  /** The page may have asked already, before this was there. */
  #begin(address) {
    const first = window.firstAsk;
    // What comes later comes too late, and what has come is not kept.
    window.firstAsk = null;
    if (first?.watch !== address || first.socket.readyState > WebSocket.OPEN) {
      first?.socket.close();
      return this.#open();
    }
    this.#socket = first.socket;
    // The handlers are told when the page is ready for it.
    setTimeout(() => {
      this.#listen(first.socket);
      if (first.socket.readyState === WebSocket.OPEN) first.socket.onopen();
      first.come.forEach(first.socket.onmessage);
      if (first.socket.readyState === WebSocket.CLOSED) first.socket.onclose();
    });
  }

  #open() {
    clearTimeout(this.#retrying);
    this.#retrying = null;
    this.#socket = new WebSocket(this.#address);
    this.#unsent = {};
    this.#listen(this.#socket);
  }

  #listen(socket) {
    socket.onopen = () => {
      this.#waitMs = FIRST_WAIT_MS;
      if (Object.keys(this.#unsent).length) socket.send(JSON.stringify(this.#unsent));
      this.#unsent = {};
      this.#handlers.open();
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => this.#retry(socket);
  }

  #receive(message) {
    const kind = ["figure", "patch", "clock", "check"].find((name) => name in message) ?? "frame";
    // Whatever is missed from here on is sent when the socket is opened again.
    if (kind === "frame") this.#address.searchParams.set("after", message.seq);
    this.#handlers[kind]?.(message);
  }

  #retry(socket) {
    if (socket !== this.#socket) return;
    const waitMs = this.#waitMs * (0.75 + Math.random() / 2);
    this.#retrying = setTimeout(() => this.#open(), waitMs);
    this.#handlers.lost(waitMs);
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
}
