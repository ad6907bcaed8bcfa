/** Bracketed paste: the terminal sends pasted text between two marks, in one piece or several. */

const START = "\x1b[200~";
const END = "\x1b[201~";
const MAXIMUM = 8 * 1024 * 1024;

export class PasteReader {
  #text;

  /** `{ keys, pasted, rest }`: input before a paste, the text of a finished one, and input behind it. */
  read(data) {
    if (this.#text === undefined) {
      const start = data.indexOf(START);
      if (start < 0) return { keys: data };
      this.#text = "";
      const after = this.read(data.slice(start + START.length));
      return { ...after, keys: data.slice(0, start) };
    }
    const end = (this.#text + data).indexOf(END);
    if (end < 0) {
      this.#text = (this.#text + data).slice(0, MAXIMUM);
      return { keys: "" };
    }
    const whole = this.#text + data;
    this.#text = undefined;
    return { keys: "", pasted: whole.slice(0, end), rest: whole.slice(end + END.length) };
  }
}

/** Pasted text as it may stand in an editor: no control characters, plain line ends, spaces for tabs. */
export function cleanPaste(text) {
  // Some terminals send Ctrl+J of a paste as `CSI 106;5u`.
  const decoded = text.replace(/\x1b\[106;5u/g, "\n").replace(/\r\n?/g, "\n").replaceAll("\t", "    ");
  return decoded.replace(/[\x00-\x09\x0b-\x1f\x7f]/g, "");
}
