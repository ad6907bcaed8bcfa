/** A field of one line that scrolls sideways. */

import { CURSOR_MARKER, renderFakeCursor } from "omp:tui/component";
import { getKeybindings } from "omp:tui/keybindings";
import { decodePrintableKey } from "omp:tui/keys";
import { cleanPaste, PasteReader } from "omp:tui/paste";
import { sliceByColumn, truncateToWidth } from "omp:tui/slice";
import { actionOf, EDITING, MOVES, TextBuffer } from "omp:tui/text-buffer";
import { graphemes, graphemeWidth, padding, visibleWidth } from "omp:tui/width";

export class Input {
  focused = false;
  /** Shows dots instead of the text. */
  mask = false;
  onSubmit;
  onEscape;
  #buffer = new TextBuffer();
  #paste = new PasteReader();
  #placeholder;
  #placeholderStyle;

  constructor(options = {}) {
    this.prompt = options.prompt ?? "> ";
    this.#placeholder = options.placeholder ?? "";
    this.#placeholderStyle = options.placeholderStyle ?? ((text) => text);
  }

  getValue() {
    return this.#buffer.text;
  }

  setValue(value) {
    const buffer = this.#buffer;
    const column = buffer.column;
    buffer.reset(oneLine(String(value ?? "")), "start");
    buffer.column = Math.min(column, buffer.line.length);
  }

  pasteText(text) {
    this.#buffer.insert(oneLine(text));
  }

  setUseTerminalCursor() {}

  getUseTerminalCursor() {
    return false;
  }

  invalidate() {}

  handleInput(data) {
    const { keys, pasted, rest } = this.#paste.read(data);
    if (keys) this.#key(keys);
    if (pasted !== undefined) this.pasteText(pasted);
    if (rest) this.handleInput(rest);
  }

  #key(data) {
    const keys = getKeybindings();
    const buffer = this.#buffer;
    if (keys.matches(data, "tui.select.cancel")) return this.onEscape?.();
    if (keys.matches(data, "tui.input.submit") || data === "\n") return this.onSubmit?.(buffer.text);
    const edit = actionOf(EDITING, data, keys);
    if (edit) return EDITING[edit](buffer);
    const move = actionOf(MOVES, data, keys);
    if (move) return buffer.moveTo(MOVES[move](buffer));
    const typed = decodePrintableKey(data) ?? data;
    if (!/[\x00-\x1f\x7f-\x9f]/.test(typed)) buffer.type(typed);
    return undefined;
  }

  render(width) {
    const room = width - visibleWidth(this.prompt);
    if (room <= 0) return [truncateToWidth(this.prompt, width, "")];
    const text = this.#buffer.isEmpty ? "" : this.#buffer.line;
    const line = text === "" && this.#placeholder ? this.#hint(room) : this.#view(this.mask ? "•".repeat(text.length) : text, room);
    return [this.prompt + line + padding(room - visibleWidth(line))];
  }

  #hint(room) {
    const text = truncateToWidth(this.#placeholder, room, "");
    const [first = " "] = graphemes(text);
    return this.#cursor(this.#placeholderStyle(first)) + this.#placeholderStyle(text.slice(first.length));
  }

  #cursor(text) {
    return (this.focused ? CURSOR_MARKER : "") + renderFakeCursor(text);
  }

  /** The part of the text around the cursor that fits. */
  #view(text, room) {
    const at = this.#buffer.column;
    const column = visibleWidth(text.slice(0, at));
    const total = visibleWidth(text);
    const isEnd = at === text.length;
    let [start, end] = [0, text.length];
    if (total >= room) {
      // At the end, one column is left for the cursor.
      const visible = isEnd ? room - 1 : room;
      const half = Math.floor(visible / 2);
      const first = Math.max(0, Math.min(column < half ? 0 : column - half, total - visible));
      start = Math.min(at, indexAt(text, first));
      end = start + sliceByColumn(text.slice(start), 0, visible, true).length;
    }
    const rest = text.slice(at, end);
    const [under = " "] = graphemes(rest);
    return text.slice(start, at) + this.#cursor(under) + rest.slice(rest === "" ? 0 : under.length);
  }
}

/** The first character at a column or behind it. */
function indexAt(text, column) {
  let [index, width] = [0, 0];
  for (const grapheme of graphemes(text)) {
    if (width >= column) break;
    width += graphemeWidth(grapheme);
    index += grapheme.length;
  }
  return index;
}

function oneLine(text) {
  return cleanPaste(text).replaceAll("\n", "");
}
