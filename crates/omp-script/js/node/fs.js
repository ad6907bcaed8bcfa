// Files, three times: at once, with a callback, as a promise. Each function is written once, over `run(operation, arguments, bytes)`,
// which is either of the two ways to do an operation.
const EventEmitter = require("events");
const { Readable, Writable } = require("stream");
const { resolve, join, dirname, basename } = require("path");

const constants = {
  F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64,
  O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_NOFOLLOW: 131072, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFLNK: 40960,
  S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64, S_IRGRP: 32, S_IWGRP: 16, S_IXGRP: 8, S_IROTH: 4, S_IWOTH: 2, S_IXOTH: 1, S_IRWXU: 448,
};

const invalid = (name, value, wanted) => {
  const shown = value === null ? "null" : value === undefined ? "undefined" : typeof value === "object" ? `an instance of ${value.constructor?.name}` : typeof value === "function" ? `function ${value.name}` : `type ${typeof value} (${typeof value === "string" ? `'${value}'` : String(value)})`;
  const error = new TypeError(`The "${name}" argument must be ${wanted}. Received ${shown}`);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
};

const at = (path, name = "path") => {
  let text = path;
  if (path instanceof URL || (path !== null && typeof path === "object" && typeof path.href === "string")) text = require("url").fileURLToPath(path);
  else if (path instanceof Uint8Array) text = Buffer.from(path).toString();
  else if (typeof path !== "string") throw invalid(name, path, "of type string or an instance of Buffer or URL");
  if (text.includes("\0")) {
    const error = new TypeError(`The argument '${name}' must be a string, Uint8Array, or URL without null bytes. Received ${require("util").inspect(text)}`);
    error.code = "ERR_INVALID_ARG_VALUE";
    throw error;
  }
  // Relative to the directory of the unit; the rest is left to the system, which knows links.
  return text.startsWith("/") ? text : text === "" ? "" : `${internal.op("process.cwd")}/${text}`;
};

// An error names the path as it was given.
const shown = (given, error, second) => {
  if (error === null || typeof error !== "object") return error;
  for (const [key, own] of [["path", given], ["dest", second]]) {
    if (typeof error[key] !== "string" || typeof own !== "string" || own.startsWith("/")) continue;
    error.message = error.message.replace(`'${error[key]}'`, `'${own}'`);
    error[key] = own;
  }
  return error;
};

const encodingOf = (options) => (typeof options === "string" ? options : options?.encoding) ?? undefined;
const optionsOf = (options) => (typeof options === "string" ? { encoding: options } : options ?? {});
const modeOf = (mode) => (typeof mode === "string" ? parseInt(mode, 8) : mode);

const bytesOf = (data, encoding) => {
  if (typeof data === "string") return Buffer.from(data, encoding);
  if (data instanceof Uint8Array) return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw invalid("data", data, "of type string or an instance of Buffer, TypedArray, or DataView");
};

class Stats {
  constructor(facts) {
    const { kind, ...rest } = facts;
    Object.assign(this, rest);
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) this[name] = new Date(rest[`${name}Ms`]);
    Object.defineProperty(this, "kind", { value: kind, enumerable: false });
  }
  isFile() { return this.kind === "file"; }
  isDirectory() { return this.kind === "directory"; }
  isSymbolicLink() { return this.kind === "link"; }
  isFIFO() { return this.kind === "fifo"; }
  isSocket() { return this.kind === "socket"; }
  isCharacterDevice() { return this.kind === "character"; }
  isBlockDevice() { return this.kind === "block"; }
}
const big = (stats) => {
  const made = Object.create(Stats.prototype);
  for (const [key, value] of Object.entries(stats)) made[key] = typeof value === "number" ? BigInt(Math.floor(value)) : value;
  for (const name of ["atime", "mtime", "ctime", "birthtime"]) made[`${name}Ns`] = BigInt(Math.floor(stats[`${name}Ms`] * 1e6));
  Object.defineProperty(made, "kind", { value: stats.kind, enumerable: false });
  return made;
};
const statsOf = (facts, options) => (options?.bigint ? big(new Stats(facts)) : new Stats(facts));

