"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("net");
  const told = document.getElementById("told");
  const buttons = [...document.querySelectorAll("#states button")];
  const sections = [...document.querySelectorAll("section[data-state]")];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const FONT = "14px system-ui, 'Segoe UI', 'Noto Sans', 'Droid Sans Fallback', sans-serif";
  const LINE = 19;

  const places = new Map(data.nodes.map((node) => [node.id, node]));
  const ways = new Map(data.edges.map((edge) => [edge.id, {
    from: edge.from, to: edge.to, place: edge.place,
    line: new Path2D(edge.line), head: new Path2D(edge.head),
  }]));
  const outlines = data.outlines.map((path) => new Path2D(path));
  const states = data.states.map((state) => ({
    nodes: new Map(state.nodes.map((node) => [node.id, node])),
    edges: state.edges,
  }));
  let state = states[0];
  let here = null;
  let inks = {};

  const readInks = () => {
    const style = getComputedStyle(document.documentElement);
    inks = {};
    for (const name of ["background", "surface", "primary", "cs-cursor", "cs-plain"]) {
      inks[name] = style.getPropertyValue("--" + name).trim();
    }
    for (const role of Object.keys(data.looks)) {
      inks[role] = style.getPropertyValue("--cs-" + role).trim();
    }
  };

  const drawNode = (ctx, id) => {
    const node = state.nodes.get(id);
    const place = places.get(id);
    if (!node) return;
    const look = data.looks[node.role];
    ctx.save();
    ctx.translate(place.x, place.y);
    if (id === here) {
      const width = place.width + 14, height = place.height + 14;
      ctx.strokeStyle = inks.primary;
      ctx.lineWidth = 4;
      ctx.strokeRect(-width / 2, -height / 2, width, height);
    }
    ctx.fillStyle = inks[id === here ? "cs-cursor" : "surface"];
    ctx.strokeStyle = inks[node.role];
    ctx.lineWidth = look.weight;
    ctx.setLineDash(look.dash);
    node.outlines.forEach((number, i) => {
      if (i === 0) ctx.fill(outlines[number]);
      ctx.stroke(outlines[number]);
    });
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    node.rows.forEach((row, i) => {
      const head = node.head && i === 0;
      ctx.font = head ? "600 " + FONT : FONT;
      ctx.fillStyle = inks[head ? node.role : "cs-plain"];
      ctx.fillText(row, 0, (i - (node.rows.length - 1) / 2) * LINE, place.width - 12);
    });
    ctx.restore();
  };

  const drawEdges = (ctx) => {
    ctx.save();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineJoin = "round";
    for (const edge of state.edges) {
      const way = ways.get(edge.id);
      const look = data.looks[edge.role];
      const lit = way.from === here || way.to === here;
      ctx.strokeStyle = ctx.fillStyle = inks[edge.role];
      ctx.lineWidth = look.weight + (edge.heavier || 0) + (lit ? 2 : 0);
      ctx.setLineDash(look.dash);
      ctx.stroke(way.line);
      ctx.fill(way.head);
      if (edge.heavier) {
        ctx.setLineDash([]);
        ctx.lineWidth = edge.heavier;
        ctx.stroke(way.head);
      }
    }
    ctx.setLineDash([]);
    ctx.font = "12px" + FONT.slice(4);
    for (const edge of state.edges) {
      const look = data.looks[edge.role];
      const words = ((look.dash.length ? look.sign + " " : "") + edge.label).trim();
      const [x, y] = ways.get(edge.id).place;
      ctx.lineWidth = 5 + (edge.heavier || 0);
      ctx.strokeStyle = inks.surface;
      ctx.strokeText(words, x, y);
      ctx.fillStyle = inks["cs-plain"];
      ctx.fillText(words, x, y);
    }
    ctx.restore();
  };

  const options = data.options;
  options.nodes = {
    chosen: false,
    ctxRenderer: ({ ctx, id }) => ({
      drawNode: () => drawNode(ctx, id),
      nodeDimensions: { width: places.get(id).width, height: places.get(id).height },
    }),
  };
  readInks();
  const nodes = new vis.DataSet(data.nodes.map(({ id, label, shape, x, y }) => (
    { id, label, shape, x, y })));
  const edges = new vis.DataSet(data.edges.map(({ id, from, to }) => ({ id, from, to })));
  const network = new vis.Network(box, { nodes, edges }, options);
  network.on("beforeDrawing", drawEdges);
  for (const part of box.querySelectorAll("[tabindex]")) part.tabIndex = -1;

  const name = (id) => {
    const node = state.nodes.get(id);
    return (node.head ? node.rows[0] + " " : "") + node.text.trim();
  };
  const sentence = (text) => text + (/[.!?…]$/.test(text) ? "" : ".");
  const listed = (word, ids) => word + " " + ids.map((id) => "“" + name(id) + "”").join(", ");
  const tell = () => {
    const node = state.nodes.get(here);
    const parts = [sentence(name(here))];
    if (node.role !== "plain") parts.push(sentence(data.looks[node.role].word));
    if (node.note) parts.push(sentence(node.note));
    const ends = state.edges.map((edge) => ways.get(edge.id));
    const from = new Set(ends.filter((way) => way.to === here).map((way) => way.from));
    const to = new Set(ends.filter((way) => way.from === here).map((way) => way.to));
    if (from.size) parts.push(listed("From", [...from]));
    if (to.size) parts.push(listed("To", [...to]));
    told.textContent = parts.join(" ");
  };
  const mark = () => {
    for (const row of document.querySelectorAll("tr.here")) row.classList.remove("here");
    for (const section of sections) {
      if (section.hidden || here === null) continue;
      for (const row of section.querySelectorAll("[data-node='" + here + "']")) {
        row.classList.add("here");
      }
    }
  };
  const look = (position, scale) => network.moveTo({
    position, scale,
    animation: still.matches ? false : { duration: 160, easingFunction: "easeOutQuad" },
  });
  const inSight = (place) => {
    const at = network.canvasToDOM({ x: place.x, y: place.y });
    const margin = 40;
    return at.x > margin && at.y > margin
      && at.x < box.clientWidth - margin && at.y < box.clientHeight - margin;
  };
  const select = (id) => {
    here = id;
    if (id === null) {
      told.textContent = "";
    } else {
      tell();
      if (!inSight(places.get(id))) look({ x: places.get(id).x, y: places.get(id).y });
    }
    mark();
    network.redraw();
  };

  const DIRECTIONS = {
    ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1],
  };
  const nearest = (from, [dx, dy]) => {
    let best = null, least = Infinity;
    for (const id of state.nodes.keys()) {
      const to = places.get(id);
      const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (ahead <= 1 || id === here) continue;
      const far = ahead + 2 * aside;
      if (far < least) { least = far; best = id; }
    }
    return best;
  };
  const pan = ([dx, dy]) => {
    const at = network.getViewPosition(), scale = network.getScale();
    look({ x: at.x + 90 * dx / scale, y: at.y + 90 * dy / scale });
  };
  const zoom = (by) => {
    const scale = Math.min(4, Math.max(0.02, network.getScale() * by));
    look(here === null ? network.getViewPosition() : places.get(here), scale);
  };
  const fit = () => {
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    const reach = (x, y, width, height) => {
      left = Math.min(left, x - width / 2);
      right = Math.max(right, x + width / 2);
      top = Math.min(top, y - height / 2);
      bottom = Math.max(bottom, y + height / 2);
    };
    for (const { x, y, width, height } of places.values()) reach(x, y, width, height);
    for (const { place: [x, y] } of ways.values()) reach(x, y, 0, 0);
    const scale = Math.min(1,
      box.clientWidth / (right - left + 60), box.clientHeight / (bottom - top + 60));
    network.moveTo({ position: { x: (left + right) / 2, y: (top + bottom) / 2 }, scale });
  };
  const step = (by) => {
    const ids = [...state.nodes.keys()];
    const at = (here === null ? -1 : ids.indexOf(here)) + by;
    select(ids[Math.min(ids.length - 1, Math.max(0, at))]);
  };
  const KEYS = {
    Home: () => step(-Infinity),
    End: () => step(Infinity),
    PageDown: () => step(1),
    PageUp: () => step(-1),
    Escape: () => select(null),
    "+": () => zoom(1.25),
    "=": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: fit,
  };
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !state.nodes.size) return;
    const direction = DIRECTIONS[event.key];
    if (direction && event.shiftKey) {
      pan(direction);
    } else if (direction) {
      const first = [...state.nodes.keys()][0];
      const next = here === null ? first : nearest(places.get(here), direction);
      if (next !== null) select(next);
    } else if (Object.hasOwn(KEYS, event.key)) {
      KEYS[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
  box.addEventListener("focus", () => {
    if (here === null && state.nodes.size) select([...state.nodes.keys()][0]);
  });
  network.on("click", ({ nodes: [id] }) => {
    select(id !== undefined && state.nodes.has(id) ? id : null);
  });

  const show = (number) => {
    state = states[number];
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === number)));
    sections.forEach((section) => { section.hidden = section.dataset.state !== String(number); });
    select(here !== null && state.nodes.has(here) ? here : null);
  };
  buttons.forEach((button, i) => button.addEventListener("click", () => show(i)));
  dark.addEventListener("change", () => { readInks(); network.redraw(); });
  show(0);
  fit();
})();
