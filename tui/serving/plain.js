// Answers are read out where they stand, without leaving the page.
"use strict";
const asking = document.getElementById("ask");
if (asking)
  asking.addEventListener("submit", async (event) => {
    if (event.submitter?.id !== "model") return;
    event.preventDefault();
    const place = document.getElementById("answers");
    place.textContent = place.dataset.waiting;
    const asked = new URLSearchParams(new FormData(asking));
    const answer = await fetch(`/plain/answers?${asked}`);
    place.textContent = await answer.text();
  });
