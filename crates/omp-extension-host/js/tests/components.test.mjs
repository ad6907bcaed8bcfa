import assert from "node:assert/strict";
import test from "node:test";
import * as tui from "omp:tui/index";
import { originalTui, why } from "./cache.mjs";
import { plain } from "./cells.mjs";

const original = await originalTui();
original?.setCapabilities({ images: null, trueColor: true, hyperlinks: false });

const same = (text) => text;
const red = (text) => `\x1b[31m${text}\x1b[39m`;
const listTheme = { selectedPrefix: same, selectedText: red, description: same, scrollInfo: same, noMatch: same };
const settingsTheme = { label: same, value: red, description: same, cursor: "> ", hint: same };
const items = Array.from({ length: 9 }, (_, at) => ({ value: `v${at}`, label: `Label ${at}`, description: at % 2 ? "said of it\nin two lines" : undefined }));
const settings = () => [
  { id: "a", label: "Alpha", currentValue: "on", values: ["on", "off"], description: "What the setting does, in a sentence that is long" },
  { id: "b", label: "A longer label", currentValue: "x" },
  { id: "c", label: "Gamma", currentValue: "1", values: ["1", "2", "3"] },
];

const [UP, DOWN, PAGE_DOWN, ENTER, ESCAPE] = ["\x1b[A", "\x1b[B", "\x1b[6~", "\r", "\x1b"];
const boxed = (library, ...box) => {
  const made = new library.Box(...box);
  made.addChild(new library.Text("hello world", 0, 0));
  made.addChild(new library.Spacer());
  made.addChild(new library.TruncatedText("second line that is long", 1, 0));
  return made;
};

/** A name, how the component is made from a library, and the keys that it gets. */
const CASES = [
  ["text", (library) => new library.Text("hello world, \x1b[1mhow\x1b[22m are you", 1, 1)],
  ["text without a margin", (library) => new library.Text("one\n\ntwo\tthree", 0, 0)],
  ["text with a background", (library) => new library.Text("hello world", 2, 1, (text) => `\x1b[41m${text}\x1b[49m`)],
  ["empty text", (library) => new library.Text("  \n ")],
  ["wide text", (library) => new library.Text("日本語テキスト hello 👍👍👍", 1, 0)],
  ["truncated text", (library) => new library.TruncatedText("hello world, how are you\nnot shown", 1, 1)],
  ["box", (library) => boxed(library, 2, 1, red)],
  ["box without a margin", (library) => boxed(library, 0, 0)],
  ["empty box", (library) => new library.Box()],
  ["spacer", (library) => new library.Spacer(3)],
  ["list", (library) => new library.SelectList(items, 4, listTheme), [DOWN, DOWN, DOWN, UP, PAGE_DOWN, PAGE_DOWN, DOWN, UP]],
  ["list that fits", (library) => new library.SelectList(items.slice(0, 3), 10, listTheme), [UP, DOWN, DOWN]],
  ["list of long labels", (library) => new library.SelectList([{ value: "v", label: "x".repeat(90), description: "d" }], 4, listTheme)],
  ["list with columns", (library) => new library.SelectList(items, 4, listTheme, { minPrimaryColumnWidth: 6, maxPrimaryColumnWidth: 20 })],
  ["settings", (library) => new library.SettingsList(settings(), 5, settingsTheme, () => {}, () => {}), [ENTER, " ", DOWN, ENTER, DOWN, ENTER]],
  ["settings with search", (library) => new library.SettingsList(settings(), 2, settingsTheme, () => {}, () => {}, { enableSearch: true }), ["g", "a", DOWN]],
  ["input", (library) => new library.Input(), [..."hello world", "\x01", "\x1bf", "\x0b", "\x19", "\x17", "\x1f"]],
  ["image", (library) => new library.Image("R0lGODlhAwACAAAAACw=", "image/gif", { fallbackColor: same }, { filename: "a.gif" })],
];

// Sentences are ours.
const neutral = (line) => (/(?:Enter\/Space|No match|Type)/.test(line) ? "(hint)" : plain(line).trimEnd());

for (const [name, make, keys = []] of CASES) {
  test(`${name}: what is drawn is what the original draws`, { skip: why(original) }, () => {
    const [theirs, ours] = [make(original), make(tui)];
    const compare = (key) => {
      for (const width of [10, 20, 45, 80]) {
        assert.deepEqual(ours.render(width).map(neutral), theirs.render(width).map(neutral), `at ${width} after ${JSON.stringify(key)}`);
      }
    };
    compare("");
    for (const key of keys) {
      theirs.handleInput(key);
      ours.handleInput(key);
      compare(key);
    }
  });
}

