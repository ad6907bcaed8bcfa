// Streams: as much of them as scripts that read and write them need.
const EventEmitter = require("events");

class Stream extends EventEmitter {
  constructor(options = {}) {
    super();
    this.destroyed = false;
    this.closed = false;
    this.errored = null;
    this._options = options;
    if (typeof options.destroy === "function") this._destroy = options.destroy;
    options.signal?.addEventListener("abort", () => this.destroy(options.signal.reason), { once: true });
  }
  _destroy(error, done) { done(error); }
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.errored = error ?? null;
    this._destroy(error ?? null, (failed) => {
      queueMicrotask(() => {
        if (failed) this.emit("error", failed);
        this.closed = true;
        this.emit("close");
      });
    });
    return this;
  }
  [Symbol.asyncDispose]() { this.destroy(); return Promise.resolve(); }
}

const asBytes = (chunk, encoding) => (typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk instanceof Uint8Array && !Buffer.isBuffer(chunk) ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength) : chunk);

const readable = {
  start(options) {
    this.readable = true;
    this.readableEnded = false;
    this.readableFlowing = null;
    this.readableObjectMode = Boolean(options.objectMode ?? options.readableObjectMode);
    this.readableHighWaterMark = options.highWaterMark ?? options.readableHighWaterMark ?? (this.readableObjectMode ? 16 : 65536);
    this._chunks = [];
    this._size = 0;
    this._ended = false;
    this._reading = false;
    this._encoding = null;
    if (options.encoding) this.setEncoding(options.encoding);
    if (typeof options.read === "function") this._read = options.read;
  },
  methods: {
    get readableLength() { return this._size; },
    get readableEncoding() { return this._encoding; },
    _read() {},
    setEncoding(encoding) {
      const { StringDecoder } = require("string_decoder");
      this._decoder = new StringDecoder(encoding);
      this._encoding = encoding;
      this._chunks = this._chunks.map((chunk) => (typeof chunk === "string" ? chunk : this._decoder.write(chunk))).filter((text) => text !== "");
      return this;
    },
    push(chunk, encoding) {
      this._reading = false;
      if (chunk === null) {
        const rest = this._decoder?.end();
        if (rest) this._chunks.push(rest);
        this._ended = true;
      } else {
        let own = this.readableObjectMode ? chunk : asBytes(chunk, encoding);
        if (this._decoder && !this.readableObjectMode) own = this._decoder.write(own);
        if (this.readableObjectMode || own.length > 0) {
          this._chunks.push(own);
          this._size += this.readableObjectMode ? 1 : own.length;
        }
      }
      this._schedule();
      return this._size < this.readableHighWaterMark && !this._ended;
    },
    unshift(chunk) {
      const own = this.readableObjectMode ? chunk : this._encoding && typeof chunk !== "string" ? Buffer.from(chunk).toString(this._encoding) : chunk;
      this._chunks.unshift(own);
      this._size += this.readableObjectMode ? 1 : own.length;
      this._schedule();
    },
    _more() {
      if (this._reading || this._ended || this.destroyed || this._size >= this.readableHighWaterMark) return;
      this._reading = true;
      try { this._read(this.readableHighWaterMark); } catch (error) { this.destroy(error); }
    },
    _schedule() {
      if (this._scheduled) return;
      this._scheduled = true;
      queueMicrotask(() => {
        this._scheduled = false;
        this._flow();
      });
    },
    _flow() {
      if (this.destroyed) return;
      if (this.listenerCount("readable") > 0 && (this._chunks.length > 0 || this._ended) && !this.readableEnded) this.emit("readable");
      while (this.readableFlowing === true && this._chunks.length > 0 && !this.destroyed) this.emit("data", this._take());
      if (this._ended && this._chunks.length === 0 && (this.readableFlowing === true || this._drained)) return this._finish();
      if (this.readableFlowing === true || this.listenerCount("readable") > 0) this._more();
    },
    _take() {
      const chunk = this._chunks.shift();
      this._size -= this.readableObjectMode ? 1 : chunk.length;
      return chunk;
    },
    _finish() {
      if (this.readableEnded) return;
      this.readableEnded = true;
      this.readable = false;
      this.emit("end");
      if (this._options.autoDestroy !== false && (this.writable === undefined || this.writableFinished || !this._isDuplex)) queueMicrotask(() => this.destroy());
    },
    read(size) {
      if (this._chunks.length === 0) {
        this._drained = true;
        if (this._ended) this._schedule();
        else this._more();
        if (this._chunks.length === 0) return null;
      }
      if (this.readableObjectMode) return this._take();
      const all = this._chunks.length === 1 ? this._chunks[0] : this._encoding ? this._chunks.join("") : Buffer.concat(this._chunks);
      if (size !== undefined && size < all.length) {
        this._chunks = [all.slice(size)];
        this._size = all.length - size;
        return all.slice(0, size);
      }
      if (size !== undefined && size > all.length && !this._ended) { this._more(); return null; }
      this._chunks = [];
      this._size = 0;
      this._drained = true;
      if (this._ended) this._schedule();
      return all;
    },
    on(name, listener) {
      EventEmitter.prototype.on.call(this, name, listener);
      if (name === "data" && this.readableFlowing !== false) this.resume();
      if (name === "readable") { this._schedule(); queueMicrotask(() => this._more()); }
      return this;
    },
    addListener(name, listener) { return this.on(name, listener); },
    resume() { if (this.readableFlowing !== true) { this.readableFlowing = true; this._schedule(); this.emit("resume"); } return this; },
    pause() { if (this.readableFlowing !== false) { this.readableFlowing = false; this.emit("pause"); } return this; },
    isPaused() { return this.readableFlowing === false; },
    pipe(target, { end = true } = {}) {
      this.on("data", (chunk) => { if (target.write(chunk) === false) { this.pause(); target.once("drain", () => this.resume()); } });
      if (end) this.once("end", () => target.end());
      (this._piped ??= []).push(target);
      target.emit("pipe", this);
      return target;
    },
    unpipe() { this.removeAllListeners("data"); return this; },
    wrap() { return this; },
    async *[Symbol.asyncIterator]() {
      let failure;
      let wake = () => {};
      const wakes = () => wake();
      const fails = (error) => { failure = error; wake(); };
      this.on("readable", wakes);
      this.on("end", wakes);
      this.on("close", wakes);
      this.on("error", fails);
      try {
        for (;;) {
          if (failure !== undefined) throw failure;
          const chunk = this.destroyed ? null : this.read();
          if (chunk !== null) { yield chunk; continue; }
          if (this.readableEnded || this.destroyed) { if (this.errored) throw this.errored; return; }
          await new Promise((resolve) => { wake = resolve; });
        }
      } finally {
        this.off("readable", wakes);
        this.destroy();
      }
    },
    async toArray() { const all = []; for await (const chunk of this) all.push(chunk); return all; },
    map(work) { const own = this; return Readable.from((async function* () { for await (const chunk of own) yield await work(chunk); })()); },
    filter(work) { const own = this; return Readable.from((async function* () { for await (const chunk of own) if (await work(chunk)) yield chunk; })()); },
    async forEach(work) { for await (const chunk of this) await work(chunk); },
  },
};

