/** An editor of several lines: history, pastes as marks, completion, undo. */

import { CURSOR_MARKER, renderFakeCursor } from "omp:tui/component";
import { Completion } from "omp:tui/editor-completion";
import { PromptHistory } from "omp:tui/editor-history";
import { layoutRows, positionAt, rowOfCursor } from "omp:tui/editor-layout";
import { Pastes } from "omp:tui/editor-pastes";
import { getKeybindings } from "omp:tui/keybindings";
import { decodePrintableKey } from "omp:tui/keys";
import { cleanPaste, PasteReader } from "omp:tui/paste";
import { actionOf, EDITING, MOVES, TextBuffer } from "omp:tui/text-buffer";
import { graphemes, padding, padTo, visibleWidth } from "omp:tui/width";

const LEAST_ROWS = 5;
const SHARE_OF_SCREEN = 0.3;
const NEW_LINES = ["\x1b\r", "\x1b[13;2~"];

/** pi hands over the interface first, oh-my-pi only a theme. */
function constructorArguments(first, second, third) {
  const isTheme = first && !second && ("selectList" in first || "borderColor" in first);
  return isTheme ? [undefined, first, {}] : [first, second ?? {}, third ?? {}];
}

export class Editor {
  focused = false;
  disableSubmit = false;
  onSubmit;
  onChange;
  onAltEnter;
  #buffer = new TextBuffer();
  #history = new PromptHistory();
  #pastes = new Pastes();
  #paste = new PasteReader();
  #completion;
  #theme;
  #paddingX;
  #width = 80;
  #scroll = 0;
  // The column of the screen that moving up and down keeps to.
  #wantedColumn;
  #jump;
  #maxHeight;
  #topBorder;
  #borderVisible = true;

