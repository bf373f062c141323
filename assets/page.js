// What the pages of `spate boot profile` and of --timeline share: plain JavaScript, no library. It stands before a page's
// own script, which has the window of time (view), and draw, show, zoom, move and all.
"use strict";
const byId = (id) => document.getElementById(id);

// An element whose children are text or elements: text from the data is never parsed as HTML.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "style") Object.assign(made.style, value);
    else if (key === "click") made.addEventListener("click", value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// heads: [[text, class], ...]; rows: [[text or element, ...], ...].
function table(heads, rows) {
  const head = element("tr", {}, ...heads.map(([name, kind]) => element("th", { class: kind, scope: "col" }, name)));
  const body = rows.map((cells) => element("tr", {}, ...cells.map((cell, index) =>
    element("td", { class: heads[index][1] }, cell instanceof Node ? cell : String(cell ?? "")))));
  return element("div", { class: "scroll" },
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
}

/* ---- drawing ---- */

// A canvas of this size, empty; answers its context.
function blank(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = height + "px";
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  return context;
}

// Between two marks of a ruler: 1, 2 or 5 of a power of ten, and some 90 pixels. scale: pixels a unit of time.
function spacing(scale) {
  const raw = 90 / scale;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw);
}

/* ---- moving about ---- */

// at, choose, hover: of an event, its moment, and what a click or a pointer does. inner: pixels that the view takes.
function gestures(canvas, { at, inner, choose, hover }) {
  let drag = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move((event.deltaX || event.deltaY) / 800, show);
    else zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event), show);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: view.from, to: view.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return hover(event);
    const by = (drag.x - event.clientX) / inner() * (drag.to - drag.from);
    drag.moved = drag.moved || Math.abs(drag.x - event.clientX) > 3;
    if (drag.moved) show(drag.from + by, drag.to + by);
  });
  canvas.addEventListener("pointerup", (event) => {
    const click = drag && !drag.moved;
    drag = null;
    if (click) choose(event);
  });
  canvas.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
}

// more: what keys do beside those of both pages, { key: function }.
function controls(more) {
  const keys = { "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7), "0": all, Escape: all,
    ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "/": () => byId("search").focus(), ...more };
  document.addEventListener("keydown", (event) => {
    if (event.target === byId("search")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.key === "Enter" && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("in").addEventListener("click", () => zoom(0.7));
  byId("out").addEventListener("click", () => zoom(1 / 0.7));
  byId("reset").addEventListener("click", all);
}

/* ---- dark and light ---- */

const dark = () => document.documentElement.dataset.theme === "dark";

// Follows the color scheme of the system until the button is used. changed: redraws.
function colored(changed) {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const theme = (name) => {
    document.documentElement.dataset.theme = name;
    changed();
  };
  system.addEventListener("change", (event) => theme(event.matches ? "dark" : "light"));
  byId("theme").addEventListener("click", () => theme(dark() ? "light" : "dark"));
  theme(system.matches ? "dark" : "light");
}
