// Streams of the web: enough to read a body, and to make one.
class ReadableStreamDefaultController {
  constructor(stream) { this.stream = stream; }
  get desiredSize() { return this.stream._high - this.stream._chunks.length; }
  enqueue(chunk) { this.stream._push({ value: chunk, done: false }); }
  close() { this.stream._end(); }
  error(error) { this.stream._fail(error); }
}
class Reader {
  constructor(stream) { this.stream = stream; stream._locked = true; this.closed = new Promise((resolve, reject) => { stream._closed = { resolve, reject }; }); this.closed.catch(() => {}); if (stream._state === "closed") stream._closed.resolve(); }
  read() { return this.stream._read(); }
  releaseLock() { this.stream._locked = false; }
  cancel(reason) { return this.stream._cancel(reason); }
}
class ReadableStream {
  constructor(source = {}, { highWaterMark = 1 } = {}) {
    Object.assign(this, { _source: source, _chunks: [], _waiting: [], _state: "open", _error: undefined, _locked: false, _high: highWaterMark, _pulling: false, _started: false });
    for (const name of Object.keys(this)) Object.defineProperty(this, name, { enumerable: false });
    const controller = new ReadableStreamDefaultController(this);
    Object.defineProperty(this, "_controller", { value: controller });
    const started = source.start?.(controller);
    Promise.resolve(started).then(() => { this._started = true; this._pull(); }, (error) => this._fail(error));
  }
  get locked() { return this._locked; }
  _push(item) {
    const waiting = this._waiting.shift();
    if (waiting) waiting.resolve(item);
    else this._chunks.push(item);
  }
  _end() {
    if (this._state !== "open") return;
    this._state = "closed";
    this._closed?.resolve();
    for (const waiting of this._waiting.splice(0)) waiting.resolve({ value: undefined, done: true });
  }
  _fail(error) {
    if (this._state !== "open") return;
    this._state = "errored";
    this._error = error;
    this._closed?.reject(error);
    for (const waiting of this._waiting.splice(0)) waiting.reject(error);
  }
  async _pull() {
    if (this._pulling || this._state !== "open" || typeof this._source.pull !== "function" || this._chunks.length >= this._high) return;
    this._pulling = true;
    try { await this._source.pull(this._controller); } catch (error) { this._fail(error); }
    this._pulling = false;
    if (this._waiting.length > 0) this._pull();
  }
  _read() {
    const item = this._chunks.shift();
    if (item) { this._pull(); return Promise.resolve(item); }
    if (this._state === "closed") return Promise.resolve({ value: undefined, done: true });
    if (this._state === "errored") return Promise.reject(this._error);
    const promise = new Promise((resolve, reject) => this._waiting.push({ resolve, reject }));
    if (this._started) this._pull();
    return promise;
  }
  async _cancel(reason) { this._chunks = []; this._end(); await this._source.cancel?.(reason); }
  getReader() {
    if (this._locked) throw Object.assign(new TypeError("Invalid state: ReadableStream is locked"), { code: "ERR_INVALID_STATE" });
    return new Reader(this);
  }
  cancel(reason) { return this._cancel(reason); }
  tee() {
    const own = this;
    const queues = [[], []];
    const reader = this.getReader();
    const pull = (at) => async (controller) => {
      if (queues[at].length === 0) { const item = await reader.read(); queues[0].push(item); queues[1].push(item); }
      const { value, done } = queues[at].shift();
      if (done) controller.close();
      else controller.enqueue(value);
    };
    void own;
    return [0, 1].map((at) => new ReadableStream({ pull: pull(at) }));
  }
  pipeThrough({ readable, writable }) { this.pipeTo(writable); return readable; }
  async pipeTo(writable) {
    const writer = writable.getWriter();
    try { for await (const chunk of this) await writer.write(chunk); } catch (error) { await writer.abort(error); throw error; }
    await writer.close();
  }
  values() { return this[Symbol.asyncIterator](); }
  async *[Symbol.asyncIterator]() {
    const reader = this.getReader();
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        yield value;
      }
    } finally {
      reader.releaseLock();
      if (this._state === "open") await this._cancel();
    }
  }
  static from(source) {
    const iterator = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]();
    return new ReadableStream({ async pull(controller) { const { value, done } = await iterator.next(); if (done) controller.close(); else controller.enqueue(value); }, cancel: () => iterator.return?.() });
  }
}
class WritableStream {
  #sink;
  #last = Promise.resolve();
  constructor(sink = {}) { this.#sink = sink; this.#last = Promise.resolve(sink.start?.({ error() {} })); }
  locked = false;
  getWriter() {
    const next = (work) => { const promise = this.#last.then(work); this.#last = promise.catch(() => {}); return promise; };
    return { ready: Promise.resolve(), closed: Promise.resolve(), desiredSize: 1, write: (chunk) => next(() => this.#sink.write?.(chunk)), close: () => next(() => this.#sink.close?.()), abort: (reason) => next(() => this.#sink.abort?.(reason)), releaseLock() {} };
  }
  close() { return this.getWriter().close(); }
  abort(reason) { return this.getWriter().abort(reason); }
}
class TransformStream {
  constructor({ start, transform = (chunk, controller) => controller.enqueue(chunk), flush } = {}) {
    let own;
    this.readable = new ReadableStream({ start: (controller) => { own = { enqueue: (chunk) => controller.enqueue(chunk), terminate: () => controller.close(), error: (error) => controller.error(error), desiredSize: 1 }; return start?.(own); } });
    this.writable = new WritableStream({ write: (chunk) => transform(chunk, own), close: async () => { await flush?.(own); own.terminate(); }, abort: (error) => own.error(error) });
  }
}
class TextDecoderStream extends TransformStream {
  constructor(label, options) { const decoder = new TextDecoder(label, options); super({ transform: (chunk, controller) => { const text = decoder.decode(chunk, { stream: true }); if (text !== "") controller.enqueue(text); }, flush: (controller) => { const text = decoder.decode(); if (text !== "") controller.enqueue(text); } }); }
}
class TextEncoderStream extends TransformStream {
  constructor() { const encoder = new TextEncoder(); super({ transform: (chunk, controller) => controller.enqueue(encoder.encode(chunk)) }); }
}
module.exports = { ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream, ReadableStreamDefaultReader: Reader };
