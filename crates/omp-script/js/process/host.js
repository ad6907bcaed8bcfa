// Runs one unit in a process of the user's Bun or Node. The program talks to it in lines of JSON: see `src/process/mod.rs`.
// It is a script and no module: threads and processes of the script inherit how this one was started.
const { readSync, writeSync } = require("node:fs");
const { registerHooks } = require("node:module");
const { Readable } = require("node:stream");
const { formatWithOptions } = require("node:util");
const { MessageChannel, Worker, receiveMessageOnPort } = require("node:worker_threads");

const INPUT = 0;
const OUTPUT = 1;
const { parse, stringify } = JSON;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** What libuv made non-blocking is asked again. */
function patient(work) {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(pause, 0, 0, 2);
    }
  }
}

/** The first line, before anybody else reads. */
function firstLine() {
  const chunk = Buffer.alloc(64 << 10);
  const parts = [];
  for (;;) {
    const size = patient(() => readSync(INPUT, chunk, 0, chunk.length, null));
    if (size === 0) process.exit(0);
    parts.push(Buffer.from(chunk.subarray(0, size)));
    if (chunk[size - 1] === 10) return parse(Buffer.concat(parts).toString());
  }
}

const init = firstLine();
process.chdir(init.cwd);
process.title = `omp: ${init.name}`;

/** The mark tells our lines from what others write to the same stream. */
function send(message) {
  const bytes = Buffer.from(`${init.mark}${stringify(message) ?? "null"}\n`);
  let at = 0;
  while (at < bytes.length) at += patient(() => writeSync(OUTPUT, bytes, at));
}

// Native packages look here for the C library. A report waits for all threads, and the reader never comes to it: it is made before.
if (process.versions.bun === undefined) {
  process.report.excludeNetwork = true;
  const report = process.report.getReport();
  process.report.getReport = () => report;
}

// The reader has a thread of its own, so that the program can answer while this one waits.
const READER = `
  const { readSync } = require("node:fs");
  const { workerData: { flag, answers }, parentPort } = require("node:worker_threads");
  const chunk = Buffer.alloc(256 << 10);
  let parts = [];
  const line = (text) => {
    const message = JSON.parse(text);
    if (message.type === "now") {
      answers.postMessage(message);
      Atomics.add(flag, 0, 1);
      Atomics.notify(flag, 0);
    } else parentPort.postMessage(message);
  };
  for (;;) {
    let size = 0;
    try { size = readSync(0, chunk, 0, chunk.length, null); }
    catch (error) { if (error.code === "EAGAIN") { Atomics.wait(flag, 0, Atomics.load(flag, 0), 5); continue; } }
    if (size === 0) break;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0 && at < size; at = chunk.indexOf(10, from)) {
      parts.push(Buffer.from(chunk.subarray(from, at)));
      line(Buffer.concat(parts).toString());
      parts = [];
      from = at + 1;
    }
    if (from < size) parts.push(Buffer.from(chunk.subarray(from, size)));
  }
  parentPort.postMessage({ type: "end" });
`;
const flag = new Int32Array(new SharedArrayBuffer(4));
const { port1: answers, port2 } = new MessageChannel();
const reader = new Worker(READER, { eval: true, workerData: { flag, answers: port2 }, transferList: [port2], env: {}, execArgv: [] });
reader.unref();

/** Waits for one answer. Nothing else of this process runs meanwhile. */
function ask(message) {
  send(message);
  for (;;) {
    const seen = Atomics.load(flag, 0);
    const answer = receiveMessageOnPort(answers)?.message;
    if (answer !== undefined) {
      if (answer.error !== undefined) throw new Error(answer.error);
      return answer.value ?? undefined;
    }
    Atomics.wait(flag, 0, seen, 1000);
  }
}

const own = (operation, values) => ask({ type: "own", operation, arguments: values });
const waiting = new Map();
let calls = 0;

const host = {
  callNow: (operation, values = null) => ask({ type: "ask", operation, arguments: values }),
  call: (operation, values = null) =>
    new Promise((resolve, reject) => {
      const id = ++calls;
      waiting.set(id, { resolve, reject });
      send({ type: "call", id, operation, arguments: values });
    }),
};

