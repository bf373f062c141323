"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const ROW = 18;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "style") Object.assign(made.style, value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function time(micro) {
  if (micro >= 1e6) return (micro / 1e6).toFixed(2) + " s";
  return (micro / 1e3).toFixed(micro >= 1e5 ? 0 : 1) + " ms";
}
const share = (part, whole = data.total) => whole ? (100 * part / whole).toFixed(1) + " %" : "";

/* ---- methods and the tree ---- */

// The kinds of the legend have colours of their own, far apart from each other; all others are grey.
const HUES = [212, 28, 152, 282, 52, 338, 185, 95];
const SHADES = new Map(Object.keys(data.kinds).map((kind, index) => [kind, HUES[index % HUES.length]]));
const color = (kind, lightness, saturation = 52) =>
  SHADES.has(kind) ? `hsl(${SHADES.get(kind)} ${saturation}% ${lightness}%)` : `hsl(0 0% ${lightness}%)`;
const plural = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

const methods = data.frames.map(([name, path, line, kind, lines], number) => ({
  number, name, path, line, kind, lines, own: 0, total: 0, match: false,
  searched: [name, path, kind].join("\n").toLowerCase(),
}));
const ROOT = { name: "all", path: null, line: null, kind: "other", lines: [], searched: "", match: false };

// Children are widest first; a node's place is a share of the whole.
function arrange(nodes) {
  for (let at = nodes.length - 1; at > 0; at--) {
    nodes[at].total += nodes[at].own;
    nodes[at].parent.total += nodes[at].total;
  }
  nodes[0].total += nodes[0].own;
  const whole = Math.max(nodes[0].total, 1);
  const rows = [];
  const visit = [nodes[0]];
  nodes[0].left = 0;
  while (visit.length > 0) {
    const node = visit.pop();
    node.width = node.total / whole;
    (rows[node.depth] ||= []).push(node);
    node.children.sort((one, other) => other.total - one.total);
    let left = node.left;
    for (const child of node.children) {
      child.left = left;
      left += child.total / whole;
    }
    visit.push(...node.children);
  }
  for (const row of rows) row.sort((one, other) => one.left - other.left);
  return { root: nodes[0], nodes, rows };
}

function node(parent, method) {
  const made = { parent, method, own: 0, total: 0, children: [], depth: parent ? parent.depth + 1 : 0 };
  if (parent) parent.children.push(made);
  return made;
}

function outward() {
  const nodes = [];
  for (let at = 0; at < data.nodes.length; at += 3) {
    const made = node(at === 0 ? null : nodes[data.nodes[at]], at === 0 ? ROOT : methods[data.nodes[at + 1]]);
    made.own = data.nodes[at + 2];
    nodes.push(made);
  }
  return arrange(nodes);
}

// Each stack turned round: the leaves are outermost, their callers below them.
function inward() {
  const root = node(null, ROOT);
  const nodes = [root];
  const known = new Map();
  for (const leaf of forward.nodes) {
    if (leaf.own === 0 || leaf.parent === null) continue;
    let at = root;
    for (let one = leaf; one.parent !== null; one = one.parent) {
      if (!known.has(at)) known.set(at, new Map());
      const children = known.get(at);
      if (!children.has(one.method)) {
        const made = node(at, one.method);
        children.set(one.method, made);
        nodes.push(made);
      }
      at = children.get(one.method);
    }
    at.own += leaf.own;
  }
  return arrange(nodes);
}

const forward = outward();
let inverted = null;
let tree = forward;
let focus = tree.root;
let selected = null;
let query = "";

// Of a method: its own time, and the time with it anywhere in the stack, each stack once.
(function sum(start) {
  const active = new Map();
  const visit = [[start, false]];
  while (visit.length > 0) {
    const [one, left] = visit.pop();
    const { method } = one;
    if (left) { active.set(method, active.get(method) - 1); continue; }
    if (method !== ROOT) {
      method.own += one.own;
      if (!active.get(method)) method.total += one.total;
    }
    active.set(method, (active.get(method) || 0) + 1);
    visit.push([one, true], ...one.children.map((child) => [child, false]));
  }
})(forward.root);

/* ---- drawing ---- */

const canvas = document.querySelector("canvas");
const dark = () => document.documentElement.dataset.theme === "dark";
const height = () => (tree.rows.length + 1) * ROW;

// Pixels of a node while `focus` takes the whole width; its callers do too.
function place(one, width) {
  const scale = width / focus.width;
  if (one.depth < focus.depth) return caller(one) ? [0, width] : null;
  const left = (one.left - focus.left) * scale;
  const right = left + one.width * scale;
  return right <= 0 || left >= width ? null : [Math.max(left, 0), Math.min(right, width)];
}

