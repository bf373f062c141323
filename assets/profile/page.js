// The page of `spate boot profile`: plain JavaScript, no library. Frames are drawn on a canvas for each run; all
// share one window of time.
const runs = JSON.parse(document.getElementById("data").textContent).runs;
const ROW = 18;
const COLORS = { start: "#8892a0", setup: "#7e57c2", find: "#26a69a", load: "#42a5f5", gc: "#ef5350",
  initializers: "#ffa726", run: "#66bb6a", program: "#bdbdbd" };

function time(micro) {
  if (micro === null || micro === undefined) return "";
  if (Math.abs(micro) >= 1e6) return (micro / 1e6).toFixed(2) + " s";
  return (micro / 1e3).toFixed(micro >= 1e5 ? 0 : micro >= 1e4 ? 1 : 2) + " ms";
}
const share = (part, whole) => whole ? (100 * part / whole).toFixed(1) + " %" : "";
const megabytes = (bytes) => bytes ? Math.round(bytes / 1e6) + " MB" : "";

/* ---- the frames of a run ---- */

function decode(run) {
  const texts = run.texts;
  const at = Object.fromEntries(run.columns.map((name, index) => [name, index]));
  const text = (row, name) => row[at[name]] === null ? null : texts[row[at[name]]];
  const frames = run.frames.map((row, number) => ({
    number, parent: row[at.parent], kind: text(row, "kind"), name: text(row, "name"), path: text(row, "path"),
    gem: text(row, "gem"), start: row[at.start], wall: row[at.wall], own: row[at.own], cpu: row[at.cpu],
    gc: row[at.gc], find: row[at.find], load: row[at.load], outcome: text(row, "outcome"), children: [],
    depth: 0, match: false,
  }));
  let depth = 0;
  for (const frame of frames) {
    if (frame.parent !== null) {
      frame.depth = frames[frame.parent].depth + 1;
      frames[frame.parent].children.push(frame);
    }
    depth = Math.max(depth, frame.depth);
    frame.label = label(frame);
    frame.hue = hue(frame.gem || frame.kind);
    frame.searched = [frame.name, frame.path, frame.gem].join("\n").toLowerCase();
  }
  return { run, frames, depth };
}

function label(frame) {
  if (!frame.path || (frame.kind !== "require" && frame.kind !== "load")) return frame.name;
  return frame.path.split("/").slice(-2).join("/");
}

function hue(text) {
  let sum = 7;
  for (const char of text) sum = (sum * 31 + char.codePointAt(0)) % 3600;
  return sum / 10;
}

const decoded = runs.map(decode);
const whole = Math.max(...runs.map((run) => run.wall), 1);
const view = { from: 0, to: whole };
let selected = null;
let query = "";

/* ---- drawing ---- */

const flames = decoded.map((one) => {
  const canvas = element("canvas", { tabindex: "0", role: "img",
    "aria-label": "Timeline of " + one.run.mode + ": " + one.frames.length + " requires, loads, initializers" });
  const box = element("div", { class: "flame" }, canvas);
  const caption = element("p", { class: "caption" }, element("b", {}, one.run.mode), " " + time(one.run.wall));
  byId("flames").append(caption, box);
  return { ...one, canvas, height: (one.depth + 2) * ROW };
});

function draw() {
  for (const flame of flames) paint(flame);
  byId("flames").dataset.from = Math.round(view.from);
  byId("flames").dataset.to = Math.round(view.to);
  byId("range").textContent = time(view.from) + " – " + time(view.to);
}

function paint(flame) {
  const { canvas, height } = flame;
  const width = canvas.parentElement.clientWidth || 800;
  const context = blank(canvas, width, height);
  context.font = "11px system-ui, sans-serif";
  const scale = width / (view.to - view.from);
  ruler(context, width, scale);
  const edge = new Map(); // where the last frame of a row ended: what is narrower than that is not drawn
  for (const frame of flame.frames) {
    const left = (frame.start - view.from) * scale;
    const right = left + frame.wall * scale;
    if (right < 0 || left > width) continue;
    if (right - left < 0.4 && right - (edge.get(frame.depth) ?? -1) < 0.4) continue;
    edge.set(frame.depth, right);
    box(context, frame, Math.max(left, -1), Math.min(right, width + 1));
  }
  end(context, flame.run, scale, height);
}

