// Programs. All of them live in the process scope of the unit: nothing outlives it.
const EventEmitter = require("events");
const { Readable, Writable } = require("stream");
const { signals } = require("os").constants;

const invalid = (message) => Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" });
const numberOf = (signal) => {
  const number = typeof signal === "number" ? signal : signals[String(signal ?? "SIGTERM").toUpperCase()];
  if (number === undefined) throw Object.assign(new TypeError(`Unknown signal: ${signal}`), { code: "ERR_UNKNOWN_SIGNAL" });
  return number;
};
const nameOf = (number) => Object.keys(signals).find((name) => signals[name] === number) ?? null;

const cwdOf = (cwd) => {
  if (cwd === undefined || cwd === null) return internal.op("process.cwd");
  return require("path").resolve(cwd instanceof URL ? require("url").fileURLToPath(cwd) : cwd);
};
const envOf = (env) => Object.fromEntries(Object.entries(env ?? process.env).filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));

// What is run: the program, or a shell with the words.
const commandOf = (file, args, options) => {
  if (typeof file !== "string") throw invalid(`The "file" argument must be of type string. Received ${file === null ? "null" : typeof file}`);
  if (file === "") throw Object.assign(new TypeError("The argument 'file' cannot be empty. Received ''"), { code: "ERR_INVALID_ARG_VALUE" });
  const words = args.map(String);
  if (!options.shell) return { file, args: words };
  return { file: typeof options.shell === "string" ? options.shell : "/bin/sh", args: ["-c", [file, ...words].join(" ")] };
};

const streamsOf = (stdio) => {
  const all = typeof stdio === "string" ? [stdio, stdio, stdio] : stdio ?? [];
  return [0, 1, 2].map((at) => {
    const own = all[at] ?? "pipe";
    // There is no terminal to inherit: what the program says is passed on as if the script had said it.
    return own === "ignore" ? "ignore" : own === "inherit" || own === at || own === process.stdout || own === process.stderr ? "inherit" : "pipe";
  });
};

class ChildProcess extends EventEmitter {
  constructor() {
    super();
    Object.assign(this, { pid: undefined, exitCode: null, signalCode: null, killed: false, connected: false, stdin: null, stdout: null, stderr: null, spawnfile: "", spawnargs: [] });
  }
  kill(signal) {
    const number = numberOf(signal);
    if (this._id === undefined || this.exitCode !== null || this.signalCode !== null) return false;
    const sent = internal.op("child.kill", { id: this._id, signal: number });
    if (sent && number !== 0) this.killed = true;
    return sent;
  }
  ref() { return this; }
  unref() { return this; }
  send() { return internal.missing("child_process.ChildProcess.send")(); }
  disconnect() {}
  [Symbol.dispose]() { this.kill(); }
}

const output = (id, number) => {
  const stream = new Readable({
    read() {
      internal.later("child.read", { id, stream: number }).then((bytes) => stream.push(bytes === undefined ? null : Buffer.from(bytes)), () => stream.push(null));
    },
  });
  return stream;
};
const input = (id) => new Writable({
  write(chunk, encoding, done) { internal.later("child.write", { id }, typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk).then(() => done(), done); },
  final(done) { internal.op("child.finish", { id }); done(); },
  destroy(error, done) { internal.op("child.finish", { id }); done(error); },
});