function caller(one) {
  let at = focus;
  while (at !== null && at !== one) at = at.parent;
  return at === one;
}

function draw() {
  const width = canvas.parentElement.clientWidth || 800;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height() * ratio);
  canvas.style.height = height() + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height());
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (const row of tree.rows) {
    let edge = -1; // what is narrower than a pixel beside the last one is not drawn
    for (const one of row) {
      const found = place(one, width);
      if (!found || (found[1] - found[0] < 0.4 && found[1] - edge < 0.4)) continue;
      edge = found[1];
      box(context, one, ...found);
    }
  }
  byId("flames").dataset.focus = focus.method.name;
  byId("flames").dataset.inverted = tree === inverted;
  crumbs();
}

function box(context, one, left, right) {
  const top = one.depth * ROW;
  const { method } = one;
  const faint = (query && !method.match) || one.depth < focus.depth;
  const light = dark() ? (faint ? 22 : 38) : (faint ? 92 : 76);
  context.fillStyle = query && method.match ? (dark() ? "#a3386b" : "#f7b3cf")
    : color(method.kind, light, faint ? 8 : 52);
  context.fillRect(left, top, Math.max(right - left - 0.5, 0.5), ROW - 1);
  if (one === selected) {
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
    context.lineWidth = 2;
    context.strokeRect(left + 1, top + 1, Math.max(right - left - 2, 1), ROW - 3);
  }
  const room = right - left - 6;
  if (room < 26) return;
  context.fillStyle = dark() ? "#f1f3f5" : "#14171a";
  const fitting = Math.floor(room / 5.6);
  const { name } = method;
  context.fillText(name.length > fitting ? name.slice(0, Math.max(fitting - 1, 1)) + "…" : name, left + 3, top + ROW / 2);
}

function crumbs() {
  const path = [];
  for (let at = focus; at !== null; at = at.parent) path.unshift(at);
  const shown = path.length > 5 ? [path[0], null, ...path.slice(-3)] : path;
  byId("crumbs").replaceChildren(shown.map((one) => one ? one.method.name : "…").join(" › ") +
    ` — ${time(focus.total)}, ${share(focus.total)}`);
}

/* ---- moving about ---- */

function zoom(one) {
  focus = one || tree.root;
  select(one === tree.root ? null : one);
}

function select(one) {
  selected = one;
  byId("detail").replaceChildren(...(one ? facts(one) : []));
  draw();
  if (one) reveal(one);
}

function reveal(one) {
  const area = byId("flames");
  const top = one.depth * ROW;
  if (top < area.scrollTop) area.scrollTop = top;
  if (top + ROW > area.scrollTop + area.clientHeight) area.scrollTop = top + ROW - area.clientHeight;
}

function facts(one) {
  const { method } = one;
  const where = method.path ? method.path + (method.line ? ":" + method.line : "") : method.kind;
  const lines = [];
  for (let at = 0; at < method.lines.length; at += 2) lines.push([method.lines[at], method.lines[at + 1]]);
  lines.sort((first, second) => second[1] - first[1]);
  return [element("b", {}, method.name), " ", element("code", {}, where),
    element("div", { class: "soft" }, `here: own ${time(one.own)} (${share(one.own)}), ` +
      `total ${time(one.total)} (${share(one.total)})` +
      (method === ROOT ? "" : ` · everywhere: own ${time(method.own)}, total ${time(method.total)}`)),
    lines.length > 0 ? element("div", { class: "soft" }, "own time by line: " +
      lines.slice(0, 6).map(([line, own]) => `${line}: ${time(own)}`).join(", ")) : ""];
}

function all() {
  focus = tree.root;
  select(null);
}

function turn() {
  inverted ||= inward();
  tree = tree === forward ? inverted : forward;
  byId("inverted").setAttribute("aria-pressed", tree === inverted);
  all();
}

function neighbour(step) {
  if (!selected) return select(tree.root.children[0] || null);
  const row = tree.rows[selected.depth].filter((one) => place(one, 1000) !== null);
  select(row[row.indexOf(selected) + step] || selected);
}

const KEYS = { "0": all, Escape: all, i: turn, "-": () => zoom(focus.parent || tree.root),
  Enter: () => selected && zoom(selected),
  ArrowUp: () => select(selected ? (selected.parent || selected) : tree.root),
  ArrowDown: () => select(selected ? (selected.children[0] || selected) : (focus.children[0] || focus)),
  ArrowLeft: () => neighbour(-1), ArrowRight: () => neighbour(1), "/": () => byId("search").focus() };

