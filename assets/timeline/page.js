// The page of --timeline: plain JavaScript, no library. A run is a canvas: a strip of how many processors were busy,
// then a row for each thread of a phase; all canvases share one window of time.
const runs = JSON.parse(document.getElementById("data").textContent).runs.map(read);
const PHASES = { fetch: "fetched", unpack: "unpacked", link: "linked", build: "built" };
const DOING = { fetch: "fetching", unpack: "unpacking", link: "linking", build: "building" };
const GUTTER = 104; // labels of the phases, left of the rows
const RULER = 20;
const STRIP = 38; // processors
const GAP = 12; // between phases
const SHOWN = 10; // of the longest

function time(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds === 0) return "0";
  if (seconds >= 100) return Math.floor(seconds / 60) + ":" + String(Math.floor(seconds % 60)).padStart(2, "0") + " min";
  if (seconds >= 1) return seconds.toFixed(seconds >= 10 ? 1 : 2) + " s";
  const ms = seconds * 1000;
  return ms.toFixed(ms >= 99.95 ? 0 : ms >= 10 ? 1 : 2) + " ms";
}

function bytes(count) {
  if (count === null || count === undefined) return "";
  if (count < 1000) return count + " B";
  let value = count;
  const unit = ["kB", "MB", "GB"].find(() => (value /= 1000) < 999.95) || "GB";
  return value.toFixed(1) + " " + unit;
}
const number = (count) => count.toLocaleString("en");
const plural = (count, noun) => number(count) + " " + noun + (count === 1 ? "" : "s");

/* ---- what a run's data says ---- */

function read(run) {
  const spans = run.spans.map(([name, gem, phase, lane, start, seconds, size, files], index) => ({ index, name, gem,
    phase, lane, start, seconds, end: start + seconds, bytes: size, files, match: false, searched: name.toLowerCase() }));
  const rows = run.lanes.map(([phase]) => ({ phase, spans: [] }));
  for (const span of spans) rows[span.lane].spans.push(span);
  return { ...run, spans, rows };
}

// What of a phase's end had only one thing left to do: { seconds, name }.
function tail(spans) {
  if (spans.length < 2) return null;
  let last = spans[0];
  for (const span of spans) if (span.end > last.end) last = span;
  let other = last.start;
  for (const span of spans) if (span !== last && span.end > other) other = span.end;
  return { seconds: Math.max(last.end - other, 0), span: last };
}

function phases(run) {
  return Object.keys(PHASES).map((phase) => {
    const spans = run.spans.filter((span) => span.phase === phase);
    if (spans.length === 0) return null;
    const from = spans.reduce((least, span) => Math.min(least, span.start), Infinity);
    const to = spans.reduce((most, span) => Math.max(most, span.end), 0);
    return { phase, spans, from, to, wall: to - from, work: spans.reduce((sum, span) => sum + span.seconds, 0),
      threads: run.rows.filter((row) => row.phase === phase).length, tail: tail(spans),
      bytes: spans.reduce((sum, span) => sum + (span.bytes || 0), 0) };
  }).filter(Boolean);
}

const main = runs[runs.length - 1]; // this run; an earlier one is before it
for (const run of runs) run.phases = phases(run);
const whole = Math.max(...runs.map((run) => run.seconds), 0.001);
const view = { from: 0, to: whole };
const hidden = new Set();
let selected = null; // a span
let query = "";

/* ---- drawing ---- */

const charts = runs.map((run) => {
  const canvas = element("canvas", { tabindex: "0", role: "img", "aria-label": spoken(run) });
  const caption = runs.length > 1 ? element("p", { class: "caption" }, element("code", {}, run.command), " ",
    element("span", { class: "soft" }, time(run.seconds))) : null;
  byId("charts").append(element("div", { class: "chart" }, caption, canvas));
  return { run, canvas };
});