test("a component that did not change returns the same lines", () => {
  const text = new tui.Text("hello", 0, 0);
  const lines = text.render(20);
  assert.equal(text.render(20), lines);
  assert.equal(text.setText("hello"), false);
  assert.equal(text.render(20), lines);
  assert.equal(text.setText("other"), true);
  assert.notEqual(text.render(20), lines);
});

test("a list tells what was chosen", () => {
  const told = [];
  const list = new tui.SelectList(items, 4, listTheme);
  list.onSelect = (item) => told.push(["select", item.value]);
  list.onSelectionChange = (item) => told.push(["change", item.value]);
  list.onCancel = () => told.push(["cancel"]);
  for (const key of [DOWN, ENTER, UP, UP, ESCAPE]) list.handleInput(key);
  assert.deepEqual(told, [["change", "v1"], ["select", "v1"], ["change", "v0"], ["change", "v8"], ["cancel"]]);
});

test("a submenu takes the keys until it is done", () => {
  const told = [];
  const submenu = (value, done) => ({ render: () => [`sub ${value}`], handleInput: (key) => done(key) });
  const list = new tui.SettingsList([{ id: "a", label: "A", currentValue: "1", submenu }], 5, settingsTheme, (...change) => told.push(change), () => {});
  list.handleInput(ENTER);
  assert.deepEqual(list.render(20), ["sub 1"]);
  list.handleInput("2");
  assert.deepEqual(told, [["a", "2"]]);
  assert.match(list.render(30)[0], /A {2}.*2/);
});

test("escape aborts the signal of a loader", () => {
  let aborted = 0;
  const loader = new tui.CancellableLoader({ requestRender() {} }, same, same, "Working");
  loader.onAbort = () => aborted++;
  assert.deepEqual(loader.render(14).map((line) => line.trimEnd()), ["", " ⠋ Working"]);
  loader.handleInput("x");
  assert.equal(loader.signal.aborted, false);
  loader.handleInput(ESCAPE);
  assert.deepEqual([loader.signal.aborted, loader.aborted, aborted], [true, true, 1]);
  loader.dispose();
});

test("keys can be chosen by the user, and older names are understood", () => {
  const keys = new tui.KeybindingsManager(tui.TUI_KEYBINDINGS, { "app.interrupt": "Ctrl+X", "tui.select.up": ["k", "PageUp"], "app.other": "ctrl+x" });
  assert.ok(keys.matches("\x18", "app.interrupt") && keys.matches("\x18", "interrupt"));
  assert.ok(keys.matches("k", "selectUp") && !keys.matches(UP, "tui.select.up"));
  assert.deepEqual(keys.getKeys("tui.select.up"), ["k", "pageUp"]);
  assert.deepEqual(keys.getConflicts(), [{ key: "ctrl+x", keybindings: ["app.interrupt", "app.other"] }]);
  assert.deepEqual(keys.getKeys("no.such.action"), []);
});

test("better matches come first", () => {
  const names = ["settings", "session", "test-tool", "reset", "toast"];
  assert.deepEqual(tui.fuzzyFilter(names, "set", same)[0], "settings");
  assert.deepEqual(tui.fuzzyFilter(names, "tt", same)[0], "test-tool");
  assert.deepEqual(tui.fuzzyFilter(names, "zz", same), []);
  assert.equal(tui.fuzzyFilter(names, " ", same), names);
});

test("fuzzy matching agrees with the original on what matches", { skip: why(original) }, () => {
  for (const query of ["", "a", "abc", "cba", "a1", "1a", "s-t", "AbC"]) {
    for (const text of ["abc", "a-b-c", "1a", "a1", "xabcx", "set-top", "Alpha Beta Charlie"]) {
      assert.equal(tui.fuzzyMatch(query, text).matches, original.fuzzyMatch(query, text).matches, `${query} in ${text}`);
    }
  }
});

test("an image says its size", () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAUAAAAHCAYAAADAp4fuAAAA";
  assert.deepEqual(tui.getImageDimensions(png, "image/png"), { widthPx: 5, heightPx: 7 });
  assert.equal(tui.getImageDimensions("!!!", "image/png"), null);
  assert.equal(tui.getImageDimensions(btoa("\xff\xd8\xff"), "image/jpeg"), null);
});

test("a link cannot end its own sequence", () => {
  assert.equal(tui.hyperlink("x", "http://a\x07\x1b[2J"), "\x1b]8;;http://a[2J\x07x\x1b]8;;\x07");
});
