/** The text of a field or an editor with its cursor: editing, undo, and a ring of deleted text. */

import { graphemes, isSimple } from "omp:tui/width";
import { findWordBackward, findWordForward } from "omp:tui/words";

const UNDO_STEPS = 200;
const KILLS = 30;

export class TextBuffer {
  lines = [""];
  row = 0;
  column = 0;
  /** A pattern of text that the cursor passes as one character. */
  atoms;
  #undo = [];
  #kills = [];
  // What the last change was: typing goes on with one step of undo, deleting with one piece of the ring.
  #last = "";
  #yanked = "";

  get text() {
    return this.lines.join("\n");
  }

  get line() {
    return this.lines[this.row];
  }

  get isEmpty() {
    return this.lines.length === 1 && this.lines[0] === "";
  }

  /** Replaces everything and puts the cursor at an end. Not a step of undo: see `change`. */
  reset(text, at = "end") {
    this.lines = text.split("\n");
    this.row = at === "end" ? this.lines.length - 1 : 0;
    this.column = at === "end" ? this.line.length : 0;
    this.#last = "";
  }

  /** Grapheme segments of a line as `{ text, index, isAtom }`. */
  segments(line = this.line) {
    const found = [];
    const add = (text, index) => {
      for (const grapheme of graphemes(text)) {
        found.push({ text: grapheme, index, isAtom: false });
        index += grapheme.length;
      }
    };
    let start = 0;
    for (const match of this.atoms?.(line) ?? []) {
      add(line.slice(start, match.index), start);
      found.push({ text: match[0], index: match.index, isAtom: true });
      start = match.index + match[0].length;
    }
    add(line.slice(start), start);
    return found;
  }

  /** Makes what `edit` changes one step of undo. Typing of one word is one step together. */
  change(kind, edit) {
    if (kind !== "type" || this.#last !== "type") this.#remember();
    edit();
    this.#last = kind;
  }

  #remember() {
    this.#undo.push({ lines: [...this.lines], row: this.row, column: this.column });
    if (this.#undo.length > UNDO_STEPS) this.#undo.shift();
  }

  undo() {
    const before = this.#undo.pop();
    if (!before) return false;
    Object.assign(this, before);
    this.#last = "undo";
    return true;
  }

  forgetUndo() {
    this.#undo = [];
    this.#last = "";
  }

  /** Inserts what was typed. A space starts a new step. */
  type(text) {
    if (/^\s/.test(text)) this.#last = "";
    this.change("type", () => this.insertRaw(text));
  }

  insert(text) {
    this.change("insert", () => this.insertRaw(text));
  }

  insertRaw(text) {
    const [first, ...more] = text.split("\n");
    const [before, after] = [this.line.slice(0, this.column), this.line.slice(this.column)];
    if (more.length === 0) {
      this.lines[this.row] = before + first + after;
      this.column += first.length;
      return;
    }
    const last = more.pop();
    this.lines.splice(this.row, 1, before + first, ...more, last + after);
    this.row += more.length + 1;
    this.column = last.length;
  }

  /** Text between two positions, removed. */
  #cut(row, column, endRow, endColumn) {
    const removed = this.lines.slice(row, endRow + 1);
    removed[removed.length - 1] = removed.at(-1).slice(0, endColumn);
    removed[0] = removed[0].slice(column);
    const joined = this.lines[row].slice(0, column) + this.lines[endRow].slice(endColumn);
    this.lines.splice(row, endRow - row + 1, joined);
    [this.row, this.column] = [row, column];
    return removed.join("\n");
  }

