/** Escape sequences inside a line: finding them, removing them, and the style that they leave active. */

// Unterminated strings (OSC, APC, DCS) reach to the end of the text: a terminal would not show what follows either.
const SEQUENCE =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\|$)|[()*+#%][0-9A-Za-z]|[=>78cDEHMNOZ\\])/y;
const ANY_SEQUENCE = new RegExp(SEQUENCE.source, "g");

/** The sequence that starts at `position`, or null. */
export function extractAnsiCode(text, position) {
  if (text.charCodeAt(position) !== 27) return null;
  SEQUENCE.lastIndex = position;
  const found = SEQUENCE.exec(text);
  return found ? { code: found[0], length: found[0].length } : null;
}

export function stripTerminalSequences(text) {
  return text.includes("\x1b") ? text.replace(ANY_SEQUENCE, "") : text;
}

/** Splits a line into `{ text }` and `{ code }` parts, in order. */
export function parts(line) {
  if (!line.includes("\x1b")) return line === "" ? [] : [{ text: line }];
  const found = [];
  let start = 0;
  for (const match of line.matchAll(ANY_SEQUENCE)) {
    if (match.index > start) found.push({ text: line.slice(start, match.index) });
    found.push({ code: match[0] });
    start = match.index + match[0].length;
  }
  if (start < line.length) found.push({ text: line.slice(start) });
  return found;
}

// What a parameter of SGR switches on, and which one ends it.
const ATTRIBUTES = { 1: 22, 2: 22, 3: 23, 4: 24, 5: 25, 6: 25, 7: 27, 8: 28, 9: 29, 21: 24, 53: 55 };
const ENDS = new Set([22, 23, 24, 25, 27, 28, 29, 55]);
const LINK = /^\x1b\]8;[^;]*;(.*?)(?:\x07|\x1b\\)$/s;

/** Follows SGR and OSC 8 codes, and says how to continue the same style elsewhere. */
export class StyleState {
  attributes = new Map();
  colors = new Map();
  link = "";

  get active() {
    return this.attributes.size > 0 || this.colors.size > 0;
  }

  apply(code) {
    if (code.startsWith("\x1b]8;")) {
      this.link = LINK.exec(code)?.[1] ? code : "";
    } else if (code.startsWith("\x1b[") && code.endsWith("m")) {
      this.#select(code.slice(2, -1).split(";"));
    }
  }

  #select(parameters) {
    for (let at = 0; at < parameters.length; at++) {
      const parameter = parameters[at];
      const number = Number(parameter.split(":")[0] || 0);
      if (number === 0) this.clear();
      else if (number === 38 || number === 48 || number === 58) {
        const length = parameter.includes(":") ? 1 : colorLength(parameters[at + 1]);
        this.colors.set(number, parameters.slice(at, at + length).join(";"));
        at += length - 1;
      } else if (number === 39 || number === 49 || number === 59) this.colors.delete(number - 1);
      else if ((number >= 30 && number <= 37) || (number >= 90 && number <= 97)) this.colors.set(38, parameter);
      else if ((number >= 40 && number <= 47) || (number >= 100 && number <= 107)) this.colors.set(48, parameter);
      else if (parameter === "4:0" || ENDS.has(number)) this.#end(parameter === "4:0" ? 24 : number);
      else if (ATTRIBUTES[number]) this.attributes.set(number, parameter);
    }
  }

  #end(number) {
    for (const on of [...this.attributes.keys()]) if (ATTRIBUTES[on] === number) this.attributes.delete(on);
  }

  clear() {
    this.attributes.clear();
    this.colors.clear();
  }

  /** The code that brings this style about on a neutral terminal. */
  open() {
    const style = this.active ? `\x1b[${[...this.attributes.values(), ...this.colors.values()].join(";")}m` : "";
    return style + this.link;
  }

  /** Ends what would be visible beyond the text: lines under or through the padding, and links. */
  closeAtLineEnd() {
    const ends = [4, 21].some((on) => this.attributes.has(on)) ? [24] : [];
    if (this.attributes.has(9)) ends.push(29);
    return (ends.length > 0 ? `\x1b[${ends.join(";")}m` : "") + this.closeLink();
  }

  closeLink() {
    return this.link ? "\x1b]8;;\x07" : "";
  }

  close() {
    return (this.active ? "\x1b[0m" : "") + this.closeLink();
  }
}

function colorLength(kind) {
  return kind === "5" ? 3 : kind === "2" ? 5 : 1;
}

/** The address of the link under a column of a line, if there is one. */
export function linkOf(code) {
  return LINK.exec(code)?.[1] || undefined;
}
