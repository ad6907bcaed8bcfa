const { Transform } = require("stream");
const bytesOf = (data) => (typeof data === "string" ? Buffer.from(data) : ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data instanceof ArrayBuffer ? new Uint8Array(data) : (() => { throw Object.assign(new TypeError('The "buffer" argument must be of type string or an instance of Buffer, TypedArray, DataView, or ArrayBuffer.'), { code: "ERR_INVALID_ARG_TYPE" }); })());
const kinds = {
  gzip: ["pack", "gzip"], deflate: ["pack", "zlib"], deflateRaw: ["pack", "raw"], gunzip: ["unpack", "gzip"], inflate: ["unpack", "zlib"], inflateRaw: ["unpack", "raw"], unzip: ["unpack", "auto"],
};
const zlib = {};
for (const [name, [way, format]] of Object.entries(kinds)) {
  const args = (options) => ({ format, level: options?.level >= 0 ? options.level : undefined, most: options?.maxOutputLength });
  zlib[`${name}Sync`] = (data, options) => Buffer.from(internal.op(`zlib.${way}`, args(options), bytesOf(data)));
  zlib[name] = (data, options, done) => {
    const [settings, call] = typeof options === "function" ? [{}, options] : [options, done];
    internal.later(`zlib.${way}`, args(settings), bytesOf(data)).then((bytes) => call(null, Buffer.from(bytes)), (error) => call(error));
  };
  const title = name[0].toUpperCase() + name.slice(1);
  // The whole is packed when it has all arrived.
  zlib[title] = class extends Transform {
    constructor(options) { super(); this._settings = options; this._parts = []; }
    _transform(chunk, encoding, done) { this._parts.push(Buffer.from(chunk)); done(); }
    _flush(done) { internal.later(`zlib.${way}`, args(this._settings), Buffer.concat(this._parts)).then((bytes) => done(null, Buffer.from(bytes)), done); }
  };
  zlib[`create${title}`] = (options) => new zlib[title](options);
}
const table = Array.from({ length: 256 }, (_, byte) => { let value = byte; for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1; return value; });
zlib.crc32 = (data, start = 0) => { let value = ~start; for (const byte of bytesOf(data)) value = table[(value ^ byte) & 255] ^ (value >>> 8); return ~value >>> 0; };
zlib.constants = {
  Z_NO_FLUSH: 0, Z_PARTIAL_FLUSH: 1, Z_SYNC_FLUSH: 2, Z_FULL_FLUSH: 3, Z_FINISH: 4, Z_BLOCK: 5, Z_OK: 0, Z_STREAM_END: 1, Z_NEED_DICT: 2, Z_ERRNO: -1, Z_STREAM_ERROR: -2, Z_DATA_ERROR: -3, Z_MEM_ERROR: -4, Z_BUF_ERROR: -5,
  Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_DEFAULT_STRATEGY: 0, Z_DEFAULT_LEVEL: -1,
};
module.exports = Object.assign(zlib, zlib.constants);
