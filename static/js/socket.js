// One WebSocket, opened again whenever it is lost; what arrives is handed on by its shape.
const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 10_000;

export class Socket {
  #address;
  #handlers;
  #socket = null;
  #waitMs = FIRST_WAIT_MS;

  /** `handlers`: open, lost, and frame, figure, patch, clock for each kind of message. */
  constructor(address, handlers) {
    this.#address = new URL(address, location.href);
    this.#address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.#handlers = handlers;
    this.#open();
    addEventListener("pagehide", () => this.#socket?.close());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
  }

  /** Ask for something else from now on, and whenever the socket is opened again; null: no longer asked for. */
  ask(name, value) {
    if (value === null) this.#address.searchParams.delete(name);
    else this.#address.searchParams.set(name, value);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ [name]: value }));
  }

  #open() {
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.onopen = () => {
      this.#waitMs = FIRST_WAIT_MS;
      this.#handlers.open();
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => this.#retry(socket);
  }

  #receive(message) {
    const kind = ["figure", "patch", "clock"].find((name) => name in message) ?? "frame";
    this.#handlers[kind](message);
  }

  #retry(socket) {
    if (socket !== this.#socket) return;
    this.#handlers.lost();
    setTimeout(() => this.#open(), this.#waitMs * (0.75 + Math.random() / 2));
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }
}