function spoken(run) {
  const parts = run.phases.map((one) => `${PHASES[one.phase]} ${plural(one.spans.length, "time")} from ` +
    `${time(one.from)} to ${time(one.to)} on ${plural(one.threads, "row")}`);
  return `Timeline of ${run.command}, ${time(run.seconds)}: ${parts.join("; ") || "nothing was done"}. ` +
    "The tables below have the same as text.";
}

// Positions the rows again after a phase was hidden.
function arrange(chart) {
  let top = RULER + STRIP + GAP;
  chart.groups = [];
  for (const phase of Object.keys(PHASES)) {
    const rows = chart.run.rows.filter((row) => row.phase === phase);
    if (rows.length === 0 || hidden.has(phase)) continue;
    const height = rows.length <= 8 ? 22 : rows.length <= 16 ? 15 : rows.length <= 40 ? 9 : 4;
    chart.groups.push({ phase, top, height: rows.length * height });
    for (const row of rows) { row.top = top; row.height = height; top += height; }
    top += GAP;
  }
  chart.height = top;
}

let colors = {};
function recolor() {
  const style = getComputedStyle(document.documentElement);
  colors = Object.fromEntries(["text", "soft", "line", "stripe", "card", "mark", "load", "own", ...Object.keys(PHASES)]
    .map((name) => [name, style.getPropertyValue("--" + name).trim()]));
}

let due = false;
function draw() {
  byId("charts").dataset.from = view.from;
  byId("charts").dataset.to = view.to;
  byId("range").textContent = time(view.from) + " – " + time(view.to);
  if (due) return;
  due = true;
  requestAnimationFrame(() => { due = false; charts.forEach(paint); });
}

function paint(chart) {
  const { canvas, height } = chart;
  const width = canvas.clientWidth || 800;
  const context = blank(canvas, width, height);
  const scale = (width - GUTTER - 14) / (view.to - view.from);
  const place = { context, width, scale, x: (at) => GUTTER + (at - view.from) * scale };
  ruler(place, height);
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, width - GUTTER, height);
  context.clip();
  processors(place, chart.run);
  marks(place, chart);
  for (const row of chart.run.rows) if (!hidden.has(row.phase)) line(place, row);
  own(place, chart);
  for (const row of chart.run.rows) if (!hidden.has(row.phase)) outlines(place, row);
  context.restore();
  labels(place, chart);
}

function ruler({ context, width, scale, x }, height) {
  const step = spacing(scale);
  context.font = "11px system-ui, sans-serif";
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    if (x(at) < GUTTER - 0.5) continue;
    context.fillStyle = colors.line;
    context.fillRect(x(at), RULER, 1, height - RULER);
    context.fillStyle = colors.soft;
    context.textAlign = x(at) > width - 60 ? "right" : "left";
    context.fillText(step < 0.001 ? (at * 1000).toFixed(2) + " ms" : step < 1 && view.to < 1
      ? (at * 1000).toFixed(0) + " ms" : at.toFixed(step < 0.1 ? 2 : step < 1 ? 1 : 0) + " s", x(at), RULER / 2);
  }
  context.textAlign = "left";
}

function processors({ context, x }, run) {
  const most = Math.max(run.processors, ...run.load.map(([, busy]) => busy));
  const base = RULER + STRIP;
  context.fillStyle = colors.load;
  context.beginPath();
  context.moveTo(x(0), base);
  let before = 0;
  for (const [at, busy] of run.load) {
    const top = base - Math.min(busy / most, 1) * (STRIP - 4);
    context.lineTo(x(before), top);
    context.lineTo(x(at), top);
    before = at;
  }
  context.lineTo(x(before), base);
  context.fill();
  context.fillStyle = colors.line;
  context.fillRect(GUTTER, base, 1e5, 1);
}

// Before the first gem or package and after the last one, for what has no rows: the time is Spate's own.
function ownTimes(run) {
  const first = run.spans.reduce((least, span) => Math.min(least, span.start), run.seconds);
  const last = run.spans.reduce((most, span) => Math.max(most, span.end), 0);
  return [{ name: "planning", from: 0, to: first }, { name: "finishing", from: Math.max(first, last), to: run.seconds }]
    .filter((one) => one.to > one.from);
}

