// What scripts for Bun use of it.
const fs = require("fs");
const { spawn, spawnSync } = require("child_process");
const { fileURLToPath, pathToFileURL } = require("url");

class BunFile extends Blob {
  constructor(path) { super(); this.name = path instanceof URL ? fileURLToPath(path) : String(path); }
  get size() { return fs.statSync(this.name, { throwIfNoEntry: false })?.size ?? 0; }
  get lastModified() { return fs.statSync(this.name, { throwIfNoEntry: false })?.mtimeMs ?? 0; }
  async exists() { return fs.statSync(this.name, { throwIfNoEntry: false })?.isFile() ?? false; }
  text() { return fs.promises.readFile(this.name, "utf8"); }
  async json() { return JSON.parse(await this.text()); }
  async bytes() { return new Uint8Array(await fs.promises.readFile(this.name)); }
  async arrayBuffer() { return (await this.bytes()).buffer; }
  async stat() { return fs.promises.stat(this.name); }
  async write(data) { return write(this, data); }
  async delete() { return fs.promises.unlink(this.name); }
  unlink() { return this.delete(); }
  stream() { return require("stream").Readable.toWeb(fs.createReadStream(this.name)); }
  writer() { const stream = fs.createWriteStream(this.name); return { write: (chunk) => { stream.write(chunk); return chunk.length; }, flush() {}, end: () => new Promise((resolve) => stream.end(resolve)) }; }
}
const pathOf = (target) => (target instanceof BunFile ? target.name : target instanceof URL ? fileURLToPath(target) : String(target));
const write = async (target, data) => {
  const bytes = typeof data === "string" ? Buffer.from(data) : data instanceof BunFile || data instanceof Response ? Buffer.from(await data.arrayBuffer()) : data instanceof Blob ? Buffer.from(await data.arrayBuffer()) : Array.isArray(data) ? Buffer.from(await new Blob(data).arrayBuffer()) : Buffer.from(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
  const path = pathOf(target);
  await fs.promises.mkdir(require("path").dirname(require("path").resolve(path)), { recursive: true });
  await fs.promises.writeFile(path, bytes);
  return bytes.length;
};

const settingsOf = (first, second) => (Array.isArray(first) ? { cmd: first, ...second } : first);
const own = {
  version: "1.3.0", revision: "", main: "", env: process.env, argv: process.argv,
  file: (path) => new BunFile(path), write, fileURLToPath, pathToFileURL,
  sleep: (time) => new Promise((resolve) => setTimeout(resolve, time instanceof Date ? time.getTime() - Date.now() : time)),
  sleepSync: (time) => { spawnSync("sleep", [String(time / 1000)]); },
  which: (name, { PATH = process.env.PATH, cwd = process.cwd() } = {}) => {
    const found = name.includes("/") ? [require("path").resolve(cwd, name)] : (PATH ?? "").split(":").map((folder) => `${folder}/${name}`);
    return found.find((path) => { try { fs.accessSync(path, fs.constants.X_OK); return fs.statSync(path).isFile(); } catch { return false; } }) ?? null;
  },
  spawn(first, second) {
    const { cmd, cwd, env, stdin, stdout = "pipe", stderr = "inherit", onExit, signal, timeout } = settingsOf(first, second);
    const isData = stdin !== undefined && stdin !== null && typeof stdin === "object";
    const child = spawn(cmd[0], cmd.slice(1), { cwd, env, signal, timeout, stdio: [isData || stdin === "pipe" ? "pipe" : "ignore", stdout ?? "ignore", stderr ?? "ignore"] });
    if (isData) Promise.resolve(stdin.arrayBuffer ? stdin.arrayBuffer() : stdin).then((data) => child.stdin.end(Buffer.from(data.buffer ?? data)));
    const web = (stream) => (stream === null ? undefined : Object.assign(require("stream").Readable.toWeb(stream), {
      text: () => require("stream/consumers").text(stream), json: () => require("stream/consumers").json(stream), bytes: () => require("stream/consumers").buffer(stream),
    }));
    const made = { pid: child.pid, stdin: child.stdin ? { write: (data) => child.stdin.write(data), end: () => child.stdin.end(), flush() {} } : undefined, stdout: web(child.stdout), stderr: web(child.stderr), exitCode: null, signalCode: null, killed: false, kill: (name) => { made.killed = child.kill(name); }, ref() {}, unref() {} };
    made.readable = made.stdout;
    made.exited = new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, name) => { made.exitCode = code; made.signalCode = name; onExit?.(made, code, name); resolve(code ?? 128 + (require("os").constants.signals[name] ?? 0)); });
    });
    return made;
  },
  spawnSync(first, second) {
    const { cmd, cwd, env, stdin, stdout = "pipe", stderr = "pipe", timeout } = settingsOf(first, second);
    const result = spawnSync(cmd[0], cmd.slice(1), { cwd, env, timeout, input: stdin !== null && typeof stdin === "object" ? stdin : undefined, stdio: ["pipe", stdout, stderr] });
    if (result.error && result.pid === 0) throw result.error;
    return { exitCode: result.status, signalCode: result.signal, success: result.status === 0, stdout: result.stdout ?? Buffer.alloc(0), stderr: result.stderr ?? Buffer.alloc(0), pid: result.pid };
  },
  hash: (data) => BigInt(`0x${require("crypto").createHash("sha1").update(typeof data === "string" ? data : new Uint8Array(data)).digest("hex").slice(0, 16)}`),
  escapeHTML: (text) => String(text).replace(/[&<>"']/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[letter]),
  stripANSI: (text) => require("util").stripVTControlCharacters(text), inspect: require("util").inspect, deepEquals: (one, two) => require("util").isDeepStrictEqual(one, two),
  gzipSync: (data) => require("zlib").gzipSync(data), gunzipSync: (data) => require("zlib").gunzipSync(data), nanoseconds: () => Math.floor(performance.now() * 1e6), randomUUIDv7: () => require("crypto").randomUUID(),
  stdin: { text: async () => "", stream: () => new ReadableStream({ start(controller) { controller.close(); } }) }, gc() {}, isMainThread: true,
  resolveSync: (name, base) => internal.resolve(`${base}/x`, name, "import"),
};
own.sleep.sync = own.sleepSync;

// `$`: a command of the shell, with values as single words.
class ShellError extends Error {}
const quote = (value) => (Array.isArray(value) ? value.map(quote).join(" ") : value !== null && typeof value === "object" && typeof value.raw === "string" ? value.raw : `'${String(value instanceof BunFile ? value.name : value).replace(/'/g, "'\\''")}'`);
const $ = (strings, ...values) => {
  const command = strings.raw.reduce((text, part, at) => text + part + (at < values.length ? quote(values[at]) : ""), "");
  const settings = { cwd: undefined, env: undefined, quiet: false, throws: true };
  let running;
  const run = () => (running ??= new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { cwd: settings.cwd, env: settings.env, stdio: ["ignore", "pipe", "pipe"] });
    const parts = [[], []];
    child.stdout.on("data", (chunk) => parts[0].push(chunk));
    child.stderr.on("data", (chunk) => parts[1].push(chunk));
    child.once("error", reject);
    child.once("close", (code) => {
      const [stdout, stderr] = parts.map((list) => Buffer.concat(list));
      const output = { stdout, stderr, exitCode: code ?? 1, text: () => stdout.toString(), json: () => JSON.parse(stdout.toString()), bytes: () => stdout };
      if (code !== 0 && settings.throws) reject(Object.assign(new ShellError(`Failed with exit code ${code}`), output));
      else resolve(output);
    });
  }));
  const chain = {
    cwd: (path) => { settings.cwd = path; return chain; }, env: (env) => { settings.env = env; return chain; }, quiet: () => chain, nothrow: () => { settings.throws = false; return chain; }, throws: (value) => { settings.throws = value; return chain; },
    text: async () => (await run()).text(), json: async () => (await run()).json(), lines: async function* () { yield* (await run()).text().split("\n").filter((line, at, all) => at < all.length - 1 || line !== ""); }, arrayBuffer: async () => (await run()).stdout.buffer, blob: async () => new Blob([(await run()).stdout]), bytes: async () => (await run()).stdout,
    then: (done, failed) => run().then(done, failed), catch: (failed) => run().catch(failed), finally: (work) => run().finally(work),
  };
  return chain;
};
$.escape = quote;
$.ShellError = ShellError;
own.$ = $;
own.ShellError = ShellError;
own.Glob = class Glob {
  constructor(pattern) { this.pattern = pattern; }
  match(path) { return require("path").matchesGlob(path, this.pattern); }
  *scanSync(options = {}) { const cwd = typeof options === "string" ? options : options.cwd ?? process.cwd(); for (const name of fs.readdirSync(cwd, { recursive: true })) if (this.match(name) && fs.statSync(`${cwd}/${name}`, { throwIfNoEntry: false })?.isFile()) yield options.absolute ? `${cwd}/${name}` : name; }
  async *scan(options) { yield* this.scanSync(options); }
};
for (const name of ["serve", "connect", "listen", "build", "Transpiler", "plugin", "FFI", "sql", "redis", "s3", "dns", "udpSocket", "color", "password", "semver", "TOML", "CryptoHasher", "ArrayBufferSink"]) own[name] ??= internal.missing(`Bun.${name}`);
module.exports = own;