  constructor(first, second, third) {
    const [tui, theme, options] = constructorArguments(first, second, third);
    this.tui = tui;
    this.#theme = theme;
    this.borderColor = theme.borderColor ?? ((text) => text);
    this.#paddingX = Math.max(0, Math.floor(options.paddingX ?? theme.editorPaddingX ?? 0));
    this.#buffer.atoms = (line) => this.#pastes.marks(line);
    this.#completion = new Completion({
      buffer: this.#buffer,
      theme,
      edit: (change) => this.#edited(() => this.#buffer.change("complete", change)),
      requestRender: () => this.tui?.requestRender?.(),
    });
    if (options.autocompleteMaxVisible) this.setAutocompleteMaxVisible(options.autocompleteMaxVisible);
  }

  // ---- Text

  getText() {
    return this.#buffer.text;
  }

  getExpandedText() {
    return this.#pastes.expand(this.#buffer.text);
  }

  getLines() {
    return [...this.#buffer.lines];
  }

  getCursor() {
    return { line: this.#buffer.row, col: this.#buffer.column };
  }

  setText(text) {
    const clean = normalized(text);
    this.#completion.close();
    this.#history.stop();
    if (clean === this.#buffer.text) return;
    this.#edited(() => this.#buffer.change("set", () => this.#buffer.reset(clean)));
  }

  insertTextAtCursor(text) {
    if (text === "") return;
    this.#completion.close();
    this.#edited(() => this.#buffer.insert(normalized(text)));
  }

  insertText(text) {
    this.insertTextAtCursor(text);
  }

  pasteText(text) {
    this.#completion.close();
    const clean = cleanPaste(text);
    // A path dropped behind a word is a word of its own.
    const before = this.#buffer.line[this.#buffer.column - 1] ?? "";
    const spaced = /^[/~.]/.test(clean) && /\w/.test(before) ? ` ${clean}` : clean;
    this.#edited(() => this.#buffer.insert(this.#pastes.mark(spaced)));
  }

  addToHistory(text) {
    this.#history.add(text);
  }

  submit() {
    const text = this.getExpandedText().trim();
    this.#buffer.reset("");
    this.#buffer.forgetUndo();
    this.#pastes.clear();
    this.#history.stop();
    this.#completion.close();
    this.#scroll = 0;
    this.onChange?.("");
    this.onSubmit?.(text);
  }

  #edited(change) {
    const before = this.#buffer.text;
    change();
    this.#wantedColumn = undefined;
    if (this.#buffer.text !== before) this.onChange?.(this.#buffer.text);
  }

  // ---- Settings

  getPaddingX() {
    return this.#paddingX;
  }

  setPaddingX(columns) {
    this.#paddingX = Math.max(0, Math.floor(columns) || 0);
    this.tui?.requestRender?.();
  }

  setAutocompleteProvider(provider) {
    this.#completion.close();
    this.#completion.provider = provider;
  }

  getAutocompleteMaxVisible() {
    return this.#completion.maximum;
  }

  setAutocompleteMaxVisible(rows) {
    this.#completion.maximum = Math.max(3, Math.min(20, Math.floor(rows) || 5));
  }

  isShowingAutocomplete() {
    return this.#completion.isShown;
  }

  isAutocompleteActive() {
    return this.#completion.isShown;
  }

  setTheme(theme) {
    this.#theme = theme;
    this.borderColor = theme.borderColor ?? this.borderColor;
  }

  setMaxHeight(rows) {
    this.#maxHeight = rows;
  }

  /** `{ content, width }` in place of the upper border, or nothing. */
  setTopBorder(border) {
    this.#topBorder = border;
  }

  setBorderVisible(isVisible) {
    this.#borderVisible = isVisible;
  }

  setUseTerminalCursor() {}

  getUseTerminalCursor() {
    return false;
  }

  invalidate() {}

  // ---- Drawing

  renderTopBorder(width, hiddenLineCount) {
    if (this.#topBorder) {
      const rest = Math.max(0, width - (this.#topBorder.width ?? visibleWidth(this.#topBorder.content)));
      return this.#topBorder.content + this.borderColor("─".repeat(rest));
    }
    return this.#border(width, hiddenLineCount, "↑");
  }

  renderBottomBorder(width, hiddenLineCount) {
    return this.#border(width, hiddenLineCount, "↓");
  }

  #border(width, hidden, arrow) {
    if (hidden <= 0) return this.borderColor("─".repeat(width));
    const label = ` ${arrow} ${hidden} more `;
    const left = Math.floor((width - label.length) / 2);
    if (left < 1) return this.borderColor("─".repeat(width));
    return this.borderColor("─".repeat(left) + label + "─".repeat(width - left - label.length));
  }

  get #margin() {
    return Math.min(this.#paddingX, Math.max(0, Math.floor((this.#width - 1) / 2)));
  }

  #rows() {
    const inside = Math.max(1, this.#width - 2 * this.#margin);
    // Without a margin, one column is left for the cursor behind a full row.
    return layoutRows(this.#buffer, Math.max(1, inside - (this.#margin > 0 ? 0 : 1)));
  }

  get #visibleRows() {
    const screen = this.tui?.terminal?.rows ?? 24;
    return this.#maxHeight ?? Math.max(LEAST_ROWS, Math.floor(screen * SHARE_OF_SCREEN));
  }

  render(width) {
    this.#width = width;
    const rows = this.#rows();
    const cursorRow = rowOfCursor(rows, this.#buffer);
    const visible = this.#visibleRows;
    if (cursorRow < this.#scroll) this.#scroll = cursorRow;
    if (cursorRow >= this.#scroll + visible) this.#scroll = cursorRow - visible + 1;
    this.#scroll = Math.max(0, Math.min(this.#scroll, rows.length - visible));
    const shown = rows.slice(this.#scroll, this.#scroll + visible);
    const lines = shown.map((row, at) => this.#line(row, this.#scroll + at === cursorRow, width));
    const margin = padding(this.#margin);
    const list = this.#completion.render(Math.max(1, width - 2 * this.#margin)).map((line) => padTo(margin + line, width));
    if (!this.#borderVisible) return [...lines, ...list];
    const below = rows.length - this.#scroll - shown.length;
    return [this.renderTopBorder(width, this.#scroll), ...lines, this.renderBottomBorder(width, below), ...list];
  }

  #line(row, hasCursor, width) {
    const margin = padding(this.#margin);
    if (!hasCursor) return padTo(margin + row.text.trimEnd(), width);
    const at = this.#buffer.column - row.start;
    const under = this.#buffer.column < row.end ? this.#buffer.underCursor : undefined;
    const marker = this.focused && !this.#completion.isShown ? CURSOR_MARKER : "";
    const text = row.text.slice(0, at) + marker + renderFakeCursor(under ?? " ") + row.text.slice(at + (under?.length ?? 0));
    return padTo(margin + text, width);
  }

  // ---- Keys

  handleInput(data) {
    const { keys, pasted, rest } = this.#paste.read(data);
    if (keys) this.#key(keys);
    if (pasted !== undefined) {
      this.#history.stop();
      this.pasteText(pasted);
    }
    if (rest) this.handleInput(rest);
  }

  #key(data) {
    const keys = getKeybindings();
    if (this.#jump) return this.#jumpTo(data);
    const answer = this.#completion.key(data);
    if (answer === "submit") return this.#submitKey();
    if (answer) return undefined;
    if (keys.matches(data, "tui.input.tab")) return this.#completion.force();
    // Tested before editing: "\n" is Ctrl+J too.
    if (keys.matches(data, "tui.input.newLine") || NEW_LINES.includes(data)) return this.#newLine();
    if (keys.matches(data, "tui.input.submit")) return this.#enter();
    const edit = actionOf(EDITING, data, keys);
    if (edit) return this.#edit(edit);
    const move = actionOf(MOVES, data, keys);
    if (move) return this.#moveTo(MOVES[move](this.#buffer));
    if (this.#vertical(data, keys)) return undefined;
    const typed = decodePrintableKey(data) ?? data;
    if (!/[\x00-\x1f\x7f-\x9f]/.test(typed)) this.#type(typed);
    return undefined;
  }

  #type(text) {
    this.#history.stop();
    this.#edited(() => this.#buffer.type(text));
    this.#completion.update(text);
  }

  #edit(action) {
    this.#history.stop();
    this.#edited(() => EDITING[action](this.#buffer));
    this.#completion.update(undefined);
  }

  #newLine() {
    this.#history.stop();
    this.#completion.close();
    this.#edited(() => this.#buffer.insert("\n"));
  }

  #enter() {
    // A backslash before Enter is how terminals without Shift+Enter start a line.
    if (this.#buffer.line[this.#buffer.column - 1] === "\\") {
      this.#buffer.deleteBackward();
      return this.#newLine();
    }
    return this.#submitKey();
  }

  #submitKey() {
    if (!this.disableSubmit) this.submit();
  }

  #moveTo(position) {
    this.#wantedColumn = undefined;
    this.#buffer.moveTo(position);
    if (this.#completion.isShown) this.#completion.update(undefined);
  }

  moveToLineStart() {
    this.#moveTo([this.#buffer.row, 0]);
  }

  moveToLineEnd() {
    this.#moveTo([this.#buffer.row, this.#buffer.line.length]);
  }

  moveToMessageStart() {
    this.#moveTo([0, 0]);
  }

  moveToMessageEnd() {
    this.#moveTo([this.#buffer.lines.length - 1, this.#buffer.lines.at(-1).length]);
  }

  #vertical(data, keys) {
    if (keys.matches(data, "tui.editor.historyPrevious")) this.#recall(this.#history.older(this.#buffer.text), "start");
    else if (keys.matches(data, "tui.editor.historyNext")) this.#recall(this.#history.newer(), "end");
    else if (keys.matches(data, "tui.editor.cursorUp")) this.#up();
    else if (keys.matches(data, "tui.editor.cursorDown")) this.#down();
    else if (keys.matches(data, "tui.editor.pageUp")) this.#moveRows(-this.#visibleRows);
    else if (keys.matches(data, "tui.editor.pageDown")) this.#moveRows(this.#visibleRows);
    else if (keys.matches(data, "tui.editor.jumpForward")) this.#jump = "forward";
    else if (keys.matches(data, "tui.editor.jumpBackward")) this.#jump = "backward";
    else return false;
    return true;
  }

  #up() {
    const isFirst = rowOfCursor(this.#rows(), this.#buffer) === 0;
    if (!isFirst) return this.#moveRows(-1);
    const mayRecall = this.#buffer.isEmpty || this.#history.isBrowsing || this.#buffer.column === 0;
    const older = mayRecall ? this.#history.older(this.#buffer.text) : undefined;
    return older === undefined ? this.moveToLineStart() : this.#recall(older, "start");
  }

  #down() {
    const rows = this.#rows();
    if (rowOfCursor(rows, this.#buffer) < rows.length - 1) return this.#moveRows(1);
    return this.#history.isBrowsing ? this.#recall(this.#history.newer(), "end") : this.moveToLineEnd();
  }

  #recall(text, cursor) {
    if (text === undefined) return;
    this.#edited(() => this.#buffer.change("history", () => this.#buffer.reset(text, cursor)));
  }

  #moveRows(by) {
    const rows = this.#rows();
    const current = rowOfCursor(rows, this.#buffer);
    const row = rows[current];
    const column = this.#wantedColumn ?? visibleWidth(this.#buffer.line.slice(row.start, this.#buffer.column));
    const target = rows[Math.max(0, Math.min(current + by, rows.length - 1))];
    this.#moveTo(positionAt(target, column, this.#buffer));
    this.#wantedColumn = column;
  }

  #jumpTo(data) {
    const direction = this.#jump;
    this.#jump = undefined;
    const typed = decodePrintableKey(data) ?? data;
    const [first] = graphemes(typed);
    const found = /^[\x00-\x1f\x7f]/.test(typed) ? undefined : this.#buffer.find(first, direction);
    if (found) this.#moveTo(found);
  }
}

function normalized(text) {
  return String(text ?? "").replace(/\r\n?/g, "\n").replaceAll("\t", "    ");
}