function own({ context, x }, chart) {
  const top = RULER + STRIP + GAP;
  context.font = "11px system-ui, sans-serif";
  for (const one of ownTimes(chart.run)) {
    const left = x(one.from);
    const width = x(one.to) - left;
    context.fillStyle = colors.own;
    context.fillRect(left, top, width, Math.max(chart.height - top - GAP, 1));
    context.fillStyle = colors.soft;
    const from = Math.max(left, GUTTER) + 6;
    if (context.measureText(one.name).width + 8 < x(one.to) - from) context.fillText(one.name, from, top + 10);
  }
}

function marks({ context, x }, chart) {
  const last = chart.run.seconds;
  for (const [at] of [...chart.run.marks, [last]]) {
    context.fillStyle = at === last ? colors.mark : colors.text;
    for (let top = RULER; top < chart.height; top += 6) context.fillRect(x(at), top, 1, 3);
  }
}

const shown = (span) => !query || span.match;

function line({ context, width, scale, x }, row) {
  const { top, height } = row;
  context.fillStyle = colors.stripe;
  context.fillRect(GUTTER, top, width, height - 1);
  const edges = [-1, -1]; // of what is faint, and of the rest: what adds less than half a pixel is there already
  for (const span of row.spans) {
    if (span.end < view.from || span.start > view.to) continue;
    const left = x(span.start);
    const right = Math.max(left + span.seconds * scale, left + 0.7);
    const clear = shown(span);
    if (right <= edges[Number(clear)] + 0.5) continue;
    edges[Number(clear)] = right;
    context.globalAlpha = clear ? (span.gem ? 1 : 0.82) : 0.13;
    context.fillStyle = colors[span.phase];
    const from = Math.max(left, GUTTER - 4);
    const to = Math.min(right, width + 4);
    context.fillRect(from, top, Math.max(to - from - (to - from > 3 ? 0.6 : 0), 0.7), height - 1);
    if (height >= 15 && to - from > 34) title(context, span, from, to, top + height / 2);
  }
  context.globalAlpha = 1;
}

function title(context, span, left, right, middle) {
  const room = right - Math.max(left, GUTTER) - 10;
  context.font = "11px system-ui, sans-serif";
  const fitting = Math.floor(room / 5.8);
  if (fitting < 4) return;
  const text = span.name.length > fitting ? span.name.slice(0, fitting - 1) + "…" : span.name;
  context.fillStyle = dark() ? "#0d1014" : "#fff";
  context.fillText(text, Math.max(left, GUTTER) + 5, middle);
}

// All that was done to what is selected.
function outlines({ context, scale, x }, row) {
  if (!selected) return;
  context.strokeStyle = colors.mark;
  context.lineWidth = 2;
  for (const span of row.spans) {
    if (span.name !== selected.name || span.gem !== selected.gem) continue;
    context.strokeRect(x(span.start) - 1, row.top - 1, Math.max(span.seconds * scale, 2) + 2, row.height + 1);
  }
}

function labels({ context }, chart) {
  context.font = "600 12px system-ui, sans-serif";
  context.fillStyle = colors.soft;
  context.fillText(plural(chart.run.processors, "processor"), 14, RULER + STRIP / 2 + 2);
  for (const group of chart.groups) {
    context.fillStyle = colors[group.phase];
    context.fillRect(14, group.top, 3, group.height - 1);
    context.fillStyle = colors.text;
    context.fillText(PHASES[group.phase], 24, group.top + Math.min(group.height / 2, 40));
  }
}

/* ---- moving about ---- */

const still = window.matchMedia("(prefers-reduced-motion: reduce)");
let flight = 0;

function bounds(from, to) {
  const span = Math.min(Math.max(to - from, whole / 1e5), whole);
  const start = Math.min(Math.max(from, 0), whole - span);
  return [start, start + span];
}

