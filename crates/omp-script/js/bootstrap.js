// The first module of every unit: how script and engine talk, `require`, what is not offered, and the globals.
// Functions of the language are taken here once, so that a script that patches them harms only itself.
const natives = globalThis.__omp;
const { parse, stringify } = JSON;
const { defineProperty, getOwnPropertyDescriptor, keys: keysOfObject } = Object;

// Lone surrogates are no text elsewhere.
const text = (value) => {
  const json = stringify(value);
  if (json === undefined) return "null";
  return /\\ud[89a-f]/i.test(json) ? json.replace(/\\ud[89a-f][0-9a-f]{2}/gi, "\\ufffd") : json;
};

/** Does an operation of the engine now. */
export const op = (name, args = null, bytes = undefined) => natives.op(name, text(args), bytes);

const pending = new Map();

/** Does an operation beside the script: a promise. */
export const later = (name, args = null, bytes = undefined) => {
  const number = natives.number();
  return new Promise((resolve, reject) => {
    pending.set(number, [resolve, reject]);
    natives.start(number, name, text(args), bytes);
  });
};

/** The same, and a way to end it early; nobody hears of it then. */
export const cancellable = (name, args = null, bytes = undefined) => {
  const number = natives.number();
  const promise = new Promise((resolve, reject) => {
    pending.set(number, [resolve, reject]);
    natives.start(number, name, text(args), bytes);
  });
  const cancel = () => {
    if (pending.delete(number)) natives.abort(number);
  };
  return { promise, cancel };
};

export const release = (number) => natives.release(number);
export const unit = natives.unit;

/** What a unit asks of the program. */
export const callNow = (operation, args = null) => op("host.now", { operation, arguments: args });
export const call = (operation, args = null) => later("host.call", { operation, arguments: args });

// -- errors

const stackOf = getOwnPropertyDescriptor(Error.prototype, "stack");
const capture = Error.captureStackTrace;
const mapped = new WeakMap();

if (stackOf?.get) {
  defineProperty(Error.prototype, "stack", {
    configurable: true,
    enumerable: false,
    get() {
      const raw = stackOf.get.call(this);
      if (typeof raw !== "string") return raw;
      const known = mapped.get(this);
      if (known?.raw === raw) return known.shown;
      const head = describe(this);
      const lines = natives.map(raw);
      const shown = lines === "" ? head : `${head}\n${lines}`;
      mapped.set(this, { raw, shown });
      return shown;
    },
    set(value) {
      defineProperty(this, "stack", { value, writable: true, configurable: true, enumerable: false });
    },
  });
}
if (typeof capture === "function") {
  Error.captureStackTrace = function captureStackTrace(target, from) {
    capture.call(Error, target, from ?? captureStackTrace);
    if (typeof target.stack === "string" && getOwnPropertyDescriptor(target, "stack")?.value !== undefined) {
      const lines = natives.map(target.stack);
      defineProperty(target, "stack", { value: `${describe(target)}\n${lines}`, writable: true, configurable: true, enumerable: false });
    }
  };
}

/** The first line of an error. */
export const describe = (error) => {
  if (error === null || typeof error !== "object") {
    try {
      return String(error);
    } catch {
      return typeof error;
    }
  }
  try {
    const name = error.name === undefined ? "Error" : String(error.name);
    const message = error.message === undefined ? "" : String(error.message);
    return message === "" ? name : name === "" ? message : `${name}: ${message}`;
  } catch {
    return "an error that cannot be shown";
  }
};

const stackText = (error) => {
  try {
    return typeof error?.stack === "string" ? error.stack : undefined;
  } catch {
    return undefined;
  }
};

// -- what the engine calls

let prelude;

const settled = (number, value) => {
  let json;
  try {
    json = text(value);
  } catch (error) {
    return failed(number, error);
  }
  natives.settle(number, json);
};

const failed = (number, error) => {
  const place = stackText(error);
  natives.fail(number, describe(error), place);
};

const run = (number, work) => {
  // Not a promise's `then` of the script's: that may be patched.
  (async () => {
    let value;
    try {
      value = await work();
    } catch (error) {
      failed(number, error);
      return;
    }
    settled(number, value);
  })();
};

export const dispatch = (kind, number, first, second) => {
  switch (kind) {
    case "complete": {
      const waiting = pending.get(number);
      pending.delete(number);
      waiting?.[first ? 0 : 1](second);
      return;
    }
    case "timer":
      return timers.get(number)?.();
    case "call": {
      const own = prelude?.[first];
      if (typeof own !== "function") return natives.fail(number, `no function ${first}`, undefined, true);
      return run(number, () => own(parse(second)));
    }
    case "load":
      return run(number, async () => {
        prelude = await import(first);
      });
    case "exit":
      exiting();
  }
};

// -- promises that nobody handles

const unhandled = new Map();

