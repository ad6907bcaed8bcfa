/** Large pastes stand in the text as one mark each, and come back when it is sent. */

const LARGE_LINES = 10;
const LARGE_CHARACTERS = 1_000;
const MARK = /\[paste #(\d+) (?:\+\d+ lines|\d+ chars)\]/g;

export class Pastes {
  #texts = new Map();
  #last = 0;

  /** The mark for a text, or the text itself if it is short. */
  mark(text) {
    const lines = text.split("\n").length;
    if (lines <= LARGE_LINES && text.length <= LARGE_CHARACTERS) return text;
    this.#texts.set(++this.#last, text);
    return `[paste #${this.#last} ${lines > LARGE_LINES ? `+${lines} lines` : `${text.length} chars`}]`;
  }

  /** The marks in a line that stand for a paste, for `TextBuffer.atoms`. */
  marks(line) {
    if (this.#texts.size === 0 || !line.includes("[paste #")) return [];
    return [...line.matchAll(MARK)].filter((mark) => this.#texts.has(Number(mark[1])));
  }

  expand(text) {
    return text.replace(MARK, (mark, number) => this.#texts.get(Number(number)) ?? mark);
  }

  clear() {
    this.#texts.clear();
    this.#last = 0;
  }
}