const writable = {
  start(options) {
    this.writable = true;
    this.writableEnded = false;
    this.writableFinished = false;
    this.writableObjectMode = Boolean(options.objectMode ?? options.writableObjectMode);
    this.writableHighWaterMark = options.highWaterMark ?? options.writableHighWaterMark ?? (this.writableObjectMode ? 16 : 65536);
    this._queue = [];
    this._pending = 0;
    this._busy = false;
    this._corked = 0;
    for (const name of ["write", "writev", "final"]) if (typeof options[name] === "function") this[`_${name}`] = options[name];
  },
  methods: {
    get writableLength() { return this._pending; },
    get writableNeedDrain() { return this._pending >= this.writableHighWaterMark; },
    _write(chunk, encoding, done) { done(); },
    _final(done) { done(); },
    write(chunk, encoding, done) {
      const callback = typeof encoding === "function" ? encoding : done;
      const code = typeof encoding === "string" ? encoding : this._defaultEncoding;
      if (chunk === null) { const error = new TypeError("May not write null values to stream"); error.code = "ERR_STREAM_NULL_VALUES"; throw error; }
      if (this.writableEnded || this.destroyed) {
        const error = new Error(this.destroyed ? "Cannot call write after a stream was destroyed" : "write after end");
        error.code = this.destroyed ? "ERR_STREAM_DESTROYED" : "ERR_STREAM_WRITE_AFTER_END";
        queueMicrotask(() => { callback?.(error); if (!this.destroyed) this.destroy(error); });
        return false;
      }
      const own = this.writableObjectMode || this._options.decodeStrings === false ? chunk : asBytes(chunk, code);
      const size = this.writableObjectMode ? 1 : own.length;
      this._pending += size;
      this._queue.push({ chunk: own, encoding: typeof own === "string" ? code ?? "utf8" : "buffer", size, callback });
      this._pump();
      return this._pending < this.writableHighWaterMark;
    },
    _pump() {
      if (this._busy || this._corked > 0) return;
      const next = this._queue.shift();
      if (next === undefined) return this._settle();
      this._busy = true;
      let done = false;
      const finished = (error) => {
        if (done) return;
        done = true;
        this._busy = false;
        const wasFull = this._pending >= this.writableHighWaterMark;
        this._pending -= next.size;
        if (error) { next.callback?.(error); this.destroy(error); return; }
        queueMicrotask(() => {
          next.callback?.(null);
          if (wasFull && this._pending < this.writableHighWaterMark && !this.writableEnded) this.emit("drain");
        });
        this._pump();
      };
      try { this._write(next.chunk, next.encoding, finished); } catch (error) { finished(error); }
    },
    _settle() {
      if (!this.writableEnded || this.writableFinished || this._finishing || this.destroyed) return;
      this._finishing = true;
      const finished = (error) => {
        if (error) return this.destroy(error);
        queueMicrotask(() => {
          this.writableFinished = true;
          this.emit("finish");
          if (this._options.autoDestroy !== false && (!this._isDuplex || this.readableEnded)) queueMicrotask(() => this.destroy());
        });
      };
      try { this._final(finished); } catch (error) { finished(error); }
    },
    end(chunk, encoding, done) {
      const callback = [chunk, encoding, done].find((one) => typeof one === "function");
      if (chunk !== undefined && chunk !== null && typeof chunk !== "function") this.write(chunk, typeof encoding === "string" ? encoding : undefined);
      if (callback) { if (this.writableFinished) queueMicrotask(callback); else this.once("finish", callback); }
      this._corked = 0;
      if (!this.writableEnded) { this.writableEnded = true; this.writable = false; this._pump(); }
      return this;
    },
    cork() { this._corked += 1; },
    uncork() { this._corked = Math.max(0, this._corked - 1); this._pump(); },
    setDefaultEncoding(encoding) { this._defaultEncoding = encoding; return this; },
  },
};