const spawn = (file, args, options) => {
  if (!Array.isArray(args)) [args, options] = [[], args ?? options];
  const settings = options ?? {};
  const { signal, timeout, killSignal } = settings;
  const command = commandOf(file, args, settings);
  const child = new ChildProcess();
  child.spawnfile = command.file;
  child.spawnargs = [settings.argv0 ?? command.file, ...command.args];
  const kinds = streamsOf(settings.stdio);
  let made;
  try {
    if (signal?.aborted) throw Object.assign(new Error("The operation was aborted"), { code: "ABORT_ERR", name: "AbortError", cause: signal.reason });
    made = internal.op("child.spawn", { ...command, cwd: cwdOf(settings.cwd), env: envOf(settings.env), stdin: kinds[0] === "pipe", stdout: kinds[1] !== "ignore", stderr: kinds[2] !== "ignore" });
  } catch (error) {
    error.spawnargs ??= command.args;
    child.stdin = kinds[0] === "pipe" ? new Writable({ write(chunk, encoding, done) { done(); } }) : null;
    child.stdout = kinds[1] === "pipe" ? Readable.from([]) : null;
    child.stderr = kinds[2] === "pipe" ? Readable.from([]) : null;
    queueMicrotask(() => {
      child.emit("error", error);
      queueMicrotask(() => child.emit("close", error.errno ?? -1, null));
    });
    return child;
  }
  child._id = made.id;
  child.pid = made.pid;
  if (kinds[0] === "pipe") child.stdin = input(made.id);
  const outputs = [1, 2].map((number) => {
    if (kinds[number] === "ignore") return Promise.resolve();
    const stream = output(made.id, number);
    if (kinds[number] === "pipe") child[number === 1 ? "stdout" : "stderr"] = stream;
    else stream.on("data", (chunk) => (number === 1 ? process.stdout : process.stderr).write(chunk));
    return new Promise((resolve) => stream.once("close", resolve));
  });
  child.stdio = [child.stdin, child.stdout, child.stderr];
  queueMicrotask(() => child.emit("spawn"));
  let timer;
  const abort = () => {
    child.kill(killSignal);
    child.emit("error", Object.assign(new Error("The operation was aborted"), { code: "ABORT_ERR", name: "AbortError", cause: signal.reason }));
  };
  if (signal) signal.addEventListener("abort", abort, { once: true });
  if (timeout > 0) timer = setTimeout(() => child.kill(killSignal), timeout);
  internal.later("child.wait", { id: made.id }).then(async ({ code = null, signal: name = null }) => {
    child.exitCode = code;
    child.signalCode = name;
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    child.stdin?.destroy();
    child.emit("exit", code, name);
    // Nobody reads: they end with the program.
    for (const stream of [child.stdout, child.stderr]) if (stream !== null && stream.readableFlowing === null && stream.listenerCount("readable") === 0) stream.resume();
    await Promise.all(outputs);
    child.emit("close", code, name);
    internal.release(made.id);
  });
  return child;
};

