// Bytes that arrive in pieces, as text without halves of characters.
class StringDecoder {
  #rest = Buffer.alloc(0);
  constructor(encoding = "utf8") {
    if (!Buffer.isEncoding(encoding)) throw Object.assign(new TypeError(`Unknown encoding: ${encoding}`), { code: "ERR_UNKNOWN_ENCODING" });
    this.encoding = { "utf-8": "utf8", "ucs2": "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le", binary: "latin1" }[encoding.toLowerCase()] ?? encoding.toLowerCase();
  }
  #keep(bytes) {
    switch (this.encoding) {
      case "utf8": {
        for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
          const byte = bytes[bytes.length - back];
          if ((byte & 0xc0) === 0x80) continue;
          const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
          return wanted > back ? back : 0;
        }
        return 0;
      }
      case "utf16le": return bytes.length % 2;
      case "base64": return bytes.length % 3;
      default: return 0;
    }
  }
  write(chunk) {
    const all = typeof chunk === "string" ? chunk : Buffer.concat([this.#rest, chunk]);
    if (typeof all === "string") return all;
    const keep = this.#keep(all);
    this.#rest = Buffer.from(all.subarray(all.length - keep));
    return all.toString(this.encoding, 0, all.length - keep);
  }
  end(chunk) {
    const text = chunk === undefined ? "" : this.write(chunk);
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return text + rest.toString(this.encoding);
  }
}
module.exports = { StringDecoder };