function box(context, frame, left, right) {
  const top = (frame.depth + 1) * ROW;
  const faint = query && !frame.match;
  const light = dark() ? (faint ? 22 : 38) : (faint ? 92 : 76);
  context.fillStyle = `hsl(${frame.hue} ${faint ? 8 : 52}% ${light}%)`;
  context.fillRect(left, top, Math.max(right - left - 0.5, 0.5), ROW - 1);
  if (frame === selected) {
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
    context.lineWidth = 2;
    context.strokeRect(left + 1, top + 1, Math.max(right - left - 2, 1), ROW - 3);
  }
  const room = right - Math.max(left, 0) - 6;
  if (room < 26) return;
  context.fillStyle = dark() ? "#f1f3f5" : "#14171a";
  const fitting = Math.floor(room / 5.6);
  const text = frame.label.length > fitting ? frame.label.slice(0, Math.max(fitting - 1, 1)) + "…" : frame.label;
  context.fillText(text, Math.max(left, 0) + 3, top + ROW / 2);
}

function ruler(context, width, scale) {
  const step = spacing(scale);
  context.fillStyle = dark() ? "#9aa2ad" : "#667";
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    context.fillRect((at - view.from) * scale, 0, 1, 6);
    context.fillText(time(at), (at - view.from) * scale + 3, ROW / 2);
  }
}

// Where the boot had ended.
function end(context, run, scale, height) {
  const at = run.end && run.end.at;
  if (at === null || at === undefined) return;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--mark");
  context.fillRect((at - view.from) * scale, 0, 1.5, height);
  const left = (at - view.from) * scale + 4;
  context.clearRect(left - 2, 0, context.measureText(run.end.by).width + 4, ROW - 2);
  context.fillText(run.end.by, left, ROW * 0.5);
}

/* ---- moving about ---- */

function show(from, to) {
  const span = Math.min(Math.max(to - from, 20), whole);
  view.from = Math.min(Math.max(from, 0), whole - span);
  view.to = view.from + span;
  draw();
}

