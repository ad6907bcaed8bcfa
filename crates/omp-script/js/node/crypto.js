// Random numbers and hashes.
const { Transform } = require("stream");
const bytesOf = (data, encoding) => {
  if (typeof data === "string") return Buffer.from(data, encoding);
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  const error = new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${data === null ? "null" : typeof data === "object" ? `an instance of ${data.constructor?.name}` : data === undefined ? "undefined" : `type ${typeof data} (${String(data)})`}`);
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
};
const shown = (bytes, encoding) => (encoding && encoding !== "buffer" ? Buffer.from(bytes).toString(encoding) : Buffer.from(bytes));
const finalized = () => Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });

class Hash extends Transform {
  constructor(finish) {
    super();
    this._parts = [];
    this._finishDigest = finish;
  }
  update(data, encoding) {
    if (this._parts === undefined) throw finalized();
    // A copy: what the script changes later was not hashed then.
    this._parts.push(Uint8Array.from(bytesOf(data, encoding)));
    return this;
  }
  digest(encoding) {
    if (this._parts === undefined) throw finalized();
    const parts = this._parts;
    this._parts = undefined;
    return shown(this._finishDigest(Buffer.concat(parts)), encoding);
  }
  copy() {
    const made = new Hash(this._finishDigest);
    made._parts = [...this._parts];
    return made;
  }
  _transform(chunk, encoding, done) { this.update(chunk, encoding); done(); }
  _flush(done) { done(null, this.digest()); }
}
const hash = (algorithm, bytes) => internal.op("crypto.hash", { algorithm: String(algorithm) }, bytes);
const createHash = (algorithm) => { hash(algorithm, new Uint8Array(0)); return new Hash((bytes) => hash(algorithm, bytes)); };
const createHmac = (algorithm, key) => {
  const own = key?.export ? key.export() : bytesOf(key);
  const sign = (bytes) => internal.op("crypto.hmac", { algorithm: String(algorithm), key: own.length }, Buffer.concat([own, bytes]));
  try { sign(Buffer.alloc(0)); } catch (error) { throw Object.assign(new Error(`Invalid digest: ${algorithm}`), { code: error.code }); }
  return new Hash(sign);
};

const random = (length) => Buffer.from(internal.op("crypto.random", { length }));
const size = (length) => {
  if (typeof length !== "number" || !(length >= 0 && length <= 2 ** 31 - 1)) throw Object.assign(new RangeError(`The value of "size" is out of range. It must be >= 0 && <= 2147483647. Received ${length}`), { code: "ERR_OUT_OF_RANGE" });
  return length;
};
const randomBytes = (length, done) => {
  const bytes = random(size(length));
  if (done === undefined) return bytes;
  queueMicrotask(() => done(null, bytes));
};
const randomFillSync = (target, offset = 0, length = target.byteLength - offset) => {
  new Uint8Array(target.buffer ?? target, (target.byteOffset ?? 0) + offset, length).set(random(length));
  return target;
};
const randomInt = (low, high, done) => {
  if (high === undefined || typeof high === "function") [low, high, done] = [0, low, high];
  const range = high - low;
  if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || range <= 0) throw Object.assign(new RangeError(`The value of "max" is out of range. It must be greater than the value of "min" (${low}). Received ${high}`), { code: "ERR_OUT_OF_RANGE" });
  // No number is likelier than another.
  const limit = 2 ** 48 - (2 ** 48 % range);
  let value;
  do value = random(6).readUIntBE(0, 6); while (value >= limit);
  const found = low + (value % range);
  if (done === undefined) return found;
  queueMicrotask(() => done(null, found));
};
const randomUUID = () => {
  const bytes = random(16);
  bytes[6] = (bytes[6] & 15) | 64;
  bytes[8] = (bytes[8] & 63) | 128;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};
const timingSafeEqual = (one, two) => {
  const [left, right] = [bytesOf(one), bytesOf(two)];
  if (left.length !== right.length) throw Object.assign(new RangeError("Input buffers must have the same byte length"), { code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH" });
  let difference = 0;
  for (let at = 0; at < left.length; at += 1) difference |= left[at] ^ right[at];
  return difference === 0;
};
const pbkdf2Sync = (password, salt, iterations, length, digest = "sha1") => {
  const key = bytesOf(password);
  const mac = (bytes) => Buffer.from(internal.op("crypto.hmac", { algorithm: digest, key: key.length }, Buffer.concat([key, bytes])));
  const blocks = [];
  for (let number = 1, total = 0; total < length; number += 1) {
    const mark = Buffer.alloc(4);
    mark.writeUInt32BE(number);
    let last = mac(Buffer.concat([bytesOf(salt), mark]));
    const block = Buffer.from(last);
    for (let round = 1; round < iterations; round += 1) {
      last = mac(last);
      for (let at = 0; at < block.length; at += 1) block[at] ^= last[at];
    }
    blocks.push(block);
    total += block.length;
  }
  return Buffer.concat(blocks, length);
};

const names = { "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512" };
const nameOf = (algorithm) => {
  const name = names[String(algorithm?.name ?? algorithm).toUpperCase()];
  if (name === undefined) throw new DOMException("Unrecognized algorithm name", "NotSupportedError");
  return name;
};
const plain = (bytes) => { const copy = Uint8Array.from(bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes); return copy.buffer; };
const lacking = (name) => async () => internal.missing(`crypto.subtle.${name}`)();
const subtle = {
  digest: async (algorithm, data) => plain(hash(nameOf(algorithm), bytesOf(data))),
  importKey: async (format, key, algorithm, extractable, usages) => {
    if (format !== "raw" || String(algorithm?.name ?? algorithm) !== "HMAC") return internal.missing("crypto.subtle.importKey of this kind")();
    return { type: "secret", algorithm, extractable, usages, key: Uint8Array.from(bytesOf(key)) };
  },
  sign: async (algorithm, key, data) => plain(internal.op("crypto.hmac", { algorithm: nameOf(key.algorithm.hash), key: key.key.length }, Buffer.concat([key.key, bytesOf(data)]))),
  verify: async (algorithm, key, signature, data) => { const own = new Uint8Array(await subtle.sign(algorithm, key, data)); const other = bytesOf(signature); return own.length === other.length && timingSafeEqual(own, other); },
  ...Object.fromEntries(["encrypt", "decrypt", "generateKey", "deriveKey", "deriveBits", "exportKey", "wrapKey", "unwrapKey"].map((name) => [name, lacking(name)])),
};
const getRandomValues = (target) => { if (target.byteLength > 65536) throw new DOMException("The requested length exceeds 65,536 bytes", "QuotaExceededError"); return randomFillSync(target); };
const webcrypto = { subtle, getRandomValues, randomUUID, get [Symbol.toStringTag]() { return "Crypto"; } };

module.exports = {
  createHash, createHmac, Hash, Hmac: Hash, randomBytes, pseudoRandomBytes: randomBytes, randomFillSync, randomInt, randomUUID, timingSafeEqual, webcrypto, subtle, getRandomValues,
  randomFill: (target, ...rest) => { const done = rest.pop(); randomFillSync(target, ...rest); queueMicrotask(() => done(null, target)); },
  hash: (algorithm, data, encoding = "hex") => shown(hash(algorithm, bytesOf(data)), encoding),
  getHashes: () => ["md5", "sha1", "sha256", "sha384", "sha512"],
  pbkdf2Sync, pbkdf2: (...args) => { const done = args.pop(); queueMicrotask(() => { let key; try { key = pbkdf2Sync(...args); } catch (error) { done(error); return; } done(null, key); }); },
  createSecretKey: (key, encoding) => { const bytes = Buffer.from(bytesOf(key, encoding)); return { type: "secret", symmetricKeySize: bytes.length, export: () => bytes }; },
  constants: {},
};
