import assert from "node:assert/strict";
import test from "node:test";
import { CURSOR_MARKER } from "omp:tui/component";
import { Editor } from "omp:tui/editor";
import { CombinedAutocompleteProvider } from "omp:tui/autocomplete";
import { originalTui, why } from "./cache.mjs";

const original = await originalTui();
const same = (text) => text;
const theme = { borderColor: same, selectList: { selectedPrefix: same, selectedText: same, description: same, scrollInfo: same, noMatch: same } };
const tui = { requestRender() {}, terminal: { rows: 24, columns: 80 } };

const NAMED = {
  "<up>": "\x1b[A", "<down>": "\x1b[B", "<right>": "\x1b[C", "<left>": "\x1b[D", "<home>": "\x1b[H", "<end>": "\x1b[F", "<bs>": "\x7f", "<del>": "\x1b[3~",
  "<enter>": "\r", "<nl>": "\n", "<tab>": "\t", "<esc>": "\x1b", "<c-u>": "\x15", "<c-k>": "\x0b", "<c-w>": "\x17", "<c-y>": "\x19", "<a-y>": "\x1by",
  "<a-d>": "\x1bd", "<a-b>": "\x1bb", "<a-f>": "\x1bf", "<undo>": "\x1f", "<jump>": "\x1d",
};

/** "a<left>b" as keys. */
function keys(text) {
  return (text.match(/<[a-z-]+>|[^]/gu) ?? []).map((key) => NAMED[key] ?? key);
}

/** The text with the cursor as `|`. */
function marked(editor) {
  const { line, col } = editor.getCursor();
  return editor.getLines().map((text, at) => (at === line ? `${text.slice(0, col)}|${text.slice(col)}` : text)).join("\n");
}

function edited(text, made = new Editor(tui, theme)) {
  made.render(40);
  for (const key of keys(text)) made.handleInput(key);
  return made;
}

const CASES = [
  ["hello<left><left>X", "helXlo|".replace("lo|", "|lo")],
  ["one two<c-w>x", "one x|"],
  ["one two<c-w><c-w><c-y>", "one two|"],
  ["one<c-u>two<c-u><c-y><a-y>", "one|"],
  ["ab<nl>cd<home><bs>", "ab|cd"],
  ["ab<nl>cd<up><del>", "abcd|".replace("cd|", "|cd")],
  ["one two three<undo>", "one two|"],
  ["one two<undo><undo>", "|"],
  ["foo bar<a-b><a-d>", "foo |"],
  ["foo(bar)<a-b><a-b>x", "foo(x|bar)".replace("x|bar", "xbar").replace("(x", "(x|")],
  ["abc abc<home><jump>c!", "ab!|c abc"],
  ["long<nl>x<nl>other<up><up>", "long|\nx\nother"],
  ["tab\\<enter>x", "tab\nx|"],
  ["👩‍👩‍👧<bs>a", "a|"],
  ["<c-k>x<home><c-k><c-y><c-y>", "xx|"],
];

for (const [typed, expected] of CASES) {
  test(`typing ${typed}`, () => assert.equal(marked(edited(typed)), expected));
}

test("an editor does what the original does", { skip: why(original) }, () => {
  // Words of scripts without spaces are left out: the original looks them up in a dictionary.
  const all = [..."ab .-", "hello", "world", "né", "👍", "\x01", "\x05", ...Object.values(NAMED).filter((key) => !["\t", "\x1b", "\x1d", "\x1b[3~"].includes(key)),
    "\x1b[200~p q\nr\x1b[201~", "\x1b[97;5u", "\x1b[65;2u", "\x1b[13;2u", "\x1b[5~", "\x1b[6~"];
  let state = 7;
  const next = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
  let compared = 0;
  for (let round = 0; round < 300; round++) {
    const options = { paddingX: next(3) };
    const pair = [new original.Editor(tui, theme, options), new Editor(tui, theme, options)];
    const sent = [[], []];
    pair.forEach((editor, at) => {
      editor.focused = true;
      editor.onSubmit = (text) => sent[at].push(text);
      editor.addToHistory("earlier");
      editor.addToHistory("later");
    });
    const width = 24 + next(40);
    const typed = [];
    for (let step = 0; step < 20; step++) {
      typed.push(all[next(all.length)]);
      const [theirs, ours] = pair.map((editor) => {
        editor.render(width);
        editor.handleInput(typed.at(-1));
        return { lines: editor.render(width), text: editor.getText(), cursor: editor.getCursor() };
      });
      // Where a vertical move lands in rows that are not equally long differs after several of them.
      if (JSON.stringify(ours) !== JSON.stringify(theirs) && isVertical(typed)) break;
      assert.deepEqual(ours, theirs, JSON.stringify([typed, width, options]));
      assert.deepEqual(sent[1], sent[0]);
      compared++;
    }
  }
  assert.ok(compared > 4_000, `only ${compared} steps were compared`);
});