// -- what the program says

let prelude;

const described = (error) => {
  if (!(error instanceof Error)) return { message: String(error) };
  const message = error.name && !(error.message ?? "").startsWith(error.name) ? `${error.name}: ${error.message}` : String(error.message);
  if (typeof error.stack !== "string") return { message };
  // What this script does by itself explains nothing.
  const lines = error.stack.replaceAll("file://", "").split("\n");
  return { message, stack: lines.filter((line) => !line.includes("[eval]") && !line.includes("node:internal")).join("\n") };
};

async function run({ id, function: name, arguments: values }) {
  try {
    const work = prelude[name];
    if (typeof work !== "function") return send({ type: "failed", id, message: `no function ${name}`, unknown: true });
    const value = await work(values);
    send({ type: "result", id, value: value ?? null, memory: process.memoryUsage.rss() });
  } catch (error) {
    send({ type: "failed", id, ...described(error) });
  }
}

function heard(message) {
  if (message.type === "run") return void run(message);
  if (message.type === "end") return process.exit(0);
  const { resolve, reject } = waiting.get(message.id) ?? {};
  waiting.delete(message.id);
  if (message.error !== undefined) reject?.(new Error(message.error));
  else resolve?.(message.value ?? undefined);
}

// -- what would break the stream

const log = (level) => (...words) => send({ type: "log", level, message: formatWithOptions({}, ...words) });
for (const [name, level] of Object.entries({ log: "info", info: "info", debug: "debug", warn: "warn", error: "error", trace: "error" })) {
  console[name] = log(level);
}
for (const [stream, level] of [["stdout", "info"], ["stderr", "error"]]) {
  const write = (text, encoding, done) => {
    send({ type: "log", level, message: String(text).replace(/\n$/, "") });
    const then = typeof encoding === "function" ? encoding : done;
    if (typeof then === "function") queueMicrotask(then);
    return true;
  };
  try {
    process[stream].write = write;
    Object.defineProperty(process[stream], "isTTY", { value: false, configurable: true });
  } catch {}
}
Object.defineProperty(process, "stdin", { configurable: true, get: () => Readable.from([]) });
for (const event of ["uncaughtException", "unhandledRejection"]) {
  // Its own handler decides, where an extension has one.
  process.on(event, (error) => {
    if (process.listenerCount(event) > 1) return;
    send({ type: "log", level: "error", message: `an error that nobody handled: ${described(error).message}` });
  });
}
process.on("exit", (code) => {
  try {
    send({ type: "exit", code });
  } catch {}
});

// -- modules of the program

/** As in the engine: it can be held and passed on; using it says what is missing. */
const missing = (label) => {
  const refuse = () => {
    throw new Error(`${label} is not offered by omp`);
  };
  return new Proxy(function () {}, {
    apply: refuse, construct: refuse, set: refuse, deleteProperty: refuse, defineProperty: refuse,
    get(_, key) {
      if (key === Symbol.hasInstance) return () => false;
      if (typeof key === "symbol" || key === "then" || key === "toJSON" || key === "nodeType") return undefined;
      return refuse();
    },
  });
};
const pick = (all, name, from) => (name in all ? all[name] : missing(name === "default" ? `the default export of ${from}` : name));
Object.defineProperty(globalThis, Symbol.for("omp.host"), { value: Object.freeze({ ...host, pick }) });

const HOST = `const { callNow, call } = globalThis[Symbol.for("omp.host")];\nexport { callNow, call };\n`;
const builtin = (specifier) =>
  init.modules.find(({ names }) => names.some((name) => (name.endsWith("/*") ? specifier.startsWith(name.slice(0, -1)) : name === specifier)));

