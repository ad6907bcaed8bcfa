// Bytes with the methods of Node.
const { TextEncoder, TextDecoder } = require("omp/web-text");
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

const fail = (Kind, code, message) => {
  const error = new Kind(message);
  error.code = code;
  return error;
};

const kindOf = (value) => (value === null ? "null" : value === undefined ? "undefined" : typeof value === "object" ? `an instance of ${value.constructor?.name}` : `type ${typeof value} (${typeof value === "string" ? `'${value}'` : String(value)})`);

// -- encodings

const encodings = {
  utf8: "utf8", "utf-8": "utf8", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le", latin1: "latin1",
  binary: "latin1", ascii: "ascii", base64: "base64", base64url: "base64url", hex: "hex",
};

const encodingOf = (name) => {
  if (name === undefined || name === null || name === "") return "utf8";
  const known = encodings[String(name).toLowerCase()];
  if (known === undefined) throw fail(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
  return known;
};

const toBase64 = (bytes, url) => {
  const letters = `${LETTERS}${url ? "-_" : "+/"}`;
  const parts = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const group = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const count = Math.min(bytes.length - at, 3);
    let text = letters[group >> 18] + letters[(group >> 12) & 63];
    if (count > 1) text += letters[(group >> 6) & 63];
    else if (!url) text += "=";
    if (count > 2) text += letters[group & 63];
    else if (!url) text += "=";
    parts.push(text);
  }
  return parts.join("");
};

const values = new Int8Array(128).fill(-1);
for (let at = 0; at < LETTERS.length; at += 1) values[LETTERS.charCodeAt(at)] = at;
for (const [letter, value] of [["+", 62], ["-", 62], ["/", 63], ["_", 63]]) values[letter.charCodeAt(0)] = value;

const fromBase64 = (text) => {
  const bytes = [];
  let group = 0;
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 61) break;
    const value = code < 128 ? values[code] : -1;
    if (value < 0) continue;
    group = ((group << 6) | value) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push((group >> count) & 255);
    }
  }
  return new Uint8Array(bytes);
};

const fromHex = (text) => {
  const bytes = [];
  for (let at = 0; at + 1 < text.length; at += 2) {
    const pair = text.slice(at, at + 2);
    if (!/^[0-9a-f]{2}$/i.test(pair)) break;
    bytes.push(parseInt(pair, 16));
  }
  return new Uint8Array(bytes);
};

const encode = (text, encoding) => {
  switch (encoding) {
    case "utf8": return encoder.encode(text);
    case "hex": return fromHex(text);
    case "base64":
    case "base64url": return fromBase64(text);
    case "utf16le": {
      const bytes = new Uint8Array(text.length * 2);
      for (let at = 0; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        bytes[at * 2] = code & 255;
        bytes[at * 2 + 1] = code >> 8;
      }
      return bytes;
    }
    default: return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at) & 255);
  }
};

const narrow = (bytes, mask) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    const part = bytes.subarray(at, at + 8192);
    text += String.fromCharCode.apply(null, mask === 255 ? part : part.map((byte) => byte & mask));
  }
  return text;
};

const decode = (bytes, encoding) => {
  switch (encoding) {
    case "utf8": return decoder.decode(bytes);
    case "hex": {
      let text = "";
      for (const byte of bytes) text += (byte < 16 ? "0" : "") + byte.toString(16);
      return text;
    }
    case "base64": return toBase64(bytes, false);
    case "base64url": return toBase64(bytes, true);
    case "utf16le": {
      let text = "";
      for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
      return text;
    }
    case "ascii": return narrow(bytes, 127);
    default: return narrow(bytes, 255);
  }
};

// -- the class

const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const like = (bytes) => {
  const buffer = new FastBuffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer;
};

