// Keys go to the terminal from the first picture on, without a click; on a phone, so do those of the
// row below it. A page that is loaded again names its tab, so that it finds its program again.
"use strict";
const codes = { Escape: 27, Tab: 9, Enter: 13, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };
const press = (terminal, key) => {
  if (key in codes)
    terminal.dispatchEvent(new KeyboardEvent("keydown", { key, keyCode: codes[key], bubbles: true }));
  else terminal.dispatchEvent(new InputEvent("input", { data: key, inputType: "insertText" }));
};
const named = () => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const fresh = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    const name = sessionStorage.getItem("tab") ?? fresh;
    sessionStorage.setItem("tab", name);
    return name;
  } catch {
    return fresh; // A browser may keep nothing.
  }
};
window.addEventListener("DOMContentLoaded", () => {
  document.getElementById("terminal").dataset.sessionWebsocketUrl += `/${named()}`;
  const wake = () => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys && document.body.classList.contains("-first-byte")) {
      keys.focus();
      watcher.disconnect();
    }
  };
  document.querySelector(".keys").addEventListener("click", (event) => {
    const key = event.target.dataset.key;
    const terminal = document.querySelector(".xterm-helper-textarea");
    if (key && terminal) press(terminal, key);
  });
  const watcher = new MutationObserver(wake);
  watcher.observe(document.body, { attributeFilter: ["class"] });
});