const execFile = (file, args, options, done) => {
  if (typeof args === "function") [args, options, done] = [[], {}, args];
  else if (!Array.isArray(args)) [args, options, done] = [[], args, options];
  if (typeof options === "function") [options, done] = [{}, options];
  const settings = { encoding: "utf8", maxBuffer: 1024 * 1024, ...options };
  const child = spawn(file, args ?? [], { ...settings, stdio: undefined, timeout: 0, signal: undefined });
  const parts = { stdout: [], stderr: [] };
  const sizes = { stdout: 0, stderr: 0 };
  let failure;
  let timer;
  const killed = () => { child.kill(settings.killSignal ?? "SIGTERM"); for (const name of ["stdout", "stderr"]) child[name]?.destroy(); };
  const isText = settings.encoding && settings.encoding !== "buffer" && Buffer.isEncoding(settings.encoding);
  for (const name of ["stdout", "stderr"]) {
    child[name]?.on("data", (chunk) => {
      sizes[name] += chunk.length;
      if (sizes[name] > settings.maxBuffer) {
        parts[name].push(chunk.subarray(0, chunk.length - (sizes[name] - settings.maxBuffer)));
        failure ??= Object.assign(new RangeError(`${name} maxBuffer length exceeded`), { code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" });
        killed();
      } else parts[name].push(chunk);
    });
  }
  if (settings.timeout > 0) timer = setTimeout(() => { child._timedOut = true; killed(); }, settings.timeout);
  const aborted = () => { failure ??= Object.assign(new Error("The operation was aborted"), { code: "ABORT_ERR", name: "AbortError", cause: settings.signal.reason }); killed(); };
  if (settings.signal?.aborted) queueMicrotask(aborted);
  else settings.signal?.addEventListener("abort", aborted, { once: true });
  const text = (name) => { const all = Buffer.concat(parts[name]); return isText ? all.toString(settings.encoding) : all; };
  const cmd = settings._command ?? [file, ...(args ?? [])].join(" ");
  let finished = false;
  const finish = (error) => {
    if (finished) return;
    finished = true;
    clearTimeout(timer);
    settings.signal?.removeEventListener("abort", aborted);
    if (done) internal.guarded("an error in a callback of child_process", done, [error, text("stdout"), text("stderr")]);
  };
  child.on("error", (error) => { failure ??= error; if (child.pid === undefined) finish(Object.assign(error, { cmd })); });
  child.on("close", (code, signal) => {
    if (failure === undefined && (code !== 0 || signal !== null)) {
      failure = Object.assign(new Error(`Command failed: ${cmd}\n${Buffer.concat(parts.stderr).toString()}`), { code: code === null ? null : code, killed: child.killed, signal });
    }
    if (failure !== undefined) failure.cmd ??= cmd;
    finish(failure ?? null);
  });
  return child;
};
const exec = (command, options, done) => {
  const [settings, call] = typeof options === "function" ? [{}, options] : [options ?? {}, done];
  return execFile(command, [], { ...settings, shell: typeof settings.shell === "string" ? settings.shell : true, _command: command }, call);
};
const promised = (run) => (...args) => {
  let child;
  const promise = new Promise((resolve, reject) => {
    child = run(...args, (error, stdout, stderr) => (error ? reject(Object.assign(error, { stdout, stderr })) : resolve({ stdout, stderr })));
  });
  return Object.assign(promise, { child });
};
for (const run of [exec, execFile]) Object.defineProperty(run, Symbol.for("nodejs.util.promisify.custom"), { value: promised(run) });

const spawnSync = (file, args, options) => {
  if (!Array.isArray(args)) [args, options] = [[], args ?? options];
  const settings = options ?? {};
  const command = commandOf(file, args ?? [], settings);
  const kinds = streamsOf(settings.stdio);
  const encoding = settings.encoding && settings.encoding !== "buffer" ? settings.encoding : undefined;
  const given = settings.input === undefined || settings.input === null ? undefined : typeof settings.input === "string" ? Buffer.from(settings.input) : new Uint8Array(settings.input.buffer ?? settings.input, settings.input.byteOffset ?? 0, settings.input.byteLength);
  let found;
  try {
    found = internal.op("child.run", {
      ...command, cwd: cwdOf(settings.cwd), env: envOf(settings.env), stdout: kinds[1] !== "ignore", stderr: kinds[2] !== "ignore", timeout: settings.timeout ?? 0,
      killSignal: numberOf(settings.killSignal), maxBuffer: settings.maxBuffer === Infinity ? 2 ** 40 : settings.maxBuffer ?? 1024 * 1024,
    }, given ?? new Uint8Array(0));
  } catch (error) {
    error.spawnargs = command.args;
    return { error, status: null, signal: null, output: null, pid: 0, stdout: null, stderr: null };
  }
  const [head, bytes] = found;
  const all = Buffer.from(bytes);
  const streams = [all.subarray(0, head.out), all.subarray(head.out)].map((part, at) => {
    if (kinds[at + 1] === "inherit") { (at === 0 ? process.stdout : process.stderr).write(part); return null; }
    if (kinds[at + 1] === "ignore") return null;
    return encoding ? part.toString(encoding) : part;
  });
  const result = { pid: head.pid, output: [null, ...streams], stdout: streams[0], stderr: streams[1], status: head.exit.code ?? null, signal: head.exit.signal ?? null };
  if (head.error) {
    const numbers = { ETIMEDOUT: -110, ENOBUFS: -105, ECANCELED: -125 };
    result.error = Object.assign(new Error(`spawnSync ${command.file} ${head.error}`), { errno: numbers[head.error], code: head.error, syscall: `spawnSync ${command.file}`, path: command.file, spawnargs: command.args });
  }
  return result;
};
const checked = (result, cmd, quiet) => {
  if (!quiet && result.stderr && result.stderr.length > 0) process.stderr.write(result.stderr);
  if (result.error) throw Object.assign(result.error, { ...result, error: result.error });
  if (result.status !== 0) {
    const words = result.stderr ? result.stderr.toString() : "";
    throw Object.assign(new Error(`Command failed: ${cmd}${words === "" ? "" : `\n${words}`}`), result);
  }
  return result.stdout;
};
const execFileSync = (file, args, options) => {
  if (!Array.isArray(args)) [args, options] = [[], args ?? options];
  return checked(spawnSync(file, args ?? [], options), [file, ...(args ?? [])].join(" "), options?.stdio !== undefined);
};
const execSync = (command, options) => checked(spawnSync(command, [], { ...options, shell: typeof options?.shell === "string" ? options.shell : true }), command, options?.stdio !== undefined);

module.exports = { spawn, exec, execFile, spawnSync, execSync, execFileSync, ChildProcess, fork: internal.missing("node:child_process.fork") };
