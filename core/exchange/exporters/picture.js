"use strict";
/* The graph of the state that is shown, drawn on the canvas of vis-network. */
const makePicture = (data, box, onSelect) => {
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const FONT = "14px system-ui, 'Segoe UI', 'Noto Sans', 'Droid Sans Fallback', sans-serif";
  const LINE = 19, CHANGE = 450, LEAST = 11 / 12, MOST = 1.4;

  const arrangements = data.arrangements.map(({ places, ways }) => ({
    places: new Map(Object.entries(places).map(([id, place]) => [Number(id), place])),
    ways: ways.map((way) => (
      { ...way, line: new Path2D(way.line), head: new Path2D(way.head) })),
  }));
  const outlines = data.outlines.map((path) => new Path2D(path));
  const states = data.states.map(({ arrangement, nodes, edges }) => ({
    ...arrangements[arrangement],
    nodes: new Map(nodes.map((node) => [node.id, node])),
    edges,
  }));
  let state = states[0];
  let change = null;
  let here = null;
  let found = null;
  let moved = false;
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

  const drawNode = (ctx, node, place, opacity) => {
    const look = data.looks[node.role];
    ctx.save();
    ctx.translate(place.x, place.y);
    ctx.globalAlpha = opacity * (found === null || found.has(node.id) ? 1 : 0.25);
    if (node.id === here) {
      const width = place.width + 14, height = place.height + 14;
      ctx.strokeStyle = inks.primary;
      ctx.lineWidth = 4;
      ctx.strokeRect(-width / 2, -height / 2, width, height);
    }
    ctx.fillStyle = inks[node.id === here ? "cs-cursor" : "surface"];
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

  const drawEdge = (ctx, edge, way, opacity) => {
    const look = data.looks[edge.role];
    const lit = way.from === here || way.to === here;
    ctx.globalAlpha = opacity;
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
  };

  const drawLabel = (ctx, edge, way, opacity) => {
    const look = data.looks[edge.role];
    const words = ((look.dash.length ? look.sign + " " : "") + edge.label).trim();
    const [x, y] = way.place;
    ctx.globalAlpha = opacity;
    ctx.lineWidth = 5 + (edge.heavier || 0);
    ctx.strokeStyle = inks.surface;
    ctx.strokeText(words, x, y);
    ctx.fillStyle = inks["cs-plain"];
    ctx.fillText(words, x, y);
  };

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
  const between = (from, to, share) => from + (to - from) * share;

  /* What is on its way from one state to the next: where each node is, and how much of it is seen. */
  const sceneAt = (share) => {
    const nodes = [], edges = [];
    const add = (list, what, where, opacity) => { if (opacity > 0) list.push([what, where, opacity]); };
    const before = share < 1 ? change.before : null;
    const moving = before !== null && before.places !== state.places;
    for (const [id, node] of state.nodes) {
      const to = state.places.get(id), old = before?.nodes.get(id);
      if (!old) { add(nodes, node, to, before ? share : 1); continue; }
      const from = before.places.get(id);
      const place = { ...to, x: between(from.x, to.x, share), y: between(from.y, to.y, share) };
      if (!same(old, node)) add(nodes, old, place, 1 - share);
      add(nodes, node, place, same(old, node) ? 1 : share);
    }
    if (before) {
      for (const [id, old] of before.nodes) {
        if (!state.nodes.has(id)) add(nodes, old, before.places.get(id), 1 - share);
      }
      for (const edge of before.edges) {
        const kept = !moving && state.edges.some((other) => same(edge, other));
        if (!kept) add(edges, edge, before.ways[edge.id], moving ? 1 - 2.5 * share : 1 - share);
      }
    }
    for (const edge of state.edges) {
      const kept = !before || (!moving && before.edges.some((other) => same(edge, other)));
      const opacity = kept ? 1 : moving ? 2.5 * share - 1.5 : share;
      add(edges, edge, state.ways[edge.id], opacity);
    }
    return { nodes, edges };
  };

  const draw = (ctx) => {
    let share = 1;
    if (change) {
      const part = Math.min(1, (performance.now() - change.start) / CHANGE);
      share = part * part * (3 - 2 * part);
    }
    const { nodes, edges } = sceneAt(share);
    ctx.save();
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.lineJoin = "round";
    for (const [edge, way, opacity] of edges) drawEdge(ctx, edge, way, opacity);
    ctx.setLineDash([]);
    ctx.font = "12px" + FONT.slice(4);
    for (const [edge, way, opacity] of edges) drawLabel(ctx, edge, way, opacity);
    ctx.restore();
    for (const [node, place, opacity] of nodes) drawNode(ctx, node, place, opacity);
  };

  const options = data.options;
  const sizeOf = (id) => state.places.get(id) || { width: 0, height: 0 };
  options.nodes = {
    chosen: false,
    ctxRenderer: ({ id }) => ({
      drawNode: () => {},
      nodeDimensions: { width: sizeOf(id).width, height: sizeOf(id).height },
    }),
  };
  readInks();
  const nodes = new vis.DataSet(data.nodes.map(({ id, label, shape, x, y }) => (
    { id, label, shape, x, y })));
  const network = new vis.Network(box, { nodes, edges: new vis.DataSet([]) }, options);
  network.on("beforeDrawing", draw);
  for (const part of box.querySelectorAll("[tabindex]")) part.tabIndex = -1;

  const look = (position, scale, duration = 160) => network.moveTo({
    position, scale,
    animation: still.matches ? false : { duration, easingFunction: "easeOutQuad" },
  });
  const inSight = (place) => {
    const at = network.canvasToDOM({ x: place.x, y: place.y });
    const margin = 40;
    return at.x > margin && at.y > margin
      && at.x < box.clientWidth - margin && at.y < box.clientHeight - margin;
  };
  const select = (id) => {
    here = id;
    if (id !== null && box.clientWidth && !inSight(state.places.get(id))) {
      look({ x: state.places.get(id).x, y: state.places.get(id).y });
    }
    network.redraw();
  };

  const DIRECTIONS = {
    ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1],
  };
  const nearest = (from, [dx, dy]) => {
    let best = null, least = Infinity;
    for (const id of state.nodes.keys()) {
      const to = state.places.get(id);
      const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (ahead <= 1 || id === here) continue;
      const far = ahead + 2 * aside;
      if (far < least) { least = far; best = id; }
    }
    return best;
  };
  const pan = ([dx, dy]) => {
    moved = true;
    const at = network.getViewPosition(), scale = network.getScale();
    look({ x: at.x + 90 * dx / scale, y: at.y + 90 * dy / scale });
  };
  const zoom = (by) => {
    moved = true;
    const scale = Math.min(4, Math.max(0.02, network.getScale() * by));
    look(here === null ? network.getViewPosition() : state.places.get(here), scale);
  };

  const frame = (places, ways) => {
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    const reach = (x, y, width, height) => {
      left = Math.min(left, x - width / 2);
      right = Math.max(right, x + width / 2);
      top = Math.min(top, y - height / 2);
      bottom = Math.max(bottom, y + height / 2);
    };
    for (const { x, y, width, height } of places) reach(x, y, width, height);
    for (const { place: [x, y] } of ways) reach(x, y, 0, 0);
    const scale = Math.min(MOST,
      box.clientWidth / (right - left + 60), box.clientHeight / (bottom - top + 60));
    return { position: { x: (left + right) / 2, y: (top + bottom) / 2 }, scale };
  };
  /* All states together where their letters can be read, so that nothing moves; else this one. */
  const fit = (duration = 0) => {
    moved = false;
    if (!box.clientWidth || !state.nodes.size) return;
    let { position, scale } = frame(state.places.values(), state.ways);
    if (scale < LEAST) {
      const shown = [...state.nodes.keys()].map((id) => state.places.get(id));
      ({ position, scale } = frame(shown, state.edges.map((edge) => state.ways[edge.id])));
    }
    if (duration && !still.matches) look(position, scale, duration);
    else network.moveTo({ position, scale });
  };

  const step = (by) => {
    const ids = [...state.nodes.keys()];
    const at = (here === null ? -1 : ids.indexOf(here)) + by;
    onSelect(ids[Math.min(ids.length - 1, Math.max(0, at))]);
  };
  const KEYS = {
    Home: () => step(-Infinity),
    End: () => step(Infinity),
    PageDown: () => step(1),
    PageUp: () => step(-1),
    Escape: () => onSelect(null),
    "+": () => zoom(1.25),
    "=": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: () => fit(),
  };
  box.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !state.nodes.size) return;
    const direction = DIRECTIONS[event.key];
    if (direction && event.shiftKey) {
      pan(direction);
    } else if (direction) {
      const first = [...state.nodes.keys()][0];
      const next = here === null ? first : nearest(state.places.get(here), direction);
      if (next !== null) onSelect(next);
    } else if (Object.hasOwn(KEYS, event.key)) {
      KEYS[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });
  box.addEventListener("focus", () => {
    if (here === null && state.nodes.size) onSelect([...state.nodes.keys()][0]);
  });
  network.on("click", ({ nodes: [id] }) => {
    onSelect(id !== undefined && state.nodes.has(id) ? id : null);
  });
  network.on("dragEnd", () => { moved = true; });
  network.on("zoom", () => { moved = true; });
  network.on("resize", () => { if (!moved) fit(); });

  const goOn = () => {
    if (change && performance.now() - change.start >= CHANGE) change = null;
    network.redraw();
    if (change) requestAnimationFrame(goOn);
  };
  const show = (number) => {
    const before = state;
    state = states[number];
    if (before === state) return;
    if (here !== null && !state.nodes.has(here)) here = null;
    nodes.update(data.nodes.map(({ id }) => {
      const place = state.places.get(id);
      return state.nodes.has(id) ? { id, x: place.x, y: place.y, hidden: false }
        : { id, hidden: true };
    }));
    const first = change === null;
    change = still.matches ? null : { before, start: performance.now() };
    if (!moved || before.places !== state.places) fit(CHANGE);
    if (change && first) requestAnimationFrame(goOn);
    network.redraw();
  };
  const recolour = () => { readInks(); network.redraw(); };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  fit();
  return {
    show, select, recolour, fit,
    find: (ids) => { found = ids; network.redraw(); },
  };
};
