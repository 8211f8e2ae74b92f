// The page of checks: its socket says when a check has come further, and the part that shows it asks again.
import { Socket } from "./socket.js";

const PAUSE_MS = 1000;
const page = document.querySelector("[data-socket]");
const live = page.querySelector("[data-live]");

let waiting = null;
let lastTold = -PAUSE_MS;

function tell() {
  waiting = null;
  lastTold = performance.now();
  document.body.dispatchEvent(new CustomEvent("check-changed"));
}

/** At once, then once a second. */
function tellSoon() {
  if (waiting) return;
  waiting = setTimeout(tell, Math.max(0, lastTold + PAUSE_MS - performance.now()));
}

function showConnection(state, words) {
  live.dataset.state = state;
  live.textContent = words;
}

new Socket(page.dataset.socket, {
  open: () => {
    showConnection("live", "Live");
    tellSoon();
  },
  lost: () => showConnection("lost", "Connection lost"),
  check: tellSoon,
});
