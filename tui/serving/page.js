// Keys go to the terminal from the first picture on, without a click.
"use strict";
window.addEventListener("DOMContentLoaded", () => {
  const wake = () => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys && document.body.classList.contains("-first-byte")) {
      keys.focus();
      watcher.disconnect();
    }
  };
  const watcher = new MutationObserver(wake);
  watcher.observe(document.body, { attributeFilter: ["class"] });
});