class Dirent {
  constructor(name, parent, kind) {
    this.name = name;
    this.parentPath = parent;
    this.path = parent;
    Object.defineProperty(this, "kind", { value: kind, enumerable: false });
  }
}
for (const name of Object.getOwnPropertyNames(Stats.prototype)) if (name.startsWith("is")) Dirent.prototype[name] = Stats.prototype[name];

// A value that is there at once, with a `then` like that of a promise: errors are thrown where they happen.
class Now {
  constructor(value) { this.value = value; }
  then(next) {
    const value = next(this.value);
    return value instanceof Now ? value : new Now(value);
  }
}
const now = (operation, args, bytes) => new Now(internal.op(operation, args, bytes));
const unwrap = (chain) => (chain instanceof Now ? unwrap(chain.value) : chain);
const later = (operation, args, bytes) => internal.later(operation, args, bytes);

// Every function, over either way. What they return is a chain with `then`.
const make = (run) => ({
  readFile(path, options) {
    const encoding = encodingOf(options);
    if (typeof path === "number" || path instanceof FileHandle) return readAll(run, typeof path === "number" ? path : path.fd, encoding);
    const isText = encoding !== undefined && /^utf-?8$/i.test(encoding);
    return run("fs.read", { path: at(path), text: isText }).then((found) => (isText ? found : encoding ? Buffer.from(found).toString(encoding) : Buffer.from(found)));
  },
  writeFile(path, data, options) {
    const { encoding, mode, flag } = optionsOf(options);
    if (typeof path === "number" || path instanceof FileHandle) {
      return run("fs.writeAt", { id: typeof path === "number" ? path : path.fd }, bytesOf(data, encoding)).then(() => undefined);
    }
    return run("fs.write", { path: at(path), flag: flag ?? "w", mode: modeOf(mode) }, bytesOf(data, encoding)).then(() => undefined);
  },
  appendFile(path, data, options) { return this.writeFile(path, data, { flag: "a", ...optionsOf(options) }); },
  stat: (path, options) => run("fs.stat", { path: at(path), quiet: options?.throwIfNoEntry === false }).then((facts) => (facts === undefined ? undefined : statsOf(facts, options))),
  lstat: (path, options) => run("fs.stat", { path: at(path), link: true, quiet: options?.throwIfNoEntry === false }).then((facts) => (facts === undefined ? undefined : statsOf(facts, options))),
  readdir(path, options) {
    const { withFileTypes, recursive } = optionsOf(options);
    const base = at(path);
    const given = String(path instanceof URL ? base : path);
    const list = (directory, prefix) => run("fs.list", { path: directory }).then((entries) => {
      const own = entries.map(([name, kind]) => (withFileTypes ? new Dirent(name, prefix === "" ? given : `${given}/${prefix.slice(0, -1)}`, kind) : `${prefix}${name}`));
      if (!recursive) return own;
      const below = entries.filter(([, kind]) => kind === "directory");
      const next = (number, found) => (number >= below.length ? found : list(`${directory}/${below[number][0]}`, `${prefix}${below[number][0]}/`).then((more) => next(number + 1, [...found, ...more])));
      return next(0, own);
    });
    return list(base, "");
  },
  mkdir(path, options) {
    const recursive = typeof options === "object" && options !== null && options.recursive === true;
    return run("fs.mkdir", { path: at(path), recursive }).then((first) => first);
  },
  mkdtemp: (prefix) => run("fs.mkdtemp", { path: at(prefix, "prefix") }).then((path) => (prefix.startsWith("/") ? path : path.slice(internal.op("process.cwd").length + 1))),
  rm(path, options = {}) {
    // Looked at first, as Node does: that is what its errors say.
    return run("fs.stat", { path: at(path), link: true, quiet: options?.force }).then((facts) => {
      if (facts?.kind === "directory" && !options?.recursive) {
        throw Object.assign(new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`), { name: "SystemError", code: "ERR_FS_EISDIR", errno: 21, syscall: "rm", path });
      }
      return run("fs.remove", { path: at(path), what: "any", recursive: options?.recursive, force: options?.force });
    }).then(() => undefined);
  },
  rmdir: (path, options = {}) => run("fs.remove", { path: at(path), what: options.recursive ? "any" : "directory", recursive: options.recursive }).then(() => undefined),
  unlink: (path) => run("fs.remove", { path: at(path), what: "file" }).then(() => undefined),
  rename: (path, dest) => run("fs.rename", { path: at(path, "oldPath"), dest: at(dest, "newPath") }).then(() => undefined),
  copyFile: (path, dest, mode = 0) => run("fs.copy", { path: at(path, "src"), dest: at(dest, "dest"), exclusive: (mode & 1) === 1 }).then(() => undefined),
  cp(path, dest, options = {}) {
    const own = this;
    return own.lstat(path).then((stats) => {
      if (!stats.isDirectory()) {
        if (stats.isSymbolicLink()) return own.readlink(path).then((target) => own.symlink(target, dest));
        return run("fs.mkdir", { path: dirname(at(dest)), recursive: true }).then(() => own.copyFile(path, dest, options.errorOnExist && options.force === false ? 1 : 0));
      }
      if (!options.recursive) throw Object.assign(new Error(`Recursive option not enabled, cannot copy a directory: cp returned EISDIR (${path} is a directory (not copied)) ${path}`), { code: "ERR_FS_EISDIR" });
      return own.mkdir(dest, { recursive: true }).then(() => own.readdir(path)).then((names) => {
        const next = (number) => (number >= names.length ? undefined : own.cp(join(String(path), names[number]), join(String(dest), names[number]), options).then(() => next(number + 1)));
        return next(0);
      });
    });
  },
  symlink: (target, path) => run("fs.link", { path: String(target), dest: at(path) }).then(() => undefined),
  link: (existing, path) => run("fs.link", { path: at(existing), dest: at(path), hard: true }).then(() => undefined),
  readlink: (path) => run("fs.readlink", { path: at(path) }).then((target) => target),
  realpath: (path) => run("fs.realpath", { path: at(path) }).then((found) => found),
  access: (path, mode = 0) => run("fs.access", { path: at(path), mode }).then(() => undefined),
  chmod: (path, mode) => run("fs.chmod", { path: at(path), mode: modeOf(mode) }).then(() => undefined),
  utimes: (path, atime, mtime) => run("fs.utimes", { path: at(path), atime: seconds(atime), mtime: seconds(mtime) }).then(() => undefined),
  truncate: (path, length = 0) => run("fs.truncate", { path: at(path), length }).then(() => undefined),
});
const seconds = (time) => (time instanceof Date ? time.getTime() / 1000 : Number(time));

const readAll = (run, id, encoding) => {
  const parts = [];
  const next = () => run("fs.readAt", { id, length: 65536 }).then((bytes) => {
    if (bytes.byteLength === 0) { const all = Buffer.concat(parts); return encoding ? all.toString(encoding) : all; }
    parts.push(Buffer.from(bytes));
    return next();
  });
  return next();
};

// -- open files

const flagOf = (flags) => {
  if (typeof flags === "string") return flags;
  if (typeof flags !== "number") return "r";
  if (flags & constants.O_APPEND) return flags & 2 ? "a+" : "a";
  if (flags & constants.O_CREAT) return `w${flags & constants.O_EXCL ? "x" : ""}${flags & 2 ? "+" : ""}`;
  return flags & 3 ? "r+" : "r";
};
const sync = {
  openSync(path, flags = "r", mode) {
    try { return internal.op("fs.open", { path: at(path), flag: flagOf(flags), mode: modeOf(mode) }); } catch (error) { throw shown(path, error); }
  },
  closeSync: (fd) => internal.op("fs.close", { id: fd }),
  readSync(fd, buffer, offset, length, position) {
    if (offset !== null && typeof offset === "object") ({ offset = 0, length = buffer.byteLength - offset, position = null } = offset);
    const start = offset ?? 0;
    const bytes = new Uint8Array(internal.op("fs.readAt", { id: fd, length: length ?? buffer.byteLength - start, position: position === null || position === undefined || position < 0 ? undefined : Number(position) }));
    new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(bytes, start);
    return bytes.length;
  },
  writeSync(fd, data, offset, length, position) {
    if (fd === 1 || fd === 2) { (fd === 1 ? process.stdout : process.stderr).write(data); return data.length; }
    if (typeof data === "string") return internal.op("fs.writeAt", { id: fd, position: typeof offset === "number" ? offset : undefined }, Buffer.from(data, typeof length === "string" ? length : undefined));
    const start = typeof offset === "number" ? offset : 0;
    const part = bytesOf(data).subarray(start, start + (length ?? data.byteLength - start));
    return internal.op("fs.writeAt", { id: fd, position: typeof position === "number" ? position : undefined }, part);
  },
  fstatSync: (fd, options) => statsOf(internal.op("fs.fstat", { id: fd }), options),
  ftruncateSync: (fd, length = 0) => internal.op("fs.ftruncate", { id: fd, length }),
  fsyncSync() {}, fdatasyncSync() {},
};

class FileHandle extends EventEmitter {
  constructor(fd) { super(); this.fd = fd; }
  async read(buffer, offset, length, position) {
    if (buffer === undefined || (!ArrayBuffer.isView(buffer) && typeof buffer === "object")) ({ buffer = Buffer.alloc(16384), offset, length, position } = buffer ?? {});
    return { bytesRead: sync.readSync(this.fd, buffer, offset, length, position), buffer };
  }
  async write(data, ...rest) { return { bytesWritten: sync.writeSync(this.fd, data, ...rest), buffer: data }; }
  async readFile(options) { return unwrap(readAll(now, this.fd, encodingOf(options))); }
  async writeFile(data, options) { sync.writeSync(this.fd, typeof data === "string" ? Buffer.from(data, encodingOf(options)) : data); }
  async appendFile(data, options) { await this.writeFile(data, options); }
  async stat(options) { return sync.fstatSync(this.fd, options); }
  async truncate(length) { sync.ftruncateSync(this.fd, length); }
  async sync() {}
  async datasync() {}
  async close() { if (this.fd >= 0) { sync.closeSync(this.fd); this.fd = -1; this.emit("close"); } }
  createReadStream(options) { return createReadStream("", { ...options, fd: this.fd }); }
  createWriteStream(options) { return createWriteStream("", { ...options, fd: this.fd }); }
  async *readLines() { yield* (await this.readFile("utf8")).split(/\r?\n/); }
  [Symbol.asyncDispose]() { return this.close(); }
}

const createReadStream = (path, options) => {
  const { encoding, start = 0, end = Infinity, highWaterMark = 65536, fd, flags = "r", autoClose = true } = optionsOf(options);
  let id = fd;
  let position = start;
  let opened = false;
  const open = () => {
    if (opened) return;
    opened = true;
    if (id === undefined) { id = sync.openSync(path, flags); stream.fd = id; }
    stream.emit("open", id);
    stream.emit("ready");
  };
  const stream = new Readable({
    encoding, highWaterMark,
    read() {
      queueMicrotask(() => {
        if (stream.destroyed) return;
        try {
          open();
          const length = Math.min(highWaterMark, end - position + 1);
          const bytes = length > 0 ? Buffer.from(internal.op("fs.readAt", { id, length, position })) : Buffer.alloc(0);
          position += bytes.length;
          stream.bytesRead += bytes.length;
          stream.push(bytes.length === 0 ? null : bytes);
        } catch (error) { stream.destroy(shown(path, error)); }
      });
    },
    destroy(error, done) {
      if (opened && id !== undefined && autoClose && fd === undefined) sync.closeSync(id);
      done(error);
    },
  });
  // Opened at once, so that a file that is missing is reported to who only listens.
  queueMicrotask(() => { try { open(); } catch (error) { stream.destroy(shown(path, error)); } });
  return Object.assign(stream, { path, fd, bytesRead: 0, close: (done) => { if (done) stream.once("close", done); stream.destroy(); } });
};

const createWriteStream = (path, options) => {
  const { flags = "w", mode, fd, start } = optionsOf(options);
  let id = fd;
  let position = start;
  let opened = false;
  const open = () => {
    if (opened) return;
    opened = true;
    if (id === undefined) { id = sync.openSync(path, flags, mode); stream.fd = id; }
    stream.emit("open", id);
    stream.emit("ready");
  };
  const stream = new Writable({
    write(chunk, encoding, done) {
      try {
        open();
        const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
        internal.op("fs.writeAt", { id, position }, bytes);
        if (position !== undefined) position += bytes.length;
        stream.bytesWritten += bytes.length;
        done();
      } catch (error) { done(shown(path, error)); }
    },
    final(done) { try { open(); done(); } catch (error) { done(shown(path, error)); } },
    destroy(error, done) { if (opened && id !== undefined && fd === undefined) sync.closeSync(id); done(error); },
  });
  queueMicrotask(() => { try { open(); } catch (error) { stream.destroy(shown(path, error)); } });
  return Object.assign(stream, { path, fd, bytesWritten: 0, close: (done) => { if (done) stream.once("close", done); stream.end(); } });
};

// Changes are noticed by looking: there is no other way inside.
const watchFile = (path, options, listener) => {
  const [settings, call] = typeof options === "function" ? [{}, options] : [options ?? {}, listener];
  const look = () => fs.statSync(path, { throwIfNoEntry: false }) ?? new Stats({ kind: "none", size: 0, mtimeMs: 0, atimeMs: 0, ctimeMs: 0, birthtimeMs: 0 });
  let before = look();
  const timer = internal.node("timers").setInterval(() => {
    const after = look();
    if (after.mtimeMs !== before.mtimeMs || after.size !== before.size) { const old = before; before = after; call(after, old); }
  }, settings.interval ?? 5007);
  watched.push({ path: at(path), call, timer });
  return Object.assign(new EventEmitter(), { ref() {}, unref() {} });
};
const watched = [];
const unwatchFile = (path, call) => {
  for (const own of watched) if (own.path === at(path) && (call === undefined || own.call === call)) own.timer.clear();
};
const watch = (path, options, listener) => {
  const call = typeof options === "function" ? options : listener;
  const settings = typeof options === "object" && options !== null ? options : {};
  const emitter = new EventEmitter();
  const full = at(path);
  const state = () => {
    const found = new Map();
    const add = (name, stats) => { if (stats) found.set(name, `${stats.ino}:${stats.mtimeMs}:${stats.size}`); };
    const stats = fs.statSync(full, { throwIfNoEntry: false });
    if (stats?.isDirectory()) {
      for (const name of fs.readdirSync(full, { recursive: settings.recursive })) add(name, fs.lstatSync(`${full}/${name}`, { throwIfNoEntry: false }));
    } else add(basename(full), stats);
    return found;
  };
  fs.statSync(full);
  let before = state();
  const timer = internal.node("timers").setInterval(() => {
    let after;
    try { after = state(); } catch (error) { emitter.emit("error", error); return; }
    for (const [name, value] of after) if (before.get(name) !== value) emitter.emit("change", before.has(name) ? "change" : "rename", name);
    for (const name of before.keys()) if (!after.has(name)) emitter.emit("change", "rename", name);
    before = after;
  }, 250);
  if (call) emitter.on("change", call);
  emitter.close = () => { timer.clear(); emitter.emit("close"); };
  emitter.ref = emitter.unref = () => emitter;
  settings.signal?.addEventListener("abort", () => emitter.close(), { once: true });
  return emitter;
};

// -- the module

const first = make(now);
const second = make(later);
const fs = { ...sync, constants, ...constants, Stats, Dirent, createReadStream, createWriteStream, watch, watchFile, unwatchFile, FileHandle };
const promises = { constants, FileHandle };
const callback = (name, work) => function (...args) {
  const done = args.pop();
  if (typeof done !== "function") throw invalid("cb", done, "of type function");
  work(...args).then((value) => queueMicrotask(() => internal.guarded(`an error in a callback of fs.${name}`, done, value === undefined && name !== "mkdir" ? [null] : [null, value])), (error) => queueMicrotask(() => internal.guarded(`an error in a callback of fs.${name}`, done, [error])));
};
for (const name of Object.keys(second)) {
  fs[`${name}Sync`] = (...args) => {
    try { return unwrap(first[name](...args)); } catch (error) { throw shown(args[0], error, args[1]); }
  };
  promises[name] = async (...args) => {
    try { return await second[name](...args); } catch (error) { throw shown(args[0], error, args[1]); }
  };
  fs[name] = callback(name, promises[name]);
}
promises.open = async (path, flags, mode) => { try { return new FileHandle(sync.openSync(path, flags, mode)); } catch (error) { throw shown(path, error); } };
promises.watch = async function* (path, options) { for await (const [eventType, filename] of EventEmitter.on(watch(path, options), "change", options)) yield { eventType, filename }; };
promises.opendir = async (path) => fs.opendirSync(path);
promises.lutimes = promises.utimes;
promises.chown = promises.lchown = async () => { internal.missing("node:fs.chown")(); };
for (const name of ["open", "close", "fstat", "ftruncate", "fsync", "fdatasync"]) fs[name] = callback(name, async (...args) => fs[`${name}Sync`](...args));
for (const name of ["read", "write"]) {
  fs[name] = (...args) => {
    const done = args.pop();
    let count;
    try { count = fs[`${name}Sync`](...args); } catch (error) { queueMicrotask(() => done(error)); return; }
    queueMicrotask(() => done(null, count, args[1]));
  };
  Object.defineProperty(fs[name], Symbol.for("nodejs.util.promisify.custom"), { value: async (...args) => ({ [name === "read" ? "bytesRead" : "bytesWritten"]: fs[`${name}Sync`](...args), buffer: args[1] }) });
}
fs.existsSync = (path) => { try { return internal.op("fs.stat", { path: at(path), quiet: true }) !== undefined; } catch { return false; } };
fs.exists = (path, done) => queueMicrotask(() => done(fs.existsSync(path)));
Object.defineProperty(fs.exists, Symbol.for("nodejs.util.promisify.custom"), { value: async (path) => fs.existsSync(path) });
fs.realpathSync.native = fs.realpathSync;
fs.realpath.native = fs.realpath;
fs.opendirSync = (path) => {
  const entries = fs.readdirSync(path, { withFileTypes: true });
  return {
    path, readSync: () => entries.shift() ?? null, read: async () => entries.shift() ?? null, closeSync() {}, close: async () => {},
    async *[Symbol.asyncIterator]() { yield* entries; },
  };
};
fs.lutimesSync = fs.utimesSync;
fs.lutimes = fs.utimes;
fs.futimesSync = () => {};
fs.fchmodSync = () => {};
fs.promises = promises;
fs.ReadStream = createReadStream;
fs.WriteStream = createWriteStream;
module.exports = fs;
