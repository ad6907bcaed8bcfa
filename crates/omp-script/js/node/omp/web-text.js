// Text as bytes and back.
class TextEncoder {
  get encoding() { return "utf-8"; }
  encode(text = "") { return new Uint8Array(internal.encode(String(text).toWellFormed())); }
  encodeInto(text, target) {
    let read = 0;
    let written = 0;
    for (const letter of String(text)) {
      const bytes = this.encode(letter);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      written += bytes.length;
      read += letter.length;
    }
    return { read, written };
  }
}

const labels = {
  "utf-8": "utf-8", utf8: "utf-8", "unicode-1-1-utf-8": "utf-8", "utf-16le": "utf-16le", "utf-16": "utf-16le", ucs2: "utf-16le",
  latin1: "windows-1252", "iso-8859-1": "windows-1252", ascii: "windows-1252", "us-ascii": "windows-1252", "windows-1252": "windows-1252",
};
const HIGH = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

// How many bytes at the end are the beginning of a character.
const unfinished = (bytes) => {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
};

class TextDecoder {
  #rest = new Uint8Array(0);
  #started = false;
  constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
    const encoding = labels[String(label).trim().toLowerCase()];
    if (encoding === undefined) {
      const error = new RangeError(`The "${label}" encoding is not supported`);
      error.code = "ERR_ENCODING_NOT_SUPPORTED";
      throw error;
    }
    this.encoding = encoding;
    this.fatal = fatal;
    this.ignoreBOM = ignoreBOM;
  }
  decode(input = new Uint8Array(0), { stream = false } = {}) {
    let bytes = input instanceof Uint8Array ? input
      : ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    if (this.#rest.length > 0) {
      const joined = new Uint8Array(this.#rest.length + bytes.length);
      joined.set(this.#rest);
      joined.set(bytes, this.#rest.length);
      bytes = joined;
      this.#rest = new Uint8Array(0);
    }
    let text;
    if (this.encoding === "utf-8") {
      const keep = stream ? unfinished(bytes) : 0;
      if (keep > 0) {
        this.#rest = bytes.slice(bytes.length - keep);
        bytes = Uint8Array.prototype.subarray.call(bytes, 0, bytes.length - keep);
      }
      const found = internal.decode(bytes, this.fatal);
      if (found === undefined) {
        const error = new TypeError("The encoded data was not valid for encoding utf-8");
        error.code = "ERR_ENCODING_INVALID_ENCODED_DATA";
        throw error;
      }
      text = found;
    } else if (this.encoding === "utf-16le") {
      if (stream && bytes.length % 2 === 1) {
        this.#rest = bytes.slice(-1);
        bytes = bytes.slice(0, -1);
      }
      text = "";
      for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
    } else {
      text = Array.from(bytes, (byte) => (byte >= 128 && byte < 160 ? HIGH[byte - 128] : String.fromCharCode(byte))).join("");
    }
    if (!this.ignoreBOM && !this.#started && text.startsWith("\ufeff")) text = text.slice(1);
    this.#started = stream && (this.#started || text !== "");
    return text;
  }
}
module.exports = { TextEncoder, TextDecoder };
