// Asks for what a page watches before its modules are there: meanwhile the server makes the figures. `Socket` takes it
// over, with what has come. A classic script, since modules wait for each other.
(() => {
  if ("firstAsk" in window) return;
  const { watch } = document.currentScript.dataset;
  const address = new URL(watch, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(address);
  const come = [];
  // Modules that never come would leave it to grow: `Socket` opens another where this is closed.
  socket.onmessage = (event) => {
    if (come.push(event) > 200) socket.close();
  };
  window.firstAsk = { watch, socket, come };
})();
