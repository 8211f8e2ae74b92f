// Parts of the page that the server renders ask again when the cluster has changed: at once, then once a second.
const PAUSE_MS = 1000;

let waiting = null;
let lastTold = 0;

function tell() {
  waiting = null;
  lastTold = performance.now();
  document.body.dispatchEvent(new CustomEvent("cluster-changed"));
}

/** Something changed: parts with `hx-trigger="cluster-changed from:body"` refresh soon. */
export function refreshParts() {
  if (waiting) return;
  waiting = setTimeout(tell, Math.max(0, lastTold + PAUSE_MS - performance.now()));
}
