// The tools of omp, for extensions that wrap them. They run as the session's own, with its approvals; the program puts in
// their description and schema where `x-omp-builtin` stands.
import { call, callNow } from "omp:host";
import { truncateTail } from "omp:modules/truncate";

function builtin(name, label, run) {
  return {
    name,
    label,
    description: "",
    parameters: { type: "object", properties: {}, "x-omp-builtin": name },
    execute: (id, params, signal, onUpdate) => run(id, params, signal, onUpdate),
  };
}

let runs = 0;

async function inSession(name, cwd, params, signal) {
  const id = `builtin-${++runs}`;
  const stop = () => void callNow("tools.abort", { id });
  if (signal?.aborted) throw new Error("the call was aborted");
  signal?.addEventListener?.("abort", stop, { once: true });
  try {
    return await call("tools.run", { id, name, cwd, params });
  } finally {
    signal?.removeEventListener?.("abort", stop);
  }
}

const plain = (name, label) => (cwd) =>
  builtin(name, label, (id, params, signal) => inSession(name, cwd, params, signal));

const said = (text, details) => ({ content: [{ type: "text", text }], details });

/** Operations of an extension stand instead of the disk or the shell of this machine. */
export const createBashTool = (cwd, options = {}) =>
  builtin("bash", "bash", async (id, params, signal, onUpdate) => {
    const hooked = options.spawnHook?.({ command: params.command, cwd, env: { ...process.env } });
    const command = (options.commandPrefix ? `${options.commandPrefix}\n` : "") + (hooked?.command ?? params.command);
    if (options.operations !== undefined) return remoteBash(options.operations, command, cwd, params, signal, onUpdate);
    const added = Object.entries(hooked?.env ?? {}).filter(([name, value]) => process.env[name] !== value);
    const env = added.length > 0 ? { ...params.env, ...Object.fromEntries(added) } : params.env;
    const given = { ...params, command, ...(env === undefined ? {} : { env }) };
    return inSession("bash", hooked?.cwd ?? cwd, given, signal);
  });

async function remoteBash(operations, command, cwd, params, signal, onUpdate) {
  let output = "";
  const onData = (data) => {
    output += typeof data === "string" ? data : data.toString();
    onUpdate?.(said(truncateTail(output).content));
  };
  const { exitCode } = await operations.exec(command, cwd, { onData, signal, timeout: params.timeout });
  const shown = truncateTail(output).content || "(no output)";
  if (exitCode !== 0 && exitCode !== null) throw new Error(`${shown}\n\nCommand exited with code ${exitCode}`);
  return said(shown);
}

const absolute = (cwd, path) => (path.startsWith("/") ? path : `${cwd}/${path}`);

export const createReadTool = (cwd, options = {}) =>
  builtin("read", "read", async (id, params, signal) => {
    if (options.operations === undefined) return inSession("read", cwd, params, signal);
    const bytes = await options.operations.readFile(absolute(cwd, params.path));
    return said(bytes.toString());
  });

export const createWriteTool = (cwd, options = {}) =>
  builtin("write", "write", async (id, params, signal) => {
    if (options.operations === undefined) return inSession("write", cwd, params, signal);
    const path = absolute(cwd, params.path);
    await options.operations.mkdir?.(path.slice(0, path.lastIndexOf("/")) || "/");
    await options.operations.writeFile(path, params.content);
    return said(`Wrote ${params.path}`);
  });

export const createEditTool = (cwd, options = {}) =>
  builtin("edit", "edit", async (id, params, signal) => {
    if (options.operations === undefined) return inSession("edit", cwd, params, signal);
    const path = absolute(cwd, params.path);
    const before = (await options.operations.readFile(path)).toString();
    const edits = params.edits ?? [{ oldText: params.oldText, newText: params.newText }];
    const after = edits.reduce(replaceOnce, before);
    await options.operations.writeFile(path, after);
    return said(`Edited ${params.path}`);
  });

function replaceOnce(text, { oldText, newText }) {
  const at = text.indexOf(oldText);
  if (at < 0) throw new Error("the text to replace was not found");
  if (text.indexOf(oldText, at + 1) >= 0) throw new Error("the text to replace was found more than once");
  return text.slice(0, at) + newText + text.slice(at + oldText.length);
}

export const createGrepTool = plain("search", "search");
export const createFindTool = plain("find", "find");
export const createLsTool = plain("read", "read");
export const createReadToolDefinition = createReadTool;
export const createBashToolDefinition = createBashTool;
export const createEditToolDefinition = createEditTool;
export const createWriteToolDefinition = createWriteTool;
export const createGrepToolDefinition = createGrepTool;
export const createFindToolDefinition = createFindTool;
export const createLsToolDefinition = createLsTool;
export const createCodingTools = (cwd) => [createReadTool, createBashTool, createEditTool, createWriteTool].map((make) => make(cwd));
export const createReadOnlyTools = (cwd) => [createReadTool, createGrepTool, createFindTool].map((make) => make(cwd));

/** Commands on this machine, for tools that take operations. */
export function createLocalBashOperations() {
  return {
    exec: async (command, cwd, { onData, signal, timeout, env } = {}) => {
      const { spawn } = await import("node:child_process");
      return new Promise((resolve, reject) => {
        const child = spawn("/bin/sh", ["-c", command], { cwd, env: env ?? process.env, stdio: ["ignore", "pipe", "pipe"], signal });
        const timer = timeout > 0 ? setTimeout(() => child.kill("SIGTERM"), timeout * 1000) : undefined;
        child.stdout.on("data", onData);
        child.stderr.on("data", onData);
        child.on("error", reject);
        child.on("close", (exitCode) => {
          clearTimeout(timer);
          resolve({ exitCode });
        });
      });
    },
  };
}