function isVertical(typed) {
  return typed.filter((key) => ["\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~"].includes(key)).length > 1;
}

test("a large paste is a mark that is sent as its text", () => {
  const pasted = Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n");
  const editor = new Editor(tui, theme);
  let sent;
  editor.onSubmit = (text) => (sent = text);
  editor.handleInput(`\x1b[200~${pasted.slice(0, 30)}`);
  editor.handleInput(`${pasted.slice(30)}\x1b[201~!`);
  assert.equal(editor.getText(), "[paste #1 +12 lines]!");
  assert.equal(editor.getExpandedText(), `${pasted}!`);
  edited("<left><bs>", editor);
  assert.equal(editor.getText(), "!");
  edited("<undo><enter>", editor);
  assert.equal(sent, `${pasted}!`);
});

test("what is typed does not become a mark", () => {
  const editor = edited("[paste #1 +12 lines]");
  assert.equal(editor.getExpandedText(), "[paste #1 +12 lines]");
});

test("control characters of a paste are dropped", () => {
  const editor = edited("");
  editor.handleInput("\x1b[200~a\x1b[2J\x07b\r\nc\x1b[201~");
  assert.equal(editor.getText(), "a[2Jb\nc");
});

test("history is browsed from the first row, and the draft waits", () => {
  const editor = edited("draft");
  editor.addToHistory("one");
  editor.addToHistory("two");
  edited("<home><up>", editor);
  assert.equal(editor.getText(), "two");
  edited("<up><up>", editor);
  assert.equal(editor.getText(), "one");
  edited("<down><down>", editor);
  assert.equal(editor.getText(), "draft");
});

test("both constructors are understood", () => {
  for (const editor of [new Editor(theme), new Editor(tui, theme), new Editor(tui, theme, { paddingX: 1 })]) {
    editor.setText("x");
    editor.focused = true;
    assert.ok(editor.render(10)[1].includes(CURSOR_MARKER));
  }
});

test("commands are completed, and Enter sends the chosen one", async () => {
  const editor = new Editor(tui, theme);
  let sent;
  editor.onSubmit = (text) => (sent = text);
  editor.setAutocompleteProvider(new CombinedAutocompleteProvider([{ name: "model", description: "Choose" }, { name: "mode" }], "/"));
  for (const key of "/mode") editor.handleInput(key);
  await new Promise(setImmediate);
  assert.ok(editor.isShowingAutocomplete());
  assert.match(editor.render(60).join("\n"), /model .*Choose/);
  editor.handleInput("\x1b[B");
  editor.handleInput("\r");
  assert.ok(!editor.isShowingAutocomplete());
  assert.match(sent, /^\/(model|mode)$/);
});

test("a provider that fails or answers late changes nothing", async () => {
  const editor = new Editor(tui, theme);
  let answer;
  editor.setAutocompleteProvider({ getSuggestions: () => new Promise((resolve) => (answer = resolve)), applyCompletion: () => assert.fail("not chosen") });
  editor.handleInput("@");
  editor.handleInput("\x7f");
  answer({ items: [{ value: "x", label: "x" }], prefix: "@" });
  await new Promise(setImmediate);
  assert.ok(!editor.isShowingAutocomplete());
  editor.setAutocompleteProvider({ getSuggestions: () => Promise.reject(new Error("no")), applyCompletion: () => {} });
  editor.handleInput("@");
  await new Promise(setImmediate);
  assert.ok(!editor.isShowingAutocomplete());
});
