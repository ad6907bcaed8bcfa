// The process, as far as a unit may take part in one.
const EventEmitter = require("events");
const facts = internal.op("process.facts");
const { Writable, Readable } = require("stream");
const started = performance.now();
const process = new EventEmitter();

const output = (fd, level) => {
  let line = "";
  const stream = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      // Never to the terminal, which belongs to the program: whole lines become messages.
      line += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const lines = line.split("\n");
      line = lines.pop();
      for (const message of lines) internal.op("log", { level, message });
      done();
    },
  });
  stream.fd = fd;
  stream.isTTY = false;
  stream.columns = undefined;
  stream.hasColors = () => false;
  stream.getColorDepth = () => 1;
  return stream;
};
const lazily = (name, make) => Object.defineProperty(process, name, {
  configurable: true, enumerable: true,
  get() { const value = make(); Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: true }); return value; },
  set(value) { Object.defineProperty(process, name, { value, writable: true, configurable: true, enumerable: true }); },
});

const hrtime = (before) => {
  const now = performance.now();
  const time = [Math.floor(now / 1000), Math.floor((now % 1000) * 1e6)];
  if (before === undefined) return time;
  const [seconds, nanoseconds] = [time[0] - before[0], time[1] - before[1]];
  return nanoseconds < 0 ? [seconds - 1, nanoseconds + 1e9] : [seconds, nanoseconds];
};
hrtime.bigint = () => BigInt(Math.floor(performance.now() * 1e6));

const memoryUsage = () => {
  const { used, limit } = internal.op("process.memory");
  return { rss: used, heapTotal: limit, heapUsed: used, external: 0, arrayBuffers: 0 };
};
memoryUsage.rss = () => internal.op("process.memory").used;

// Names become text, as in an environment.
const env = new Proxy({ ...facts.env }, {
  set(target, key, value) { target[key] = String(value); return true; },
  defineProperty(target, key, descriptor) {
    if ("value" in descriptor) descriptor.value = String(descriptor.value);
    return Reflect.defineProperty(target, key, descriptor);
  },
});

const absolute = (path) => require("path").resolve(path);
const signals = () => require("os").constants.signals;

Object.assign(process, {
  env, argv: [facts.execPath, internal.unit], argv0: "omp", execArgv: [], execPath: facts.execPath, title: "omp", pid: facts.pid,
  ppid: facts.ppid, platform: facts.platform, arch: facts.arch, version: "v22.0.0",
  versions: { node: "22.0.0", omp: "0.1.0", quickjs: "0.16.2", modules: "127" },
  release: { name: "node", lts: "Jod" }, config: { variables: {} }, features: { inspector: false, typescript: "transform" }, exitCode: undefined,
  cwd: () => internal.op("process.cwd"),
  chdir: (path) => internal.op("process.chdir", { path: absolute(path) }),
  exit: (code) => {
    const chosen = code ?? process.exitCode ?? 0;
    process.exitCode = chosen;
    process.emit("exit", chosen);
    internal.exit(Number(chosen));
  },
  abort: () => internal.exit(134),
  reallyExit: (code) => internal.exit(code),
  kill: (pid, signal = "SIGTERM") => {
    const number = typeof signal === "number" ? signal : signals()[signal];
    if (number === undefined) { const error = new TypeError(`Unknown signal: ${signal}`); error.code = "ERR_UNKNOWN_SIGNAL"; throw error; }
    internal.op("process.kill", { pid, signal: number });
    return true;
  },
  nextTick: (callback, ...args) => queueMicrotask(() => internal.guarded("an error in process.nextTick", callback, args)),
  hrtime, memoryUsage, uptime: () => (performance.now() - started) / 1000,
  cpuUsage: () => ({ user: Math.floor(performance.now() * 1000), system: 0 }),
  resourceUsage: () => ({ maxRSS: Math.floor(memoryUsage().rss / 1024) }),
  getuid: () => facts.uid, geteuid: () => facts.uid, getgid: () => facts.gid, getegid: () => facts.gid, getgroups: () => [facts.gid],
  umask: () => 0o022,
  emitWarning: (warning, options) => {
    const name = warning?.name ?? (typeof options === "string" ? options : options?.type) ?? "Warning";
    const message = typeof warning === "string" ? warning : warning?.message;
    internal.op("log", { level: "warn", message: `${name}: ${message}` });
    queueMicrotask(() => process.emit("warning", typeof warning === "string" ? Object.assign(new Error(message), { name }) : warning));
  },
  binding: internal.missing("process.binding"), dlopen: internal.missing("process.dlopen"),
  getBuiltinModule: (name) => require(name.replace(/^node:/, "")),
  setUncaughtExceptionCaptureCallback() {}, hasUncaughtExceptionCaptureCallback: () => false, setSourceMapsEnabled() {},
  report: { getReport: () => ({ header: { glibcVersionRuntime: "2.36" }, sharedObjects: [] }) },
  allowedNodeEnvironmentFlags: new Set(), noDeprecation: false, stdinRawMode: false,
});
lazily("stdout", () => output(1, "info"));
lazily("stderr", () => output(2, "error"));
lazily("stdin", () => {
  const stdin = new Readable({ read() { this.push(null); } });
  return Object.assign(stdin, { fd: 0, isTTY: false, setRawMode: () => stdin, ref: () => stdin, unref: () => stdin });
});
Object.defineProperty(process, Symbol.toStringTag, { value: "process" });
internal.setProcess(process);
module.exports = process;