class FastBuffer extends Uint8Array {
  toString(encoding, start = 0, end = this.length) {
    const from = Math.max(0, start | 0);
    const to = Math.min(this.length, end === undefined ? this.length : end | 0);
    if (from >= to) return "";
    const all = from === 0 && to === this.length;
    return decode(all ? this : this.subarray(from, to), encodingOf(encoding));
  }
  toLocaleString(...args) { return this.toString(...args); }
  toJSON() { return { type: "Buffer", data: Array.from(this) }; }
  equals(other) { return compare(this, other) === 0; }
  compare(other, start = 0, end = other.length, ownStart = 0, ownEnd = this.length) {
    return compare(this.subarray(ownStart, ownEnd), other.subarray(start, end));
  }
  slice(start, end) { return this.subarray(start, end); }
  subarray(start, end) { return like(Uint8Array.prototype.subarray.call(this, start, end)); }
  write(text, offset, length, encoding) {
    if (typeof offset === "string") [encoding, offset, length] = [offset, 0, undefined];
    else if (typeof length === "string") [encoding, length] = [length, undefined];
    const at = offset ?? 0;
    const room = Math.min(length ?? this.length - at, this.length - at);
    let bytes = encode(String(text), encodingOf(encoding));
    if (bytes.length > room) {
      bytes = bytes.subarray(0, room);
      // No half characters.
      if (encodingOf(encoding) === "utf8") {
        let end = bytes.length;
        while (end > 0 && (bytes[end - 1] & 0xc0) === 0x80) end -= 1;
        const lead = bytes[end - 1] ?? 0;
        const wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
        if (end > 0 && end - 1 + wanted > bytes.length) bytes = bytes.subarray(0, end - 1);
      }
    }
    this.set(bytes, at);
    return bytes.length;
  }
  copy(target, targetStart = 0, start = 0, end = this.length) {
    const part = Uint8Array.prototype.subarray.call(this, start, Math.min(end, start + Math.max(0, target.length - targetStart)));
    target.set(part, targetStart);
    return part.length;
  }
  fill(value, offset, end, encoding) {
    if (typeof value !== "string") {
      if (value instanceof Uint8Array) return this.#repeat(value, offset, end);
      return Uint8Array.prototype.fill.call(this, value, offset, end);
    }
    if (typeof offset === "string") [encoding, offset, end] = [offset, undefined, undefined];
    else if (typeof end === "string") [encoding, end] = [end, undefined];
    return this.#repeat(encode(value, encodingOf(encoding)), offset, end);
  }
  #repeat(bytes, offset = 0, end = this.length) {
    if (bytes.length === 0) return Uint8Array.prototype.fill.call(this, 0, offset, end);
    for (let at = offset; at < end; at += 1) this[at] = bytes[(at - offset) % bytes.length];
    return this;
  }
  indexOf(value, offset, encoding) { return search(this, value, offset, encoding, false); }
  lastIndexOf(value, offset, encoding) { return search(this, value, offset, encoding, true); }
  includes(value, offset, encoding) { return this.indexOf(value, offset, encoding) >= 0; }
  swap16() { return this.#swap(2); }
  swap32() { return this.#swap(4); }
  swap64() { return this.#swap(8); }
  #swap(size) {
    if (this.length % size !== 0) throw fail(RangeError, "ERR_INVALID_BUFFER_SIZE", `Buffer size must be a multiple of ${size * 8}-bits`);
    for (let at = 0; at < this.length; at += size) Uint8Array.prototype.subarray.call(this, at, at + size).reverse();
    return this;
  }
  get parent() { return this.buffer; }
  get offset() { return this.byteOffset; }
  readUIntBE(offset, length) { let value = 0; for (let at = 0; at < length; at += 1) value = value * 256 + this[offset + at]; return value; }
  readUIntLE(offset, length) { let value = 0; for (let at = length - 1; at >= 0; at -= 1) value = value * 256 + this[offset + at]; return value; }
  readIntBE(offset, length) { const value = this.readUIntBE(offset, length); return value >= 2 ** (length * 8 - 1) ? value - 2 ** (length * 8) : value; }
  readIntLE(offset, length) { const value = this.readUIntLE(offset, length); return value >= 2 ** (length * 8 - 1) ? value - 2 ** (length * 8) : value; }
  writeUIntBE(value, offset, length) { let rest = value; for (let at = length - 1; at >= 0; at -= 1) { this[offset + at] = rest % 256; rest = Math.floor(rest / 256); } return offset + length; }
  writeUIntLE(value, offset, length) { let rest = value; for (let at = 0; at < length; at += 1) { this[offset + at] = rest % 256; rest = Math.floor(rest / 256); } return offset + length; }
  writeIntBE(value, offset, length) { return this.writeUIntBE(value < 0 ? value + 2 ** (length * 8) : value, offset, length); }
  writeIntLE(value, offset, length) { return this.writeUIntLE(value < 0 ? value + 2 ** (length * 8) : value, offset, length); }
}

const range = (buffer, offset, size) => {
  if (typeof offset !== "number") throw fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "offset" argument must be of type number. Received ${kindOf(offset)}`);
  if (!Number.isInteger(offset) || offset < 0 || offset + size > buffer.length) {
    if (buffer.length < size) throw fail(RangeError, "ERR_BUFFER_OUT_OF_BOUNDS", "Attempt to access memory outside buffer bounds");
    throw fail(RangeError, "ERR_OUT_OF_RANGE", `The value of "offset" is out of range. It must be >= 0 and <= ${buffer.length - size}. Received ${offset}`);
  }
};
const numbers = [
  ["UInt8", "Uint8", 1], ["Int8", "Int8", 1], ["UInt16", "Uint16", 2], ["Int16", "Int16", 2], ["UInt32", "Uint32", 4], ["Int32", "Int32", 4],
  ["BigUInt64", "BigUint64", 8], ["BigInt64", "BigInt64", 8], ["Float", "Float32", 4], ["Double", "Float64", 8],
];
const limits = { UInt8: [0, 255], Int8: [-128, 127], UInt16: [0, 65535], Int16: [-32768, 32767], UInt32: [0, 2 ** 32 - 1], Int32: [-(2 ** 31), 2 ** 31 - 1] };
for (const [name, kind, size] of numbers) {
  for (const [end, little] of size === 1 ? [["", true]] : [["LE", true], ["BE", false]]) {
    const read = function (offset = 0) {
      range(this, offset, size);
      return view(this)[`get${kind}`](offset, little);
    };
    const write = function (value, offset = 0) {
      range(this, offset, size);
      const limit = limits[name];
      if (limit && (value < limit[0] || value > limit[1])) {
        throw fail(RangeError, "ERR_OUT_OF_RANGE", `The value of "value" is out of range. It must be >= ${limit[0]} and <= ${limit[1]}. Received ${value}`);
      }
      view(this)[`set${kind}`](offset, value, little);
      return offset + size;
    };
    for (const shown of [name, name.replace("UInt", "Uint")]) {
      FastBuffer.prototype[`read${shown}${end}`] = read;
      FastBuffer.prototype[`write${shown}${end}`] = write;
    }
  }
}
for (const name of Object.getOwnPropertyNames(FastBuffer.prototype)) {
  if (name !== "constructor") Object.defineProperty(FastBuffer.prototype, name, { enumerable: false });
}

const compare = (one, two) => {
  if (!(one instanceof Uint8Array) || !(two instanceof Uint8Array)) {
    throw fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "buf" argument must be an instance of Buffer or Uint8Array. Received ${kindOf(two)}`);
  }
  const length = Math.min(one.length, two.length);
  for (let at = 0; at < length; at += 1) if (one[at] !== two[at]) return one[at] < two[at] ? -1 : 1;
  return Math.sign(one.length - two.length);
};

