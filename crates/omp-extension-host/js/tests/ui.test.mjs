import assert from "node:assert/strict";
import test from "node:test";
import { getKeybindings } from "omp:tui/keybindings";
import * as ui from "omp:ui/index";
import { reloadTheme } from "omp:ui/theme";
import { plain } from "./cells.mjs";
import { answers } from "./host.mjs";

const tui = { requestRender() {}, terminal: { rows: 24, columns: 80 } };
const shown = (component, width = 44) => component.render(width).map((line) => plain(line).trimEnd()).filter((line) => line !== "");

test("colours are those of the program's theme", () => {
  assert.equal(ui.theme.fg("accent", "x"), "\x1b[38;2;1;2;3mx\x1b[39m");
  assert.equal(ui.theme.bg("selectedBg", "x"), "\x1b[48;5;236mx\x1b[49m");
  assert.equal(ui.theme.bold("x"), "\x1b[1mx\x1b[22m");
  assert.equal(ui.theme.getFgAnsi("borderAccent"), ui.theme.getFgAnsi("accent"));
  // A token of a newer theme is plain text, not an error.
  assert.equal(ui.theme.fg("noSuchToken", "x"), "x");
  assert.equal(ui.theme.status.success, "✔");
  assert.equal(ui.theme.icon.noSuchIcon, "");
  assert.equal(ui.theme.style("x", { fg: "accent", bold: true }), "\x1b[38;2;1;2;3m\x1b[1mx\x1b[22m\x1b[39m");
});

test("a changed theme is the same object", () => {
  const before = answers["ui.theme"];
  answers["ui.theme"] = () => ({ name: "other", fg: { accent: "\x1b[35m" }, bg: {}, symbols: {} });
  const list = ui.getSelectListTheme();
  reloadTheme();
  assert.deepEqual([ui.theme.name, list.selectedText("x")], ["other", "\x1b[35mx\x1b[39m"]);
  answers["ui.theme"] = before;
  reloadTheme();
});

test("a theme can be made of colours", () => {
  const made = new ui.Theme({ accent: "#ff0000", text: "" }, { selectedBg: 5 }, "truecolor", { name: "mine" });
  assert.deepEqual([made.name, made.fg("accent", "x"), made.bg("selectedBg", "x")], ["mine", "\x1b[38;2;255;0;0mx\x1b[39m", "\x1b[48;5;5mx\x1b[49m"]);
});

test("dialogs draw, choose and cancel", () => {
  const told = [];
  const tell = (what) => (value) => told.push([what, value]);
  const selector = new ui.ExtensionSelectorComponent("Pick one", ["first", "second"], tell("select"), tell("cancel"));
  assert.deepEqual(shown(selector), ["─".repeat(44), " Pick one", "❯ first", "  second", " Enter: select · Esc: cancel", "─".repeat(44)]);
  for (const key of ["j", "\r", "\x1b"]) selector.handleInput(key);
  const input = new ui.ExtensionInputComponent("Name", "nobody", tell("submit"), tell("cancel"));
  assert.ok(shown(input).some((line) => line.includes("nobody")));
  for (const key of ["o", "k", "\r", "\x1b"]) input.handleInput(key);
  const editor = new ui.ExtensionEditorComponent(tui, getKeybindings(), "Edit", "pre", tell("send"), tell("cancel"));
  for (const key of ["!", "\r"]) editor.handleInput(key);
  assert.deepEqual(told, [["select", "second"], ["cancel", undefined], ["submit", "ok"], ["cancel", undefined], ["send", "pre!"]]);
});

test("a dialog without an answer ends by itself", (context) => {
  context.mock.timers.enable({ apis: ["setInterval"] });
  let cancelled = 0;
  const selector = new ui.ExtensionSelectorComponent("Pick", ["a"], () => {}, () => cancelled++, { timeout: 2_000 });
  assert.ok(shown(selector).includes(" Pick (2s)"));
  context.mock.timers.tick(1_000);
  assert.ok(shown(selector).includes(" Pick (1s)"));
  context.mock.timers.tick(5_000);
  assert.equal(cancelled, 1);
});

test("a bordered loader is cancelled through its signal", () => {
  const loader = new ui.BorderedLoader(tui, ui.theme, "Working");
  let aborted = 0;
  loader.onAbort = () => aborted++;
  assert.deepEqual(shown(loader, 20), ["─".repeat(20), " ⠋ Working", " Esc: cancel", "─".repeat(20)]);
  loader.handleInput("\x1b");
  assert.deepEqual([loader.signal.aborted, aborted], [true, 1]);
  loader.dispose();
  const steady = new ui.BorderedLoader(tui, ui.theme, "Working", { cancellable: false });
  steady.handleInput("\x1b");
  assert.equal(steady.signal.aborted, false);
  steady.dispose();
});

