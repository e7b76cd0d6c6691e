// Loads the page again when something else is asked.
"use strict";
setInterval(async () => {
  try {
    const answer = await fetch("/now", { cache: "no-store" });
    if (answer.ok && (await answer.text()) !== document.body.dataset.now) location.reload();
  } catch {
    // The room is out of reach for the moment.
  }
}, 1500);