const mix = (target, methods) => {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(methods))) Object.defineProperty(target, name, { ...descriptor, enumerable: false });
  for (const symbol of Object.getOwnPropertySymbols(methods)) Object.defineProperty(target, symbol, Object.getOwnPropertyDescriptor(methods, symbol));
};

class Readable extends Stream {
  constructor(options = {}) { super(options); readable.start.call(this, options); }
  static from(source, options = {}) {
    if (typeof source === "string" || source instanceof Uint8Array) return new Readable({ objectMode: true, ...options, read() { this.push(source); this.push(null); } });
    const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
    return new Readable({
      objectMode: true, ...options,
      async read() {
        try {
          const { value, done } = await iterator.next();
          this.push(done ? null : await value);
        } catch (error) { this.destroy(error); }
      },
      destroy(error, done) { iterator.return?.(); done(error); },
    });
  }
  static fromWeb(stream, options) {
    const reader = stream.getReader();
    return new Readable({ ...options, async read() { try { const { value, done } = await reader.read(); this.push(done ? null : value); } catch (error) { this.destroy(error); } } });
  }
  static toWeb(stream) {
    return new ReadableStream({ start(controller) { stream.on("data", (chunk) => controller.enqueue(chunk)); stream.once("end", () => controller.close()); stream.once("error", (error) => controller.error(error)); } });
  }
}
mix(Readable.prototype, readable.methods);

class Writable extends Stream {
  constructor(options = {}) { super(options); writable.start.call(this, options); }
}
mix(Writable.prototype, writable.methods);