document.addEventListener("keydown", (event) => {
  if (event.target === byId("search")) {
    if (event.key === "Escape") { event.target.value = ""; search(""); event.target.blur(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  if (event.key === "Enter" && event.target.tagName === "BUTTON") return;
  event.preventDefault();
  KEYS[event.key]();
});

function under(event) {
  const area = canvas.getBoundingClientRect();
  const row = tree.rows[Math.floor((event.clientY - area.top) / ROW)] || [];
  const left = event.clientX - area.left;
  return row.find((one) => {
    const found = place(one, area.width);
    return found && found[0] <= left && left < Math.max(found[1], found[0] + 1);
  }) || null;
}

canvas.addEventListener("click", (event) => {
  const one = under(event);
  if (one) zoom(one);
});
canvas.addEventListener("pointermove", (event) => {
  const one = under(event);
  const tip = byId("tip");
  tip.hidden = !one;
  if (!one) return;
  tip.replaceChildren(...facts(one));
  tip.style.left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8) + "px";
  tip.style.top = Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8) + "px";
});
canvas.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
byId("out").addEventListener("click", () => zoom(focus.parent || tree.root));
byId("reset").addEventListener("click", all);
byId("inverted").addEventListener("click", turn);

// Time with a method that matches anywhere in the stack, each stack once.
function search(text) {
  query = text.trim().toLowerCase();
  let count = 0;
  for (const method of methods) {
    method.match = query !== "" && method.searched.includes(query);
    if (method.match && (method.own || method.total)) count += 1;
  }
  let total = 0;
  const visit = query ? [forward.root] : [];
  while (visit.length > 0) {
    const one = visit.pop();
    if (one.method.match) total += one.total;
    else visit.push(...one.children);
  }
  byId("found").textContent = query ? `${count} found, in ${time(total)} (${share(total)})` : "";
  draw();
}
byId("search").addEventListener("input", (event) => search(event.target.value));

/* ---- facts and the table ---- */

function aboutRecording() {
  const { facts } = data;
  const gc = facts.gc || {};
  byId("runs").append(element("article", { class: "run" },
    element("div", { class: "soft" }, facts.mode === "wall" ? "wall time of all threads" : "CPU time"),
    element("b", {}, time(data.total)),
    element("div", {}, `${plural(data.samples, "sample")} by ${facts.profiler} in ${(facts.seconds || 0).toFixed(1)} s` +
      (facts.missed ? `, ${facts.missed} missed` : "")),
    element("div", {}, gc.runs === undefined ? "" : `${plural(gc.runs, "garbage collection")} in ` +
      `${gc.milliseconds} ms, ${plural(gc.objects, "object")} allocated`),
    element("code", {}, facts.command || ""),
    element("div", { class: "soft" }, [facts.ruby, facts.pid ? "process " + facts.pid : null,
      facts.started ? new Date(facts.started * 1000).toISOString() : null].filter(Boolean).join("; "))));
  byId("legend").append(...Object.entries(data.kinds).map(([kind, own]) => element("span", {},
    element("span", { class: "swatch", style: { background: color(kind, 60) } }),
    `${kind} ${share(own)}`)));
}

function aboutMethods() {
  const most = [...methods].filter((one) => one.own > 0).sort((one, other) => other.own - one.own).slice(0, 50);
  const head = element("tr", {}, ...[["own", "number"], ["", ""], ["total", "number"], ["", "number"], ["method", ""],
    ["file", "path"]].map(([name, kind]) => element("th", { class: kind }, name)));
  const rows = most.map((one) => {
    const row = element("tr", { tabindex: "0" }, element("td", { class: "number" }, time(one.own)),
      element("td", {}, element("span", { class: "meter", style: { width: 120 * one.own / most[0].own + "px" } })),
      element("td", { class: "number" }, time(one.total)), element("td", { class: "number" }, share(one.own)),
      element("td", {}, one.name), element("td", { class: "path" }, one.path ? one.path + (one.line ? ":" + one.line : "") : one.kind));
    const show = () => { byId("search").value = one.name; search(one.name); };
    row.addEventListener("click", show);
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.stopPropagation(); show(); } });
    return row;
  });
  byId("top").append(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

/* ---- dark and light ---- */

const system = window.matchMedia("(prefers-color-scheme: dark)");
function theme(name) {
  document.documentElement.dataset.theme = name;
  draw();
}
system.addEventListener("change", (event) => theme(event.matches ? "dark" : "light"));
byId("theme").addEventListener("click", () => theme(dark() ? "light" : "dark"));

aboutRecording();
aboutMethods();
theme(system.matches ? "dark" : "light");
let resized = 0;
new ResizeObserver(() => {
  const width = canvas.parentElement.clientWidth;
  if (width !== resized) requestAnimationFrame(draw);
  resized = width;
}).observe(byId("flames"));