const search = (buffer, value, offset, encoding, backwards) => {
  if (typeof offset === "string") [encoding, offset] = [offset, undefined];
  if (typeof value === "number") {
    return backwards
      ? Uint8Array.prototype.lastIndexOf.call(buffer, value & 255, offset ?? buffer.length - 1)
      : Uint8Array.prototype.indexOf.call(buffer, value & 255, offset ?? 0);
  }
  const wanted = typeof value === "string" ? encode(value, encodingOf(encoding)) : value;
  const last = buffer.length - wanted.length;
  let at = offset === undefined || Number.isNaN(offset) ? (backwards ? last : 0) : offset < 0 ? Math.max(0, buffer.length + offset) : offset;
  if (backwards) at = Math.min(at, last);
  for (; backwards ? at >= 0 : at <= last; at += backwards ? -1 : 1) {
    let same = 0;
    while (same < wanted.length && buffer[at + same] === wanted[same]) same += 1;
    if (same === wanted.length) return at;
  }
  return -1;
};

function Buffer(value, encoding, length) {
  return typeof value === "number" ? Buffer.alloc(value) : Buffer.from(value, encoding, length);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(FastBuffer.prototype, "constructor", { value: Buffer, writable: true, configurable: true, enumerable: false });

const size = (length) => {
  if (typeof length !== "number") throw fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "size" argument must be of type number. Received ${kindOf(length)}`);
  if (!(length >= 0 && length <= 2 ** 53)) throw fail(RangeError, "ERR_OUT_OF_RANGE", `The value of "size" is out of range. It must be >= 0 && <= 9007199254740991. Received ${length}`);
  return Math.floor(length);
};

Object.assign(Buffer, {
  poolSize: 8192,
  alloc(length, value, encoding) {
    const made = new FastBuffer(size(length));
    return value === undefined || value === 0 ? made : made.fill(value, encoding);
  },
  allocUnsafe: (length) => new FastBuffer(size(length)),
  allocUnsafeSlow: (length) => new FastBuffer(size(length)),
  from(value, encoding, length) {
    if (typeof value === "string") return like(encode(value, encodingOf(encoding)));
    if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer)) {
      return new FastBuffer(value, encoding, length);
    }
    if (ArrayBuffer.isView(value)) {
      const made = new FastBuffer(value.length ?? value.byteLength);
      made.set(value);
      return made;
    }
    if (value !== null && typeof value === "object") {
      if (value.type === "Buffer" && Array.isArray(value.data)) return new FastBuffer(value.data);
      if (typeof value.length === "number") return new FastBuffer(Array.from(value, (one) => one & 255));
      const plain = value.valueOf?.();
      if (plain !== value && (typeof plain === "string" || (plain !== null && typeof plain === "object"))) return Buffer.from(plain, encoding, length);
      if (typeof value[Symbol.toPrimitive] === "function") return Buffer.from(value[Symbol.toPrimitive]("string"), encoding);
    }
    throw fail(TypeError, "ERR_INVALID_ARG_TYPE", `The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ${kindOf(value)}`);
  },
  of: (...bytes) => new FastBuffer(bytes),
  isBuffer: (value) => value instanceof FastBuffer,
  isEncoding: (name) => typeof name === "string" && encodings[name.toLowerCase()] !== undefined,
  byteLength(value, encoding) {
    if (typeof value !== "string") {
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
      throw fail(TypeError, "ERR_INVALID_ARG_TYPE", `The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received ${kindOf(value)}`);
    }
    switch (encodingOf(encoding)) {
      case "hex": return value.length >>> 1;
      case "base64":
      case "base64url": return (value.replace(/={1,2}$/, "").length * 3) >>> 2;
      case "utf16le": return value.length * 2;
      case "utf8": return encoder.encode(value).length;
      default: return value.length;
    }
  },
  concat(list, total) {
    const length = total ?? list.reduce((sum, one) => sum + one.length, 0);
    const made = new FastBuffer(length);
    let at = 0;
    for (const one of list) {
      if (at >= length) break;
      const part = one.length > length - at ? one.subarray(0, length - at) : one;
      made.set(part, at);
      at += part.length;
    }
    return made;
  },
  compare,
  copyBytesFrom: (bytes, offset = 0, length = undefined) => Buffer.from(bytes.slice(offset, length === undefined ? undefined : offset + length)),
});

const atob = (text) => {
  const plain = String(text).replace(/[\t\n\f\r ]/g, "");
  const bare = plain.length % 4 === 0 ? plain.replace(/={1,2}$/, "") : plain;
  if (bare.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(bare)) throw new DOMException("The string to be decoded is not correctly encoded.", "InvalidCharacterError");
  return narrow(fromBase64(bare), 255);
};
const btoa = (text) => {
  const plain = String(text);
  for (let at = 0; at < plain.length; at += 1) if (plain.charCodeAt(at) > 255) throw new DOMException("Invalid character", "InvalidCharacterError");
  return toBase64(encode(plain, "latin1"), false);
};

module.exports = {
  Buffer, SlowBuffer: Buffer, kMaxLength: 2 ** 53 - 1, kStringMaxLength: 2 ** 30 - 1, INSPECT_MAX_BYTES: 50,
  constants: { MAX_LENGTH: 2 ** 53 - 1, MAX_STRING_LENGTH: 2 ** 30 - 1 },
  atob, btoa,
  isUtf8: (bytes) => { try { new TextDecoder("utf-8", { fatal: true }).decode(bytes); return true; } catch { return false; } },
  isAscii: (bytes) => new Uint8Array(bytes.buffer ?? bytes).every((byte) => byte < 128),
  get Blob() { return globalThis.Blob; },
  get File() { return globalThis.File; },
};