class Duplex extends Readable {
  constructor(options = {}) {
    super(options);
    this._isDuplex = true;
    writable.start.call(this, options);
    if (options.allowHalfOpen === false) this.once("end", () => this.end());
  }
  static [Symbol.hasInstance](value) { return Function.prototype[Symbol.hasInstance].call(this, value); }
}
mix(Duplex.prototype, writable.methods);
Object.defineProperty(Writable, Symbol.hasInstance, {
  value(value) { return Function.prototype[Symbol.hasInstance].call(this, value) || (this === Writable && value instanceof Duplex); },
});

class Transform extends Duplex {
  constructor(options = {}) {
    super(options);
    for (const name of ["transform", "flush"]) if (typeof options[name] === "function") this[`_${name}`] = options[name];
  }
  _transform(chunk, encoding, done) { done(null, chunk); }
  _flush(done) { done(); }
  _write(chunk, encoding, done) {
    this._transform(chunk, encoding, (error, result) => {
      if (!error && result !== undefined && result !== null) this.push(result);
      done(error);
    });
  }
  _final(done) {
    this._flush((error, result) => {
      if (error) return done(error);
      if (result !== undefined && result !== null) this.push(result);
      this.push(null);
      done();
    });
  }
}
class PassThrough extends Transform {}

const finished = (stream, options, callback) => {
  const done = typeof options === "function" ? options : callback;
  let called = false;
  const once = (error) => { if (!called) { called = true; done(error); } };
  stream.on("error", once);
  stream.on("end", () => { if (!stream._isDuplex || stream.writableFinished) once(); });
  stream.on("finish", () => { if (!stream._isDuplex || stream.readableEnded) once(); });
  stream.on("close", () => {
    const complete = (stream.readableEnded ?? true) && (stream.writableFinished ?? true);
    const early = Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
    once(complete ? undefined : stream.errored ?? early);
  });
  if ((stream.readableEnded || stream.readable === undefined) && (stream.writableFinished || stream.writable === undefined)) queueMicrotask(() => once());
  return () => { called = true; };
};

const pipeline = (...parts) => {
  const callback = typeof parts.at(-1) === "function" && !isGenerator(parts.at(-1)) ? parts.pop() : () => {};
  const streams = parts.flat();
  let current = streams[0];
  if (typeof current === "function") current = current();
  if (!(current instanceof EventEmitter)) current = Readable.from(current);
  const all = [current];
  for (const part of streams.slice(1)) {
    const next = typeof part === "function" ? Readable.from(part(current)) : part;
    if (typeof part !== "function") current.pipe(next);
    all.push(next);
    current = next;
  }
  let open = all.length;
  let failed;
  const end = (error) => {
    if (error && failed === undefined) {
      failed = error;
      for (const stream of all) stream.destroy();
      callback(error);
      return;
    }
    open -= 1;
    if (open === 0 && failed === undefined) callback();
  };
  for (const stream of all) finished(stream, end);
  return current;
};
const isGenerator = (work) => /Generator/.test(Object.prototype.toString.call(work));

Object.assign(Stream, {
  Stream, Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline,
  addAbortSignal: (signal, stream) => { signal.addEventListener("abort", () => stream.destroy(signal.reason), { once: true }); return stream; },
  isReadable: (stream) => stream.readable === true, isErrored: (stream) => Boolean(stream.errored), isDisturbed: (stream) => Boolean(stream._drained),
  getDefaultHighWaterMark: (objects) => (objects ? 16 : 65536), setDefaultHighWaterMark() {}, compose: internal.missing("node:stream.compose"),
  promises: {
    finished: (stream, options) => new Promise((resolve, reject) => finished(stream, options ?? {}, (error) => (error ? reject(error) : resolve()))),
    pipeline: (...parts) => new Promise((resolve, reject) => {
      const last = parts.at(-1);
      const own = last !== null && typeof last === "object" && !(last instanceof EventEmitter) && !last[Symbol.asyncIterator] && !last[Symbol.iterator] ? parts.slice(0, -1) : parts;
      pipeline(own, (error) => (error ? reject(error) : resolve()));
    }),
  },
});
module.exports = Stream;