  /** Deletes up to a position on either side of the cursor; `kill` keeps the text in the ring. */
  #delete([row, column], kill) {
    const isBack = row < this.row || (row === this.row && column < this.column);
    if (row === this.row && column === this.column) {
      this.#last = "";
      return false;
    }
    const continues = kill && this.#last === "kill";
    this.change(kill ? "kill" : "delete", () => {
      const removed = isBack ? this.#cut(row, column, this.row, this.column) : this.#cut(this.row, this.column, row, column);
      if (kill) this.#keep(removed, isBack, continues);
    });
    return true;
  }

  #keep(removed, isBack, continues) {
    if (continues && this.#kills.length > 0) {
      const kept = this.#kills.pop();
      this.#kills.push(isBack ? removed + kept : kept + removed);
    } else this.#kills.push(removed);
    if (this.#kills.length > KILLS) this.#kills.shift();
  }

  deleteBackward() {
    return this.#delete(this.positionBefore(), false);
  }

  deleteForward() {
    return this.#delete(this.positionAfter(), false);
  }

  deleteWordBackward() {
    return this.#delete(this.wordBefore(), true);
  }

  deleteWordForward() {
    return this.#delete(this.wordAfter(), true);
  }

  deleteToLineStart() {
    return this.#delete(this.column > 0 ? [this.row, 0] : this.positionBefore(), true);
  }

  deleteToLineEnd() {
    return this.#delete(this.column < this.line.length ? [this.row, this.line.length] : this.positionAfter(), true);
  }

  yank() {
    if (this.#kills.length === 0) return false;
    this.#yanked = this.#kills.at(-1);
    this.change("yank", () => this.insertRaw(this.#yanked));
    return true;
  }

  /** Replaces what was just yanked by what was deleted before it. */
  yankPop() {
    if (this.#last !== "yank" || this.#kills.length < 2) return false;
    this.change("yank", () => {
      for (const _ of graphemes(this.#yanked)) this.#cut(...this.positionBefore(), this.row, this.column);
      this.#kills.unshift(this.#kills.pop());
      this.#yanked = this.#kills.at(-1);
      this.insertRaw(this.#yanked);
    });
    return true;
  }

  /** Whether each character of the line is one that the cursor passes by itself. */
  get #isSimpleLine() {
    return isSimple(this.line) && !(this.atoms?.(this.line).length > 0);
  }

  /** What is under the cursor, or nothing at the end of the line. */
  get underCursor() {
    if (this.column >= this.line.length) return undefined;
    return this.line.slice(this.column, this.positionAfter()[1]);
  }

  positionBefore() {
    if (this.column > 0) {
      if (this.#isSimpleLine) return [this.row, this.column - 1];
      const before = this.segments().filter((segment) => segment.index < this.column);
      return [this.row, before.at(-1).index];
    }
    return this.row > 0 ? [this.row - 1, this.lines[this.row - 1].length] : [0, 0];
  }

  positionAfter() {
    if (this.column < this.line.length) {
      if (this.#isSimpleLine) return [this.row, this.column + 1];
      const segment = this.segments().find((segment) => segment.index + segment.text.length > this.column);
      return [this.row, segment.index + segment.text.length];
    }
    return this.row < this.lines.length - 1 ? [this.row + 1, 0] : [this.row, this.column];
  }

  wordBefore() {
    return this.column === 0 ? this.positionBefore() : [this.row, findWordBackward(this.line, this.column, this.segments())];
  }

  wordAfter() {
    if (this.column === this.line.length) return this.positionAfter();
    return [this.row, findWordForward(this.line, this.column, this.segments())];
  }

  moveTo([row, column]) {
    [this.row, this.column] = [row, column];
    this.#last = "move";
  }

  /** The next place of a character, over all lines. */
  find(character, direction) {
    const step = direction === "forward" ? 1 : -1;
    for (let row = this.row; row >= 0 && row < this.lines.length; row += step) {
      const line = this.lines[row];
      const from = row !== this.row ? (step > 0 ? 0 : line.length) : this.column + step;
      const at = step > 0 ? line.indexOf(character, from) : from < 0 ? -1 : line.lastIndexOf(character, from);
      if (at >= 0) return [row, at];
    }
    return undefined;
  }
}

/** Actions that a buffer does by itself, by the names of the bindings. */
export const EDITING = {
  "tui.editor.undo": (buffer) => buffer.undo(),
  "tui.editor.deleteCharBackward": (buffer) => buffer.deleteBackward(),
  "tui.editor.deleteCharForward": (buffer) => buffer.deleteForward(),
  "tui.editor.deleteWordBackward": (buffer) => buffer.deleteWordBackward(),
  "tui.editor.deleteWordForward": (buffer) => buffer.deleteWordForward(),
  "tui.editor.deleteToLineStart": (buffer) => buffer.deleteToLineStart(),
  "tui.editor.deleteToLineEnd": (buffer) => buffer.deleteToLineEnd(),
  "tui.editor.yank": (buffer) => buffer.yank(),
  "tui.editor.yankPop": (buffer) => buffer.yankPop(),
};

export const MOVES = {
  "tui.editor.cursorLineStart": (buffer) => [buffer.row, 0],
  "tui.editor.cursorLineEnd": (buffer) => [buffer.row, buffer.line.length],
  "tui.editor.cursorWordLeft": (buffer) => buffer.wordBefore(),
  "tui.editor.cursorWordRight": (buffer) => buffer.wordAfter(),
  "tui.editor.cursorLeft": (buffer) => buffer.positionBefore(),
  "tui.editor.cursorRight": (buffer) => buffer.positionAfter(),
};

/** The action of a table that the key is bound to. */
export function actionOf(table, data, keys) {
  return Object.keys(table).find((id) => keys.matches(data, id));
}