/** A module as one importer wants it: with every name that a scan has found. */
function facade(specifier) {
  const { names: [target] } = builtin(specifier);
  const names = init.wanted[specifier] ?? [];
  const lines = names.map((name, at) => `const v${at} = pick(all, ${stringify(name)}, ${stringify(specifier)});\nexport { v${at} as ${stringify(name)} };`);
  const fallback = names.includes("default") ? [] : ['export default "default" in all ? all.default : all;'];
  return [`import * as all from ${stringify(target)};`, `export * from ${stringify(target)};`,
    `const { pick } = globalThis[Symbol.for("omp.host")];`, ...fallback, ...lines, ""].join("\n");
}

/** The name of the module that a specifier leads to, if it is one of ours. */
function named(specifier, importer = "") {
  if (specifier === "omp:host" || specifier.startsWith("omp:use/")) return specifier;
  const found = builtin(specifier);
  if (found === undefined) return undefined;
  return specifier.startsWith("omp:") || importer.startsWith("omp:") ? found.names[0] : `omp:use/${specifier}`;
}

function source(name) {
  if (name === "omp:host") return HOST;
  return name.startsWith("omp:use/") ? facade(name.slice("omp:use/".length)) : builtin(name).source;
}

function prepare() {
  if (process.versions.bun !== undefined) {
    // Names as they are imported are virtual modules; those behind them have a namespace.
    const imported = new Set([...Object.keys(init.wanted), ...init.modules.flatMap(({ names }) => names)]);
    Bun.plugin({
      name: "omp",
      setup(build) {
        build.onResolve({ filter: /^omp:/ }, ({ path }) => ({ path: named(path).slice(4), namespace: "omp" }));
        build.onLoad({ filter: /.*/, namespace: "omp" }, ({ path }) => ({ contents: source(`omp:${path}`), loader: "js" }));
        for (const name of imported) {
          if (name.startsWith("omp:") || name.endsWith("/*") || builtin(name) === undefined) continue;
          build.module(name, () => ({ contents: facade(name), loader: "js" }));
        }
      },
    });
    return;
  }
  registerHooks({ resolve, load });
}

const MARK = "\u0001";
const TYPESCRIPT = /\.(?:[cm]?ts|tsx|jsx)$/;

function resolve(asked, context, next) {
  const specifier = asked.split(MARK)[0];
  const parent = context.parentURL ?? "";
  const name = named(specifier, parent);
  if (name !== undefined) return { url: name, format: "module", shortCircuit: true };
  try {
    return next(specifier, context);
  } catch (error) {
    // The engine finds what Node does not: TypeScript, files without their extensions, directories.
    try {
      return ours(specifier, context, next);
    } catch {
      throw error;
    }
  }
}

function ours(specifier, context, next) {
  const isRequire = context.conditions?.includes("require") === true;
  const { path, query } = own("resolve", { from: context.parentURL ?? "", specifier, way: isRequire ? "require" : "import" });
  const url = `file://${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}${query}`;
  if (TYPESCRIPT.test(path) || isText(path, context)) return { url, shortCircuit: true, importAttributes: context.importAttributes };
  return next(isRequire ? path : url, context);
}

const isText = (path, { importAttributes } = {}) => ["text", "file"].includes(importAttributes?.type) || /\.(?:md|txt|html|css)$/.test(path);

function load(url, context, next) {
  if (url.startsWith("omp:")) return { format: "module", source: source(url), shortCircuit: true };
  if (!url.startsWith("file://")) return next(url, context);
  const path = decodeURIComponent(new URL(url).pathname);
  if (isText(path, context)) return { format: "module", source: `export default ${stringify(own("text", { path }))};`, shortCircuit: true };
  if (!TYPESCRIPT.test(path)) return next(url, context);
  const { kind, code } = own("compile", { path });
  return { format: kind, source: code, shortCircuit: true };
}

async function begin() {
  prepare();
  reader.on("message", heard);
  try {
    prelude = await import(init.prelude);
  } catch (error) {
    send({ type: "failed", id: 0, ...described(error) });
    process.exit(1);
  }
  const { bun, node } = process.versions;
  send({ type: "ready", runtime: bun === undefined ? `node ${node}` : `bun ${bun}` });
  // The thread that reads keeps the process alive until the program closes the stream.
  reader.ref();
}

begin();
