/** Wrapping at words: of styled lines, and of a line of an editor with the positions of its pieces. */

import { parts, StyleState } from "omp:tui/ansi";
import { graphemes, graphemeWidth, isSimple, visibleWidth } from "omp:tui/width";

// Between these, and beside them, a line may end anywhere.
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

export function wrapTextWithAnsi(text, width) {
  if (text === "") return [""];
  const limit = Math.max(1, width);
  const style = new StyleState();
  const wrapped = [];
  for (const line of text.split("\n")) {
    if (isSimple(line) && line.length <= limit && !style.active && !style.link) wrapped.push(line);
    else wrapped.push(...new Lines(limit, style).of(line));
  }
  return wrapped;
}

/** The lines that one line becomes. Its style goes on with the next one. */
class Lines {
  #done = [];
  #column = 0;
  // Spaces and the codes among them: dropped if the line ends here.
  #gap = [];
  #gapWidth = 0;

  constructor(limit, style) {
    this.limit = limit;
    this.style = style;
    this.current = style.open();
  }

  of(line) {
    if (visibleWidth(line) <= this.limit) {
      this.#append(parts(line), 0);
      this.#end();
      return this.#done;
    }
    for (const word of words(line)) {
      if (word.isSpace) this.#space(word);
      else this.#word(word);
    }
    this.#end();
    return this.#done;
  }

  #space(word) {
    this.#gap.push(...word.pieces);
    if (this.#column > 0 || this.#done.length === 0) this.#gapWidth += word.width;
    else this.#gap = this.#gap.filter((piece) => piece.code !== undefined);
  }

  #word(word) {
    const fits = this.#column + this.#gapWidth + word.width <= this.limit;
    if (!fits && (this.#column > 0 || this.#gapWidth > 0)) this.#break();
    this.#fill();
    if (word.width <= this.limit) return this.#append(word.pieces, word.width);
    for (const piece of word.pieces) {
      if (piece.code !== undefined) this.#append([piece], 0);
      else this.#cut(piece.text);
    }
  }

  #cut(text) {
    for (const grapheme of graphemes(text)) {
      const width = graphemeWidth(grapheme);
      if (this.#column + width > this.limit && this.#column > 0) this.#break();
      this.#append([{ text: grapheme }], width);
    }
  }

  #fill() {
    this.#append(this.#gap, this.#gapWidth);
    this.#gap = [];
    this.#gapWidth = 0;
  }

  #append(pieces, width) {
    for (const piece of pieces) {
      if (piece.code !== undefined) this.style.apply(piece.code);
      this.current += piece.code ?? piece.text;
    }
    this.#column += width;
  }

  #break() {
    const codes = this.#gap.filter((piece) => piece.code !== undefined);
    this.#gap = [];
    this.#end();
    for (const piece of codes) this.style.apply(piece.code);
    this.current = this.style.open();
  }

  #end() {
    this.#append(this.#gap.filter((piece) => piece.code !== undefined), 0);
    this.#done.push(this.current + this.style.closeAtLineEnd());
    this.current = "";
    this.#column = 0;
    this.#gap = [];
    this.#gapWidth = 0;
  }
}

/** Runs of spaces and words, as pieces of text and the codes among them. A code does not end a word. */
function words(line) {
  const found = [];
  for (const part of parts(line)) {
    const last = found.at(-1);
    if (part.code !== undefined) {
      if (last) last.pieces.push(part);
      else found.push({ pieces: [part], width: 0, isSpace: false });
      continue;
    }
    for (const text of split(part.text)) add(found, text);
  }
  return found;
}

function add(found, text) {
  const isSpace = /^[ \t]/.test(text);
  const isIdeograph = !isSimple(text) && IDEOGRAPH.test(text);
  const last = found.at(-1);
  const width = visibleWidth(text);
  if (last && last.isSpace === isSpace && !isIdeograph && !last.isIdeograph) {
    last.pieces.push({ text });
    last.width += width;
  } else found.push({ pieces: [{ text }], width, isSpace, isIdeograph });
}

function split(text) {
  const pieces = text.match(/[ \t]+|[^ \t]+/g) ?? [];
  if (isSimple(text)) return pieces;
  return pieces.flatMap((piece) => (IDEOGRAPH.test(piece) ? splitIdeographs(piece) : [piece]));
}

function splitIdeographs(piece) {
  const pieces = [];
  let word = "";
  for (const grapheme of graphemes(piece)) {
    if (!IDEOGRAPH.test(grapheme)) {
      word += grapheme;
      continue;
    }
    if (word) pieces.push(word);
    word = "";
    pieces.push(grapheme);
  }
  if (word) pieces.push(word);
  return pieces;
}

/** A line of an editor in pieces of at most `width` columns: `{ text, start, end }` with positions in the line. */
export function wordWrapLine(line, width, wholes = undefined) {
  if (!wholes && isSimple(line)) return wrapSimple(line, width);
  wholes ??= graphemes(line);
  // A mark that is wider than a row is broken like any word.
  const segments = wholes.flatMap((whole) => (isMark(whole) && visibleWidth(whole) > width ? graphemes(whole) : [whole]));
  if (visibleWidth(line) <= width) return [{ text: line, startIndex: 0, endIndex: line.length }];
  const chunks = [];
  let [start, column, at] = [0, 0, 0];
  // Where the line may end: behind the last run of spaces.
  let [breakAt, columnAtBreak] = [-1, 0];
  const cut = (end) => {
    chunks.push({ text: line.slice(start, end), startIndex: start, endIndex: end });
    start = end;
    breakAt = -1;
  };
  segments.forEach((segment, index) => {
    const columns = visibleWidth(segment);
    const isSpace = /^\s+$/.test(segment);
    if (column + columns > width && at > start && !isSpace) {
      if (breakAt > start) {
        column -= columnAtBreak;
        cut(breakAt);
      }
      if (column + columns > width) {
        column = 0;
        cut(at);
      }
    }
    column += columns;
    at += segment.length;
    const next = segments[index + 1];
    const mayEnd = isSpace || stands(segment) || (next && stands(next));
    if (mayEnd && next && !/^\s/.test(next)) [breakAt, columnAtBreak] = [at, column];
  });
  cut(line.length);
  return chunks;
}

/** The same for a line of characters of one column each, which is what most lines are. */
function wrapSimple(line, width) {
  const chunks = [];
  let start = 0;
  while (line.length - start > width) {
    // Spaces at the end of a row take no room; a row ends behind them.
    let end = start + width;
    if (line[end] === " ") while (line[end] === " ") end++;
    else {
      const space = line.lastIndexOf(" ", end - 1);
      if (space > start) end = space + 1;
    }
    if (end >= line.length) break;
    chunks.push({ text: line.slice(start, end), startIndex: start, endIndex: end });
    start = end;
  }
  chunks.push({ text: line.slice(start), startIndex: start, endIndex: line.length });
  return chunks;
}

function isMark(segment) {
  return segment.length > 8 && segment.startsWith("[paste #");
}

function stands(segment) {
  return IDEOGRAPH.test(segment) || isMark(segment);
}