export const rejected = (promise, reason, handled) => {
  if (handled) unhandled.delete(promise);
  else unhandled.set(promise, reason);
};

let process;
export const setProcess = (made) => {
  process = made;
};

export const flush = () => {
  const found = [...unhandled];
  unhandled.clear();
  for (const [promise, reason] of found) {
    if (process !== undefined && process.listenerCount("unhandledRejection") > 0) {
      process.emit("unhandledRejection", reason, promise);
      continue;
    }
    report("error", "an error that nobody handled", reason);
  }
};

/** Tells the program of an error that no caller hears of. */
export const report = (level, what, error) => {
  op("log", { level, message: `${what}: ${describe(error)}`, stack: stackText(error), unhandled: true });
};

const exiting = () => {
  if (process !== undefined) process.emit("exit", process.exitCode ?? 0);
};

/** The unit ends here: what follows is never reached, not even `finally`. */
export const exit = (code) => {
  natives.exit(Number.isInteger(code) ? code : 0);
  const here = new Error("process.exit");
  for (;;) void here;
};

// -- timers

const timers = new Map();

const guarded = (what, callback, args) => {
  try {
    callback(...args);
  } catch (error) {
    if (process !== undefined && process.listenerCount("uncaughtException") > 0) process.emit("uncaughtException", error);
    else report("error", what, error);
  }
};

