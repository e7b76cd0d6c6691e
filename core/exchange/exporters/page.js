"use strict";
(() => {
  const root = document.documentElement;
  const main = document.querySelector("main");
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("net");
  const told = document.getElementById("told");
  const hits = document.getElementById("hits");
  const finder = document.getElementById("find");
  const beside = document.getElementById("beside");
  const theme = document.getElementById("theme");
  const buttons = [...document.querySelectorAll("#states button")];
  const sliders = [...document.querySelectorAll("input[type=range]")].map((input) => ({
    input,
    output: input.parentElement.querySelector("output"),
    states: input.dataset.states.split(" ").map(Number),
    values: input.dataset.values.split(" "),
  }));
  const sections = [...document.querySelectorAll("section[data-state]")];
  const MOST_FOUND = 100;

  let shown = 0;
  let other = null;
  let here = null;
  let matches = [];
  let following = false;
  root.classList.add("live");

  const nodeOf = (number, id) => (data.states[number].nodes || []).find((node) => node.id === id);
  const wayOf = (edge) => data.arrangements[data.states[shown].arrangement].ways[edge.id];
  const nodesOf = (number) => data.states[number].nodes || [];

  /* In words. */
  const name = (id) => {
    const node = nodeOf(shown, id);
    return (node.head ? node.rows[0] + " " : "") + node.text.trim();
  };
  const said = (name, values) => (
    data.say[name].replace(/\{(\w+)\}/g, (_, key) => values[key]));
  const sentence = (text) => text + (/[.!?…]$/.test(text) ? "" : ".");
  const quoted = (text) => said("quoted", { text });
  const listed = (word, ids) => (
    said(word, { nodes: ids.map((id) => quoted(name(id))).join(", ") }));
  const describe = () => {
    const node = nodeOf(shown, here);
    const parts = [sentence(name(here))];
    if (node.role !== "plain") parts.push(sentence(data.looks[node.role].word));
    if (node.note) parts.push(sentence(node.note));
    const ends = data.states[shown].edges.map(wayOf);
    const from = new Set(ends.filter((way) => way.to === here).map((way) => way.from));
    const to = new Set(ends.filter((way) => way.from === here).map((way) => way.to));
    if (from.size) parts.push(listed("from", [...from]));
    if (to.size) parts.push(listed("to", [...to]));
    return parts.join(" ");
  };
  const differing = () => {
    if (other === null) return [];
    const seen = (node) => node && JSON.stringify([node.role, node.rows]);
    const ids = new Set([...nodesOf(shown), ...nodesOf(other)].map((node) => node.id));
    return [...ids].filter((id) => seen(nodeOf(shown, id)) !== seen(nodeOf(other, id)));
  };
  const difference = (ids) => {
    const inWords = (node) => node
      ? data.looks[node.role].word + " " + quoted(node.rows.join(" ")) : said("not_there");
    if (!ids.length) return said("same");
    const few = ids.slice(0, 8).map((id) => inWords(nodeOf(shown, id)) + " / " + inWords(nodeOf(other, id)));
    if (ids.length > few.length) few.push(said("more", { n: ids.length - few.length }));
    return said("differs", { nodes: few.join("; ") });
  };

  const mark = () => {
    const different = new Set(differing());
    for (const part of document.querySelectorAll("[data-node]")) {
      const id = Number(part.dataset.node);
      part.classList.toggle("here", id === here);
      part.classList.toggle("found", matches.includes(id));
      part.classList.toggle("differs", different.has(id));
    }
    if (told === null) return;
    if (here !== null) told.textContent = describe();
    else told.textContent = other === null ? "" : difference([...different]);
  };

  /* The address keeps what is shown, for a link to it and for coming back. */
  const remember = () => {
    if (following) return;
    const kept = new URLSearchParams();
    if (shown) kept.set("state", shown + 1);
    if (other !== null) kept.set("beside", other + 1);
    if (here !== null) kept.set("node", here + 1);
    if (finder?.value) kept.set("find", finder.value);
    if (theme.value) kept.set("colours", theme.value);
    history.replaceState(null, "", "#" + kept);
  };

  const select = (id) => {
    here = id;
    mark();
    picture?.select(id);
    remember();
  };
  const picture = box && makePicture(data, box, select);

  const show = (number, next = other) => {
    shown = number;
    other = next === number ? null : next;
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === number)));
    for (const { input, output, states, values } of sliders) {
      const at = states.indexOf(number);
      // A state that is not of this slider is one with the value that was asked for.
      if (at >= 0) input.value = at;
      else input.value = input.defaultValue;
      output.value = values[input.value];
      input.setAttribute("aria-valuetext", output.value);
    }
    if (beside) beside.value = other === null ? "" : String(other);
    const hidden = main.classList.contains("beside");
    main.classList.toggle("beside", other !== null);
    for (const section of sections) {
      const own = Number(section.dataset.state);
      section.hidden = own !== shown && own !== other;
      section.classList.toggle("left", own === shown);
      section.classList.toggle("right", own === other);
    }
    if (here !== null && !nodeOf(shown, here)) here = null;
    picture?.show(shown);
    if (finder) find();
    mark();
    if (hidden && other === null) picture?.fit();
    remember();
  };

  const find = () => {
    const words = finder.value.trim().toLowerCase();
    const has = (...texts) => texts.some((text) => text.toLowerCase().includes(words));
    const ends = new Set((data.states[shown].edges || []).filter((edge) => has(edge.label))
      .flatMap((edge) => [wayOf(edge).from, wayOf(edge).to]));
    matches = words ? nodesOf(shown)
      .filter((node) => ends.has(node.id) || has(...node.rows, node.text, node.note))
      .map((node) => node.id) : [];
    picture.find(words ? new Set(matches) : null);
    const at = matches.indexOf(here);
    if (!words) hits.textContent = "";
    else if (!matches.length) hits.textContent = said("not_found");
    else hits.textContent = said(at < 0 ? "found" : "at", { at: at + 1, n: matches.length });
    mark();
  };
  const next = (by) => {
    if (!matches.length) return;
    const at = matches.indexOf(here);
    const to = at < 0 ? (by > 0 ? 0 : matches.length - 1) : at + by;
    select(matches[(to + matches.length) % matches.length]);
    find();
    for (const row of document.querySelectorAll(".narrow [data-node='" + here + "']")) {
      if (row.checkVisibility()) row.scrollIntoView({ block: "nearest" });
    }
  };

  const dress = (name) => {
    theme.value = name;
    if (name) root.dataset.theme = name;
    else delete root.dataset.theme;
    picture?.recolour();
    remember();
  };

  const follow = () => {
    const kept = new URLSearchParams(location.hash.slice(1));
    const number = (key, most) => {
      const typed = kept.get(key) || "";
      return /^\d{1,6}$/.test(typed) && typed > 0 && typed <= most ? Number(typed) - 1 : null;
    };
    following = true;
    const colours = kept.get("colours") || "";
    dress(["light", "dark"].includes(colours) ? colours : "");
    if (finder) finder.value = (kept.get("find") || "").slice(0, MOST_FOUND);
    show(number("state", data.states.length) ?? 0, number("beside", data.states.length));
    const node = number("node", data.nodes?.length ?? 0);
    select(node !== null && nodeOf(shown, node) ? node : null);
    following = false;
  };

  buttons.forEach((button, i) => button.addEventListener("click", () => show(i)));
  for (const { input, states } of sliders) {
    input.addEventListener("input", () => show(states[input.value]));
  }
  beside?.addEventListener("change", () => (
    show(shown, beside.value === "" ? null : Number(beside.value))));
  theme.addEventListener("change", () => dress(theme.value));
  finder?.addEventListener("input", () => { find(); remember(); });
  finder?.addEventListener("keydown", (event) => {
    if (event.key === "Enter") next(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape" && finder.value) { finder.value = ""; find(); remember(); }
    else return;
    event.preventDefault();
  });
  main.addEventListener("click", ({ target }) => {
    const part = target.closest("[data-node]");
    if (part && nodeOf(shown, Number(part.dataset.node))) select(Number(part.dataset.node));
  });
  addEventListener("hashchange", follow);
  follow();
})();
