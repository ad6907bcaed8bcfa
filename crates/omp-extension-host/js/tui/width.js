/** How many columns text takes, and where its graphemes end. */

import { callNow } from "omp:host";
import { stripTerminalSequences } from "omp:tui/ansi";

export const TAB_WIDTH = 3;
const TAB = " ".repeat(TAB_WIDTH);

// Scripts, signs and boxes of one column each that never join with a neighbour: what interfaces are mostly made of. Everything
// else is asked of the host, which has the tables of the terminal's renderer.
const SIMPLE =
  /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u203b\u203d-\u2048\u204a-\u205e\u20a0-\u20c0\u2190-\u21ff\u2200-\u22ff\u2500-\u25fc\u25ff\u2713\u2717-\u2718\u276e-\u2771\u2800-\u28ff]*$/;

const REMEMBERED = 1_000;
const REMEMBERED_LENGTH = 400;

class Memory {
  #kept = new Map();

  get(text, make) {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    const made = make(text);
    if (text.length <= REMEMBERED_LENGTH) {
      if (this.#kept.size >= REMEMBERED) this.#kept.clear();
      this.#kept.set(text, made);
    }
    return made;
  }
}

const widths = new Memory();
const splits = new Memory();

export function isSimple(text) {
  return SIMPLE.test(text);
}

/** Columns of text without escape sequences and tabs. */
function plainWidth(text) {
  return SIMPLE.test(text) ? text.length : widths.get(text, (text) => callNow("tui.width", { text }));
}

export function visibleWidth(text) {
  if (SIMPLE.test(text)) return text.length;
  let plain = stripTerminalSequences(text);
  if (plain.includes("\t")) plain = replaceTabs(plain);
  return plainWidth(plain.replace(/[\x00-\x1f\x7f]/g, ""));
}

export function graphemes(text) {
  return SIMPLE.test(text) ? text.split("") : splits.get(text, (text) => callNow("tui.graphemes", { text }));
}

/** Columns of one grapheme as it stands in a line: a tab has its own, control characters have none. */
export function graphemeWidth(grapheme) {
  const code = grapheme.charCodeAt(0);
  if (code === 9) return TAB_WIDTH;
  if (code < 32 || code === 127) return 0;
  return plainWidth(grapheme);
}

export function replaceTabs(text) {
  return text.includes("\t") ? text.replaceAll("\t", TAB) : text;
}

export function padding(columns) {
  return columns > 0 ? " ".repeat(columns) : "";
}

/** Fills a line up with spaces. Longer lines stay as they are. */
export function padTo(line, columns) {
  return line + padding(columns - visibleWidth(line));
}

export function centerLine(line, columns) {
  return padTo(padding(Math.floor((columns - visibleWidth(line)) / 2)) + line, columns);
}

/** Pads a line and gives all of it a background. */
export function applyBackgroundToLine(line, columns, background) {
  return background(padTo(line, columns));
}

export function replaceControlCharacters(text) {
  return replaceTabs(stripTerminalSequences(text)).replace(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/g, "");
}

/** For code that was written with `Intl.Segmenter`. */
export function getGraphemeSegmenter() {
  return {
    *segment(input) {
      let index = 0;
      for (const segment of graphemes(input)) {
        yield { segment, index, input };
        index += segment.length;
      }
    },
  };
}

export const getSegmenter = getGraphemeSegmenter;
export const DEFAULT_TAB_WIDTH = TAB_WIDTH;
