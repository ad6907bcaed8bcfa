import assert from "node:assert/strict";
import test from "node:test";
import { CURSOR_MARKER, renderFakeCursor } from "omp:tui/component";
import { Input } from "omp:tui/input";
import { Loader } from "omp:tui/loader";
import { Surfaces } from "omp:tui/surfaces";
import { ExtensionTui } from "omp:tui/tui";
import { told } from "./host.mjs";

const lines = (...rows) => ({ render: () => rows });

function since(work) {
  const start = told.length;
  work();
  return told.slice(start).map(({ operation, args }) => [operation, args]);
}

test("what is mounted is drawn until it is unmounted", () => {
  const surfaces = new Surfaces();
  let disposed = 0;
  surfaces.mount("a", { ...lines("one", "two"), dispose: () => disposed++ });
  assert.deepEqual(surfaces.render("a", 10), ["one", "two"]);
  surfaces.unmount("a");
  surfaces.unmount("a");
  assert.deepEqual([surfaces.render("a", 10), disposed, surfaces.has("a")], [[], 1, false]);
});

test("a component that throws is taken away and harms no other", () => {
  const surfaces = new Surfaces();
  const fails = () => {
    throw new Error("no\nroom\x1b[2J");
  };
  surfaces.mount("good", lines("fine"));
  surfaces.mount("bad", { render: fails, dispose: fails });
  const events = since(() => assert.deepEqual(surfaces.render("bad", 10), ["no room"]));
  assert.deepEqual(events, [["ui.failed", { surface: "bad", message: "no room" }]]);
  assert.deepEqual([surfaces.render("bad", 10), surfaces.render("good", 10)], [[], ["fine"]]);
  surfaces.mount("keys", { ...lines("x"), handleInput: fails });
  surfaces.input("keys", "a");
  assert.equal(surfaces.has("keys"), false);
  surfaces.mount("odd", { render: () => { throw { toString: fails }; } });
  assert.deepEqual(surfaces.render("odd", 10), ["unknown error"]);
});

test("drawings are bounded", () => {
  const surfaces = new Surfaces();
  surfaces.mount("many", { render: () => Array(50_000).fill("x") });
  surfaces.mount("long", { render: () => ["x".repeat(1_000_000), "a\nb", 7, null] });
  surfaces.mount("none", { render: () => undefined });
  assert.equal(surfaces.render("many", 10).length, 2_000);
  assert.deepEqual(surfaces.render("long", 10).map((line) => line.length), [20_000, 1, 1, 1, 4]);
  assert.deepEqual(surfaces.render("none", 10), []);
});

test("the program is told of changes once per drawing", () => {
  const surfaces = new Surfaces();
  const tui = new ExtensionTui("a", surfaces);
  surfaces.mount("a", lines("x"), { tui });
  surfaces.render("a", 10);
  const events = since(() => {
    tui.requestRender();
    tui.requestRender();
  });
  assert.deepEqual(events, [["ui.render", { surface: "a" }]]);
  assert.deepEqual([surfaces.dirty(), surfaces.dirty()], [["a"], []]);
});

test("the cursor is given apart from the text", () => {
  const surfaces = new Surfaces();
  surfaces.mount("a", lines("first", `日${CURSOR_MARKER}${renderFakeCursor("x")}y`));
  assert.deepEqual(surfaces.render("a", 10), ["first", "日\x1b[7mx\x1b[27my"]);
  assert.deepEqual(surfaces.cursor("a"), { row: 1, column: 2 });
});

test("keys go to the focused component, behind the listeners", () => {
  const surfaces = new Surfaces();
  const tui = new ExtensionTui("a", surfaces);
  const got = [];
  const root = { ...lines("x"), handleInput: (data) => got.push(`root ${data}`) };
  const field = new Input();
  surfaces.mount("a", root, { tui });
  const remove = tui.addInputListener((data) => (data === "q" ? { consume: true } : data === "1" ? { data: "2" } : undefined));
  for (const key of ["q", "1", "b"]) surfaces.input("a", key);
  tui.setFocus(field);
  surfaces.input("a", "c");
  remove();
  surfaces.input("a", "q");
  assert.deepEqual([got, field.getValue(), field.focused], [["root 2", "root b"], "cq", true]);
});

test("releases of keys come only to those who want them", () => {
  const surfaces = new Surfaces();
  const got = [];
  const press = { ...lines("x"), handleInput: (data) => got.push(data) };
  surfaces.mount("a", press);
  surfaces.input("a", "\x1b[97;1:3u");
  surfaces.mount("a", { ...press, wantsKeyRelease: true });
  surfaces.input("a", "\x1b[97;1:3u");
  assert.equal(got.length, 1);
});

test("an overlay is a surface of its own", () => {
  const surfaces = new Surfaces();
  const tui = new ExtensionTui("a", surfaces);
  const field = new Input();
  let handle;
  const events = since(() => (handle = tui.showOverlay(field, { width: "50%", anchor: "center", visible: (columns) => columns > 10 })));
  const overlay = "a/overlay-1";
  assert.deepEqual(events, [
    ["ui.render", { surface: overlay }],
    ["ui.overlay", { overlay, state: "shown", options: { width: "50%", anchor: "center" } }],
    ["ui.overlay", { overlay, state: "focused" }],
  ]);
  assert.ok(field.focused && handle.isFocused() && tui.hasOverlay());
  assert.equal(surfaces.render(overlay, 10).length, 1);
  handle.setHidden(true);
  assert.deepEqual([surfaces.render(overlay, 10), tui.hasOverlay(), field.focused], [[], false, false]);
  handle.setHidden(false);
  assert.equal(surfaces.render(overlay, 10).length, 1);
  handle.hide();
  assert.deepEqual([surfaces.has(overlay), tui.hasOverlay()], [false, false]);
});

test("what a surface showed over itself goes with it", () => {
  const surfaces = new Surfaces();
  const tui = new ExtensionTui("a", surfaces);
  surfaces.mount("a", lines("x"), { tui });
  tui.showOverlay(lines("over"));
  surfaces.unmount("a");
  assert.equal(surfaces.has("a/overlay-1"), false);
});

test("a changed theme reaches every component", () => {
  const surfaces = new Surfaces();
  let invalidated = 0;
  surfaces.mount("a", { ...lines("x"), invalidate: () => invalidated++ });
  surfaces.mount("b", lines("y"));
  surfaces.invalidate();
  assert.deepEqual([invalidated, surfaces.dirty()], [1, ["a", "b"]]);
});

test("what is drawn for before it is mounted is drawn once it is", () => {
  const surfaces = new Surfaces();
  const tui = new ExtensionTui("a", surfaces);
  const events = since(() => {
    tui.requestRender();
    surfaces.mount("a", lines("x"), { tui });
  });
  assert.deepEqual(events, [["ui.render", { surface: "a" }]]);
});

test("a loader inside a component stops with its surface", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  const surfaces = new Surfaces();
  const tui = new ExtensionTui("a", surfaces);
  const loader = new Loader(tui, String, String, "Working");
  surfaces.mount("a", { render: (width) => loader.render(width) }, { tui });
  context.mock.timers.tick(80);
  assert.match(surfaces.render("a", 20)[1], /⠙ Working/);
  surfaces.unmount("a");
  context.mock.timers.tick(800);
  assert.match(loader.render(20)[1], /⠙ Working/);
});