class Timeout {
  #number;
  #start;
  constructor(callback, milliseconds, args, repeats) {
    if (typeof callback !== "function") throw new TypeError("the callback of a timer is no function");
    const wait = Number(milliseconds);
    const run = () => {
      if (!repeats) timers.delete(this.#number);
      guarded("an error in a timer", callback, args);
      if (repeats && timers.has(this.#number)) this.#start();
    };
    this.#start = () => natives.timer(this.#number, wait);
    this.#number = natives.number();
    timers.set(this.#number, run);
    byNumber.set(this.#number, new WeakRef(this));
    this.#start();
  }
  clear() {
    timers.delete(this.#number);
    byNumber.delete(this.#number);
    natives.cancel(this.#number);
  }
  ref() { return this; }
  unref() { return this; }
  hasRef() { return true; }
  refresh() {
    if (timers.has(this.#number)) {
      natives.cancel(this.#number);
      this.#start();
    }
    return this;
  }
  close() { this.clear(); return this; }
  [Symbol.toPrimitive]() { return this.#number; }
  [Symbol.dispose]() { this.clear(); }
}

const byNumber = new Map();

export const setTimeout = (callback, milliseconds = 0, ...args) => new Timeout(callback, milliseconds, args, false);
export const setInterval = (callback, milliseconds = 0, ...args) => new Timeout(callback, milliseconds, args, true);
export const setImmediate = (callback, ...args) => new Timeout(callback, 0, args, false);
export const clearTimeout = (timer) => {
  if (timer instanceof Timeout) timer.clear();
  else if (timer !== undefined && timer !== null) byNumber.get(Number(timer))?.deref()?.clear();
};

// -- what is not offered

/** Can be held, passed on and asked for its type; using it says what is missing. */
export const missing = (label) => {
  const refuse = () => {
    throw new Error(`${label} is not offered by omp`);
  };
  return new Proxy(function () {}, {
    apply: refuse,
    construct: refuse,
    set: refuse,
    deleteProperty: refuse,
    defineProperty: refuse,
    get(_, key) {
      if (key === Symbol.hasInstance) return () => false;
      // So that it can be returned from an async function, printed and inspected.
      if (typeof key === "symbol" || key === "then" || key === "toJSON" || key === "nodeType") return undefined;
      return refuse();
    },
  });
};

/** An export of a module of ours, for an importer that takes it for granted. */
export const pick = (all, name, from) => {
  if (name in all) return all[name];
  return missing(name === "default" ? `the default export of ${from}` : name);
};

const shown = (module) => (module.startsWith("bun") ? module : `node:${module}`);

export const pickNode = (all, name, module) => {
  if (lacking.has(module)) return all;
  return all !== null && name in Object(all) ? all[name] : missing(`${shown(module)}.${name}`);
};

// -- Node's modules

const moduleNames = Object.fromEntries(natives.nodeModules.split(" ").map((name) => [name, true]));
const nodeModules = new Map();
const lacking = new Set();

/** A module of Node, made when it is first asked for. */
export const node = (name) => {
  if (nodeModules.has(name)) return nodeModules.get(name).exports;
  const make = natives.nodeModule(name);
  if (make === undefined || make === null) {
    lacking.add(name);
    const nothing = missing(shown(name));
    nodeModules.set(name, { exports: nothing });
    return nothing;
  }
  const module = { exports: {} };
  nodeModules.set(name, module);
  make(module.exports, node, internal, module);
  const made = module.exports;
  for (const known of (natives.nodeNames(name) ?? "").split(" ")) {
    if (known === "" || known in made || Object.isFrozen(made)) continue;
    // Seen by `in` and by nobody who lists the module.
    defineProperty(made, known, { configurable: true, enumerable: false, writable: true, value: missing(`${shown(name)}.${known}`) });
  }
  return module.exports;
};

export const nodeKeys = (name) => {
  const all = node(name);
  if (lacking.has(name)) return [];
  return keysOfObject(all).filter((key) => key !== "default");
};

// -- CommonJS

const files = new Map();

const makeModule = (name) => {
  const path = name.split("?")[0];
  return {
    id: path, path: path.slice(0, path.lastIndexOf("/")) || "/", filename: path, exports: {}, loaded: false, children: [], paths: [],
    parent: undefined,
  };
};

/** A file that is no ES module, by its name in the engine. */
export const load = (name) => {
  const known = files.get(name);
  if (known !== undefined) return known.exports;
  const [kind, value] = natives.file(name);
  const module = makeModule(name);
  files.set(name, module);
  try {
    if (kind === "json") module.exports = parseJson(value, module.filename);
    else if (kind === "text") module.exports = value;
    else {
      module.require = makeRequire(module.filename);
      value.call(module.exports, module.exports, module.require, module, module.filename, module.path);
    }
    module.loaded = true;
  } catch (error) {
    files.delete(name);
    throw error;
  }
  return module.exports;
};

const parseJson = (value, path) => {
  try {
    return parse(value);
  } catch (error) {
    throw new SyntaxError(`${path} is not valid JSON: ${error.message}`);
  }
};

/** What `import x from` gives for CommonJS: what it calls its default, or all of it. */
export const standard = (all) => (all !== null && typeof all === "object" && all.__esModule && "default" in all ? all.default : all);

export const keysOf = (name) => {
  const all = load(name);
  if (all === null || (typeof all !== "object" && typeof all !== "function")) return [];
  return keysOfObject(all).filter((key) => key !== "default");
};

export const makeRequire = (base) => {
  const require = (specifier) => {
    if (typeof specifier !== "string" || specifier === "") throw new TypeError("require wants the name of a module");
    const [kind, name] = natives.target(base, specifier);
    if (kind === "node") return node(name);
    return kind === "es" ? natives.esm(name) : load(name);
  };
  require.resolve = (specifier) => natives.resolve(base, specifier, "require");
  require.cache = Object.create(null);
  require.extensions = Object.create(null);
  require.main = undefined;
  return require;
};

export const metaOf = (path) => {
  const require = makeRequire(path);
  const module = makeModule(path);
  const resolve = (specifier) => {
    const found = natives.resolve(path, specifier, "import");
    return found.startsWith("/") ? `file://${encodeURI(found).replace(/[?#]/g, encodeURIComponent)}` : found;
  };
  return {
    require,
    resolve,
    commonjs: { require, module, exports: module.exports, __filename: path, __dirname: module.path },
  };
};

// -- globals

const define = (name, value) => defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
const lazily = (name, make) =>
  defineProperty(globalThis, name, {
    configurable: true,
    enumerable: false,
    get() {
      const value = make();
      define(name, value);
      return value;
    },
    set(value) {
      define(name, value);
    },
  });

const internal = {
  op, later, cancellable, release, moduleNames, unit, callNow, call, describe, report, exit, setProcess, missing, node, makeRequire, lazily, define, guarded,
  resolve: natives.resolve, encode: natives.encode, decode: natives.decode,
};

define("global", globalThis);
define("setTimeout", setTimeout);
define("setInterval", setInterval);
define("setImmediate", setImmediate);
define("clearTimeout", clearTimeout);
define("clearInterval", clearTimeout);
define("clearImmediate", clearTimeout);
const lazies = {
  console: "console", process: "process", Buffer: "buffer", atob: "buffer", btoa: "buffer", TextEncoder: "omp/web-text", TextDecoder: "omp/web-text", URL: "url",
  URLSearchParams: "url", Event: "omp/events", CustomEvent: "omp/events", EventTarget: "omp/events", AbortSignal: "omp/events", AbortController: "omp/events",
  ReadableStream: "omp/streams", WritableStream: "omp/streams", TransformStream: "omp/streams", TextDecoderStream: "omp/streams", TextEncoderStream: "omp/streams",
  Blob: "omp/fetch", File: "omp/fetch", FormData: "omp/fetch", Headers: "omp/fetch", Request: "omp/fetch", Response: "omp/fetch", fetch: "omp/fetch",
  structuredClone: "omp/clone", Intl: "omp/intl", Bun: "bun",
};
for (const [name, module] of Object.entries(lazies)) {
  if (globalThis[name] !== undefined && name !== "Intl") continue;
  lazily(name, () => (name === module || module === "bun" ? node(module) : node(module)[name]));
}
if (globalThis.crypto === undefined) lazily("crypto", () => node("crypto").webcrypto);
node("omp/locale");