function show(from, to) {
  flight += 1;
  [view.from, view.to] = bounds(from, to);
  draw();
}

// The same, in an eighth of a second.
function glide(from, to) {
  if (still.matches) return show(from, to);
  const [endFrom, endTo] = bounds(from, to);
  const begin = { ...view };
  const mine = flight += 1;
  const started = performance.now();
  (function step() {
    if (mine !== flight) return;
    const part = Math.min((performance.now() - started) / 125, 1);
    const eased = part === 1 ? 1 : 1 - (1 - part) ** 3;
    view.from = begin.from + (endFrom - begin.from) * eased;
    view.to = begin.to + (endTo - begin.to) * eased;
    draw();
    if (part < 1) requestAnimationFrame(step);
  })();
}

function zoom(factor, at = (view.from + view.to) / 2, go = glide) {
  go(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function move(part, go = glide) {
  const by = (view.to - view.from) * part;
  go(view.from + by, view.to + by);
}

function all() {
  select(null);
  glide(0, whole);
}

function select(span) {
  selected = span;
  byId("detail").replaceChildren(...(span ? story(span) : []));
  draw();
}

function focusOn(span) {
  if (!span) return;
  select(span);
  glide(span.start - span.seconds * 0.1, span.end + span.seconds * 0.1);
}

// "core-js@3.8.3 package: fetched in 120 ms, from 0.31 s to 0.43 s (0.9 MB); unpacked in ..."
function story(span) {
  const run = runs.find((one) => one.spans.includes(span));
  const order = Object.keys(PHASES);
  const done = run.spans.filter((one) => one.name === span.name && one.gem === span.gem)
    .sort((one, other) => order.indexOf(one.phase) - order.indexOf(other.phase));
  const parts = done.map((one) => {
    const facts = [bytes(one.bytes), one.files ? plural(one.files, "file") : ""].filter(Boolean).join(", ");
    return `${PHASES[one.phase]} in ${time(one.seconds)}, from ${time(one.start)} to ${time(one.end)}` +
      (facts ? ` (${facts})` : "");
  });
  return [element("b", {}, span.name), " ", element("span", { class: "soft" }, span.gem ? "gem" : "package"),
    element("div", {}, parts.join("; "))];
}

function moment(canvas, event) {
  const area = canvas.getBoundingClientRect();
  return view.from + (event.clientX - area.left - GUTTER) / (area.width - GUTTER - 14) * (view.to - view.from);
}

function under(chart, event) {
  const area = chart.canvas.getBoundingClientRect();
  const top = event.clientY - area.top;
  const row = chart.run.rows.find((one) => !hidden.has(one.phase) && one.top <= top && top < one.top + one.height);
  if (!row) return null;
  const at = moment(chart.canvas, event);
  const slack = 2 * (view.to - view.from) / area.width;
  let best = null;
  for (const span of row.spans) {
    if (span.start > at + slack) break;
    const away = Math.max(span.start - at, at - span.end, 0);
    if (away <= slack && (!best || away <= best.away)) best = { span, away };
  }
  return best && best.span;
}

for (const chart of charts) {
  const { canvas } = chart;
  gestures(canvas, { at: (event) => moment(canvas, event), inner: () => canvas.clientWidth - GUTTER - 14,
    choose: (event) => select(under(chart, event)), hover: (event) => hover(chart, event) });
  canvas.addEventListener("dblclick", (event) => focusOn(under(chart, event)));
}

function hover(chart, event) {
  const span = under(chart, event);
  const tip = byId("tip");
  tip.hidden = !span;
  if (!span) return;
  const facts = [bytes(span.bytes), span.files ? plural(span.files, "file") : ""].filter(Boolean).join(", ");
  tip.textContent = `${span.name}\n${PHASES[span.phase]} in ${time(span.seconds)}` + (facts ? ` · ${facts}` : "") +
    `\n${time(span.start)} – ${time(span.end)}`;
  tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 10) + "px";
  tip.style.top = Math.min(event.clientY + 18, window.innerHeight - tip.offsetHeight - 10) + "px";
}

// Through what is shown, the longest first.
function step(by) {
  const spans = main.spans.filter((span) => !hidden.has(span.phase) && shown(span))
    .sort((one, other) => other.seconds - one.seconds);
  if (spans.length === 0) return;
  const at = spans.indexOf(selected);
  select(spans[at < 0 ? 0 : Math.min(Math.max(at + by, 0), spans.length - 1)]);
}

controls({ ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => focusOn(selected) });

byId("search").addEventListener("input", (event) => {
  query = event.target.value.trim().toLowerCase();
  let seconds = 0;
  const names = new Set();
  for (const run of runs) {
    for (const span of run.spans) {
      span.match = query !== "" && span.searched.includes(query);
      if (span.match && run === main) { seconds += span.seconds; names.add(span.name); }
    }
  }
  byId("found").textContent = query ? `${number(names.size)} found, ${time(seconds)} of work` : "";
  draw();
});

/* ---- text ---- */

const swatch = (phase) => element("span", { class: "swatch", style: { background: `var(--${phase})` } });

function aboutRuns() {
  byId("runs").append(...runs.map((run) => element("article", { class: "run" },
    element("code", {}, run.command), element("b", {}, time(run.seconds)), element("div", {}, run.summary),
    element("div", { class: "soft" }, `${plural(run.processors, "processor")} · Spate ${run.spate} · ruby ${run.ruby} · ` +
      new Date(run.at * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC"))));
}

// Phases at whose end all threads but one had nothing to do, where that is worth a word: the longest first.
function aboutTail() {
  const least = Math.max(0.02 * main.seconds, 0.01);
  const known = main.phases.filter((one) => one.phase !== "link" && one.tail);
  const tails = known.filter((one) => one.tail.seconds >= least)
    .sort((one, other) => other.tail.seconds - one.tail.seconds);
  if (known.length === 0) return;
  if (tails.length === 0) return byId("tail").append("No tail: each phase had work for all its threads to its end.");
  tails.forEach((one, index) => byId("tail").append(index === 0 ? "The last " : index === tails.length - 1
    ? ", and the last " : ", the last ", element("b", {}, time(one.tail.seconds)), ` of ${DOING[one.phase]} `,
    index === 0 ? "were " : "", element("b", {}, one.tail.span.name), index === 0 ? " alone" : ""));
  byId("tail").append(".");
}

function aboutComparison() {
  if (runs.length < 2) return;
  const unpacked = runs.map((run) => run.phases.find((one) => one.phase === "unpack"));
  if (unpacked.some((one) => !one)) return;
  byId("compared").hidden = false;
  const most = Math.max(...unpacked.map((one) => one.wall));
  const bars = unpacked.flatMap((one, index) => {
    const left = one.tail ? one.tail.seconds : 0;
    return [element("code", {}, runs[index].command),
      element("div", { class: "bar", role: "img", "aria-label": `${time(one.wall)}, the last ${time(left)} one alone`,
        style: { width: 100 * one.wall / most + "%" } }, element("i", { style: { width: 100 * left / one.wall + "%" } })),
      element("span", { class: "number" }, time(one.wall))];
  });
  const ends = unpacked.map((one) => one.tail
    ? `${time(one.tail.seconds)} (${one.tail.span.name} alone)` : "none").join(" against ");
  const [before, now] = unpacked;
  byId("comparison").append(...[element("div", { class: "bars" }, ...bars), element("p", {},
    element("b", {}, `${(before.wall / now.wall).toFixed(2)} times`), ` as fast, on ${plural(main.processors, "processor")}. ` +
    `The tail: ${ends}.`), longestOfBoth(before, now)].filter(Boolean));
}

// The packages that took longest in the earlier run, and what they took in this one.
function longestOfBoth(before, now) {
  const times = new Map(now.spans.map((span) => [span.name, span.seconds]));
  const rows = [...before.spans].filter((span) => times.has(span.name)).sort((a, b) => b.seconds - a.seconds)
    .slice(0, 5).map((span) => [span.name, span.files ? number(span.files) : "", time(span.seconds),
      time(times.get(span.name)), (span.seconds / Math.max(times.get(span.name), 1e-6)).toFixed(2) + "×"]);
  return rows.length ? table([["the longest", ""], ["files", "number"], [runs[0].command, "number"],
    [main.command, "number"], ["", "number"]], rows) : null;
}

function aboutPhases() {
  const heads = [["phase", ""], ...(runs.length > 1 ? [["run", ""]] : []), ["done", "number"], ["from – to", "number"],
    ["lasted", "number"], ["work in all", "number"], ["rows", "number"], ["at once", "number"], ["bytes", "number"],
    ["its end", ""]];
  const rows = runs.flatMap((run) => run.phases.map((one) => [
    element("span", {}, swatch(one.phase), PHASES[one.phase]),
    ...(runs.length > 1 ? [element("code", {}, run.command)] : []), number(one.spans.length),
    `${time(one.from)} – ${time(one.to)}`, time(one.wall), time(one.work), one.threads,
    one.wall ? (one.work / one.wall).toFixed(1) : "", one.bytes ? bytes(one.bytes) : "",
    one.tail && one.tail.seconds >= 0.001 ? `the last ${time(one.tail.seconds)}: ${one.tail.span.name}` : ""]));
  byId("phases").append(rows.length ? table(heads, rows) : element("p", { class: "soft" }, "Nothing was done."));
  const own = ownTimes(main).filter((one) => one.to - one.from >= 0.02 * main.seconds);
  if (own.length > 0 && rows.length > 0) {
    byId("phases").append(element("p", { class: "soft" }, own.map((one) => one.name === "planning"
      ? `Planning (settings, lockfile, installed gems and packages): the first ${time(one.to)}.`
      : `Finishing (records and executables): the last ${time(one.to - one.from)}.`).join(" ")));
  }
  const marks = main.marks.map(([at, text]) => `${text} at ${time(at)}`);
  if (marks.length > 0) byId("phases").append(element("p", { class: "soft" }, `Dashed lines: ${marks.join(" · ")}.`));
}

function aboutLongest() {
  for (const one of main.phases) {
    if (one.phase === "link" && one.spans.length < 2) continue;
    const longest = [...one.spans].sort((a, b) => b.seconds - a.seconds).slice(0, SHOWN);
    const most = longest[0].seconds || 1;
    byId("longest").append(element("section", { class: "list", "aria-label": "Longest " + PHASES[one.phase] },
      element("h3", {}, swatch(one.phase), PHASES[one.phase]),
      element("ol", {}, ...longest.map((span) => element("li", {},
        element("button", { type: "button", title: span.name, click: () => {
          focusOn(span);
          byId("charts").scrollIntoView({ block: "nearest" });
        } }, element("span", { class: "name" }, span.name), element("span", { class: "number" }, time(span.seconds)),
        element("span", { class: "meter", style: { width: 100 * span.seconds / most + "%",
          background: `var(--${one.phase})` } })))))));
  }
  byId("longest").parentElement.hidden = !byId("longest").hasChildNodes();
}

function aboutLegend() {
  for (const phase of Object.keys(PHASES)) {
    if (!runs.some((run) => run.phases.some((one) => one.phase === phase))) continue;
    const button = element("button", { type: "button", "aria-pressed": "true", click: () => {
      if (!hidden.delete(phase)) hidden.add(phase);
      button.setAttribute("aria-pressed", String(!hidden.has(phase)));
      charts.forEach(arrange);
      draw();
    } }, swatch(phase), PHASES[phase]);
    byId("legend").append(button);
  }
}

aboutRuns();
aboutTail();
aboutComparison();
aboutLegend();
aboutPhases();
aboutLongest();
charts.forEach(arrange);
colored(() => {
  recolor();
  draw();
});
new ResizeObserver(draw).observe(byId("charts"));
