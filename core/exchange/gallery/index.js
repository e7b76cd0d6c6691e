"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("live");
  const { facts, say } = JSON.parse(document.getElementById("data").textContent);
  const finder = document.getElementById("find");
  const theme = document.getElementById("theme");
  const count = document.getElementById("count");
  const filters = [...document.querySelectorAll("select[data-filter]")];
  const cards = [...document.querySelectorAll("#cards li")].map((card, i) => ({
    card, link: card.querySelector("a"), facts: facts[i], text: card.textContent.toLowerCase(),
  }));
  for (const each of cards) each.address = each.link.getAttribute("href");

  /* The address keeps the filters, for a link to them and for coming back. */
  const remember = () => {
    const kept = new URLSearchParams();
    if (finder.value) kept.set("find", finder.value);
    filters.forEach((filter, i) => { if (filter.value) kept.set("filter" + i, filter.value); });
    if (theme.value) kept.set("colours", theme.value);
    history.replaceState(null, "", "#" + kept);
  };
  const show = () => {
    const words = finder.value.trim().toLowerCase();
    let shown = 0;
    for (const each of cards) {
      const fits = each.text.includes(words) && filters.every(
        (filter, i) => filter.value === "" || String(each.facts[i]) === filter.value);
      each.card.hidden = !fits;
      shown += fits;
      each.link.setAttribute("href", each.address + (theme.value ? "#colours=" + theme.value : ""));
    }
    count.textContent = shown === cards.length
      ? say.items : say.some.replace("{shown}", shown).replace("{all}", say.items);
    if (theme.value) root.dataset.theme = theme.value;
    else delete root.dataset.theme;
  };
  const follow = () => {
    const kept = new URLSearchParams(location.hash.slice(1));
    finder.value = (kept.get("find") || "").slice(0, 100);
    for (const [i, select] of [...filters.entries(), ["", theme]]) {
      const value = kept.get(select === theme ? "colours" : "filter" + i) || "";
      select.value = [...select.options].some((option) => option.value === value) ? value : "";
    }
    show();
  };
  for (const control of [finder, theme, ...filters]) {
    control.addEventListener("input", () => { show(); remember(); });
  }
  document.getElementById("all").addEventListener("click", () => {
    for (const control of [finder, ...filters]) control.value = "";
    show();
    remember();
  });
  addEventListener("hashchange", follow);
  follow();
})();