test("an editor of an extension keeps the program's keys", () => {
  answers["ui.keybindings"] = () => ({ "app.interrupt": "escape", "app.exit": "ctrl+d", "app.other": "ctrl+t" });
  const told = [];
  class Mine extends ui.CustomEditor {
    handleInput(data) {
      if (data === "j") told.push("mine");
      else super.handleInput(data);
    }
  }
  const keys = { matches: (data, id) => ({ "app.interrupt": "\x1b", "app.exit": "\x04", "app.other": "\x14" })[id] === data };
  const editor = new Mine(tui, { borderColor: (text) => text, selectList: {} }, keys);
  editor.onAction("app.other", () => told.push("other"));
  editor.onEscape = () => told.push("escape");
  editor.onCtrlD = () => told.push("exit");
  for (const key of ["j", "\x04", "a", "b", "\x1b[D", "\x04", "\x14", "\x1b"]) editor.handleInput(key);
  assert.deepEqual([told, editor.getText()], [["mine", "exit", "other", "escape"], "a"]);
});

test("a diff shows which words changed", () => {
  const inverse = /\x1b\[7m(.*?)\x1b\[27m/g;
  const text = ui.renderDiff(" 1 same\n-2 let a = old;\n+2 let a = newer;\n 3 end\n-4 x\n-5 y\n+4 z");
  assert.deepEqual([...text.matchAll(inverse)].map((match) => match[1]), ["old", "newer"]);
  assert.equal(plain(text), " 1 same\n-2 let a = old;\n+2 let a = newer;\n 3 end\n-4 x\n-5 y\n+4 z");
});

test("languages are known by file name", () => {
  const named = ["x.ts", "a/b.tsx", "Dockerfile", "Makefile", "x.rs", "x.unknown", "q.jsonc"].map(ui.getLanguageFromPath);
  assert.deepEqual(named, ["typescript", "typescript", "dockerfile", "makefile", "rust", undefined, "json"]);
});

test("rows are cut where the screen has them", () => {
  const cut = ui.truncateToVisualLines("a\nb\nc long line here\nd", 2, 6);
  assert.deepEqual([cut.visualLines.map((line) => line.trim()), cut.skippedCount], [["here", "d"], 4]);
});

test("messages of a conversation are drawn", () => {
  const text = (component) => shown(component).map((line) => line.trim());
  assert.deepEqual(text(new ui.UserMessageComponent("hello **you**")), ["hello you"]);
  const content = [{ type: "thinking", thinking: "hm" }, { type: "text", text: "# Yes" }, { type: "toolCall", name: "x" }];
  const answer = new ui.AssistantMessageComponent({ content, stopReason: "error", errorMessage: "too long" });
  assert.deepEqual(text(answer), ["hm", "Yes", "Error: too long"]);
  answer.setHideThinkingBlock(true);
  assert.equal(text(answer)[0], "Thinking...");
  const summary = new ui.CompactionSummaryMessageComponent({ summary: "what was", tokensBefore: 9 });
  assert.deepEqual(text(summary), ["[compaction]", "Compacted from 9 tokens"]);
  summary.setExpanded(true);
  assert.deepEqual(text(summary), ["[compaction]", "what was"]);
});

test("a renderer that fails leaves the text", () => {
  const fails = () => {
    throw new Error("no");
  };
  const message = new ui.CustomMessageComponent({ customType: "note", content: [{ type: "text", text: "said" }] }, fails);
  assert.deepEqual(shown(message).map((line) => line.trim()), ["[note]", "said"]);
  const tool = new ui.ToolExecutionComponent("grep", "1", { pattern: "x" }, {}, { renderCall: fails, renderResult: fails }, tui, "/");
  tool.updateResult({ content: [{ type: "text", text: Array.from({ length: 30 }, (_, at) => `row ${at}\x1b[2J`).join("\n") }], isError: false });
  assert.deepEqual(shown(tool).slice(0, 3).map((line) => line.trim()), ["grep pattern: x", "… 20 more lines", "row 20"]);
  tool.setExpanded(true);
  assert.equal(shown(tool).length, 31);
});

test("a command shows its output and how it ended", () => {
  const bash = new ui.BashExecutionComponent("false", tui, true);
  bash.appendOutput("out\n");
  bash.setComplete(1, false);
  assert.deepEqual(shown(bash).map((line) => line.trim()), ["!! false", "out", "Exit code 1"]);
  assert.deepEqual([bash.getCommand(), bash.getOutput()], ["false", "out\n"]);
});