function zoom(factor, at = (view.from + view.to) / 2) {
  show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function move(part) {
  const by = (view.to - view.from) * part;
  show(view.from + by, view.to + by);
}

function all() {
  select(null);
  show(0, whole);
}

function select(frame) {
  selected = frame;
  byId("detail").replaceChildren(...(frame ? facts(frame) : []));
}

function facts(frame) {
  const where = [frame.kind, frame.gem, frame.outcome].filter(Boolean).join(" · ");
  const times = [["total", frame.wall], ["own", frame.own], ["processor", frame.cpu], ["collection", frame.gc],
    ["finding", frame.find], ["code", frame.load]].map(([name, value]) => name + " " + time(value)).join(", ");
  return [element("b", {}, frame.name), element("div", { class: "soft" }, where + " · " + times),
    element("code", {}, frame.path || "")];
}

function under(flame, event) {
  const area = flame.canvas.getBoundingClientRect();
  const at = view.from + (event.clientX - area.left) / area.width * (view.to - view.from);
  const depth = Math.floor((event.clientY - area.top) / ROW) - 1;
  return flame.frames.find((frame) =>
    frame.depth === depth && frame.start <= at && at < frame.start + Math.max(frame.wall, 1));
}

function at(flame, event) {
  const area = flame.canvas.getBoundingClientRect();
  return view.from + (event.clientX - area.left) / area.width * (view.to - view.from);
}

for (const flame of flames) {
  gestures(flame.canvas, { at: (event) => at(flame, event), inner: () => flame.canvas.clientWidth,
    choose: (event) => focusOn(under(flame, event)), hover: (event) => hover(flame, event) });
}

function focusOn(frame) {
  if (!frame) return;
  select(frame);
  show(frame.start - frame.wall * 0.02, frame.start + frame.wall * 1.02);
}

function hover(flame, event) {
  const frame = under(flame, event);
  const tip = byId("tip");
  tip.hidden = !frame;
  if (!frame) return;
  tip.textContent = `${frame.name} — ${time(frame.wall)} in all, ${time(frame.own)} of its own` +
    (frame.gem ? ` (${frame.gem})` : "");
  tip.style.left = Math.min(event.clientX + 12, window.innerWidth - 320) + "px";
  tip.style.top = event.clientY + 16 + "px";
}

const widest = (frames) => frames.reduce((best, one) => !best || one.wall > best.wall ? one : best, null);

function outward() {
  const flame = flames.find((one) => one.frames.includes(selected));
  if (flame && selected.parent !== null) focusOn(flame.frames[selected.parent]);
  else all();
}

function inward() {
  focusOn(selected ? widest(selected.children) : widest(flames[0].frames.filter((one) => one.parent === null)));
}

controls({ ArrowUp: outward, ArrowDown: inward });

byId("search").addEventListener("input", (event) => {
  query = event.target.value.trim().toLowerCase();
  let own = 0;
  let count = 0;
  for (const { frames } of flames) {
    for (const frame of frames) {
      frame.match = query !== "" && frame.searched.includes(query);
      if (frame.match) { own += frame.own; count += 1; }
    }
  }
  byId("found").textContent = query ? `${count} found, ${time(own)} of their own` : "";
  draw();
});

/* ---- tables ---- */

function aboutRuns() {
  byId("runs").append(...runs.map((run) => element("article", { class: "run" },
    element("div", { class: "soft" }, run.mode), element("b", {}, time(run.wall)),
    element("div", {}, `processor ${time(run.cpu)}, ${megabytes(run.resident)}, ` +
      `${run.collections} collections`),
    element("div", {}, run.end && run.end.at ? `the boot ended at ${time(run.end.at)} (${run.end.by})` : ""),
    element("code", {}, run.command.join(" ")),
    element("div", { class: "soft" }, `${run.ruby}; Spate ${run.spate}; ${new Date(run.at * 1000).toISOString()}`),
    element("div", { class: "soft" }, `the probe took about ${time(run.probe)} of this`))));
}

function aboutShares() {
  const bars = runs.map((run) => element("div", { class: "bar", title: run.mode,
    style: { width: 100 * run.wall / whole + "%" } }, ...run.shares.map((one) => element("i", { title: one.label,
      style: { background: COLORS[one.name], width: 100 * one.wall / run.wall + "%" } }))));
  const heads = [["", ""], ...runs.flatMap((run) => [[run.mode, "number"], ["", "number"]])];
  const rows = runs[0].shares.map((one, index) => [
    element("span", {}, element("span", { class: "swatch", style: { background: COLORS[one.name] } }), one.label),
    ...runs.flatMap((run) => [time(run.shares[index].wall), share(run.shares[index].wall, run.wall)])]);
  rows.push(["all", ...runs.flatMap((run) => [time(run.wall), ""])]);
  rows.push(["of finding and code: one stat a file, measured afterwards",
    ...runs.flatMap((run) => [time(run.stat.wall), run.stat.files + " files"])]);
  byId("shares").append(...bars, table(heads, rows));
}

function aboutGems() {
  const most = Math.max(...runs.flatMap((run) => run.gems.map((gem) => gem.own)), 1);
  for (const run of runs) {
    const heads = [["gem", ""], ["own", "number"], ["", ""], ["total", "number"], ["processor", "number"],
      ["collection", "number"], ["files", "number"], ["not compiled", "number"]];
    const rows = [...run.gems, ...run.groups].map((gem, index) => [gem.name, time(gem.own),
      index < run.gems.length
        ? element("span", { class: "meter", style: { width: 160 * gem.own / most + "px" } }) : "",
      time(gem.total), time(gem.cpu), time(gem.gc), gem.files, gem.hits]);
    byId("gems").append(element("p", { class: "caption" }, element("b", {}, run.mode)), table(heads, rows));
  }
}

function aboutFiles() {
  for (const run of runs) {
    byId("files").append(element("p", { class: "caption" }, element("b", {}, run.mode)),
      table([["own", "number"], ["total", "number"], ["file", "path"]],
        run.files.map((file) => [time(file.own), time(file.total), file.path])));
  }
}

function aboutCounts() {
  for (const run of runs) {
    const groups = { "files of code": run.loader, "requires": run.requirer, "parts of Spate": run.parts };
    const rows = Object.entries(groups).flatMap(([group, values]) =>
      Object.entries(values || {}).map(([name, value]) => [group, name, value === true ? "at work" : value]));
    if (rows.length === 0) rows.push(["", "", "Spate took no part"]);
    byId("counts").append(element("p", { class: "caption" }, element("b", {}, run.mode)),
      table([["", ""], ["", ""], ["", ""]], rows));
  }
}

aboutRuns();
aboutShares();
aboutGems();
aboutFiles();
aboutCounts();
colored(draw);
new ResizeObserver(() => requestAnimationFrame(draw)).observe(byId("flames"));
