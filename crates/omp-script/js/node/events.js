// Emitters.
const errorMonitor = Symbol("events.errorMonitor");
const captureRejections = Symbol.for("nodejs.rejection");
const listenersOf = Symbol("listeners");

const table = (emitter) => {
  if (!Object.hasOwn(emitter, listenersOf)) {
    Object.defineProperty(emitter, listenersOf, { value: new Map(), writable: true, configurable: true, enumerable: false });
  }
  return emitter[listenersOf];
};

const check = (listener) => {
  if (typeof listener === "function") return;
  const shown = listener === null || listener === undefined ? String(listener)
    : typeof listener === "object" ? `an instance of ${listener.constructor?.name}` : `type ${typeof listener} (${require("util").inspect(listener)})`;
  const error = new TypeError(`The "listener" argument must be of type function. Received ${shown}`);
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
};

function EventEmitter() {
  if (!(this instanceof EventEmitter) && this !== undefined) table(this);
}

const add = (emitter, name, listener, first) => {
  check(listener);
  const all = table(emitter);
  if (all.has("newListener")) emitter.emit("newListener", name, listener.listener ?? listener);
  const list = all.get(name) ?? [];
  all.set(name, first ? [listener, ...list] : [...list, listener]);
  return emitter;
};

const once = (emitter, name, listener) => {
  check(listener);
  const wrapped = function (...args) {
    emitter.removeListener(name, wrapped);
    return listener.apply(this, args);
  };
  wrapped.listener = listener;
  return wrapped;
};

const methods = {
  on(name, listener) { return add(this, name, listener, false); },
  addListener(name, listener) { return add(this, name, listener, false); },
  prependListener(name, listener) { return add(this, name, listener, true); },
  once(name, listener) { return add(this, name, once(this, name, listener), false); },
  prependOnceListener(name, listener) { return add(this, name, once(this, name, listener), true); },
  off(name, listener) { return this.removeListener(name, listener); },
  removeListener(name, listener) {
    check(listener);
    const all = table(this);
    const list = all.get(name);
    const at = list?.findLastIndex((own) => own === listener || own.listener === listener) ?? -1;
    if (at < 0) return this;
    const rest = list.toSpliced(at, 1);
    if (rest.length === 0) all.delete(name);
    else all.set(name, rest);
    if (all.has("removeListener")) this.emit("removeListener", name, listener);
    return this;
  },
  removeAllListeners(name) {
    if (name === undefined) table(this).clear();
    else table(this).delete(name);
    return this;
  },
  emit(name, ...args) {
    const all = table(this);
    if (name === "error") {
      for (const listener of all.get(errorMonitor) ?? []) listener.apply(this, args);
    }
    const list = all.get(name);
    if (list === undefined) {
      if (name !== "error") return false;
      const [error] = args;
      if (error instanceof Error) throw error;
      const made = new Error(`Unhandled error. (${typeof error === "string" ? `'${error}'` : String(error)})`);
      made.code = "ERR_UNHANDLED_ERROR";
      made.context = error;
      throw made;
    }
    for (const listener of list) listener.apply(this, args);
    return true;
  },
  listeners(name) { return (table(this).get(name) ?? []).map((own) => own.listener ?? own); },
  rawListeners(name) { return [...(table(this).get(name) ?? [])]; },
  listenerCount(name, listener) {
    const list = table(this).get(name) ?? [];
    return listener === undefined ? list.length : list.filter((own) => own === listener || own.listener === listener).length;
  },
  eventNames() { return [...table(this).keys()]; },
  setMaxListeners(count) { this._maxListeners = count; return this; },
  getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners; },
};
for (const [name, value] of Object.entries(methods)) {
  Object.defineProperty(EventEmitter.prototype, name, { value, writable: true, configurable: true, enumerable: true });
}

const aborted = (signal) => signal?.reason ?? new DOMException("The operation was aborted", "AbortError");

EventEmitter.once = (emitter, name, { signal } = {}) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(aborted(signal));
    if (typeof emitter.addEventListener === "function") {
      emitter.addEventListener(name, (event) => resolve([event]), { once: true });
      return;
    }
    const done = (...args) => {
      if (name !== "error") emitter.removeListener("error", fail);
      resolve(args);
    };
    const fail = (error) => {
      emitter.removeListener(name, done);
      reject(error);
    };
    emitter.once(name, done);
    if (name !== "error") emitter.once("error", fail);
    signal?.addEventListener("abort", () => fail(aborted(signal)), { once: true });
  });

EventEmitter.on = (emitter, name, { signal, close = [] } = {}) => {
  const values = [];
  const waiting = [];
  let failure;
  let done = false;
  const push = (...args) => (waiting.length > 0 ? waiting.shift().resolve({ value: args, done: false }) : values.push(args));
  const end = () => {
    done = true;
    emitter.off(name, push);
    emitter.off("error", fail);
    for (const one of waiting.splice(0)) one.resolve({ value: undefined, done: true });
  };
  const fail = (error) => {
    if (waiting.length > 0) waiting.shift().reject(error);
    else failure = error;
  };
  emitter.on(name, push);
  if (name !== "error") emitter.on("error", fail);
  for (const event of close) emitter.on(event, end);
  signal?.addEventListener("abort", () => fail(aborted(signal)), { once: true });
  return {
    next() {
      if (values.length > 0) return Promise.resolve({ value: values.shift(), done: false });
      if (failure !== undefined) {
        const error = failure;
        failure = undefined;
        return Promise.reject(error);
      }
      if (done) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return() { end(); return Promise.resolve({ value: undefined, done: true }); },
    throw(error) { fail(error); return Promise.resolve({ value: undefined, done: true }); },
    [Symbol.asyncIterator]() { return this; },
  };
};

Object.assign(EventEmitter, {
  EventEmitter, errorMonitor, defaultMaxListeners: 10, captureRejectionSymbol: captureRejections, captureRejections: false,
  listenerCount: (emitter, name) => emitter.listenerCount(name),
  getEventListeners: (emitter, name) => emitter.listeners?.(name) ?? [],
  setMaxListeners: (count, ...emitters) => emitters.forEach((emitter) => emitter.setMaxListeners?.(count)),
  getMaxListeners: (emitter) => emitter.getMaxListeners?.() ?? EventEmitter.defaultMaxListeners,
  addAbortListener: (signal, listener) => {
    if (signal.aborted) queueMicrotask(() => listener());
    else signal.addEventListener("abort", listener, { once: true });
    return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
  },
});
module.exports = EventEmitter;
