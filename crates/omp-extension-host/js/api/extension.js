// What a factory is given: the API, under whichever of its names the extension imported the types.
import { call, callNow } from "omp:host";
import { blocks, safe } from "omp:api/content";
import { customMessage } from "omp:api/events";
import { complete } from "omp:api/models";
import { toJsonSchema } from "omp:api/schema";
import { showEntry } from "omp:api/ui";
import { announce, needSession, report, unit } from "omp:api/unit";

let require;

export async function makeApi() {
  const { createRequire } = await import("node:module");
  require = createRequire("/");
  const registering = {
    on,
    registerTool,
    registerCommand,
    registerShortcut,
    registerFlag,
    registerMessageRenderer: (type, renderer) => {
      unit.messageRenderers.set(String(type), renderer);
      announce("messageRenderers", [...unit.messageRenderers.keys()]);
    },
    registerEntryRenderer: (type, renderer) => void unit.entryRenderers.set(String(type), renderer),
    registerAssistantThinkingRenderer: (renderer) => {
      unit.thinkingRenderers.push(renderer);
      announce("thinkingRenderers", unit.thinkingRenderers.length);
    },
    registerProvider,
    unregisterProvider: (name) => {
      unit.providers.delete(name);
      announce("providerGone", { name: String(name) });
    },
    setLabel: (first, second) => (second === undefined ? void (unit.label = String(first)) : setLabel(first, second)),
  };
  return Object.defineProperties({ ...registering, ...acting(), events }, {
    logger: { value: logger, enumerable: true },
    typebox: lazy("omp:lib/typebox"),
    zod: lazy("omp:lib/zod"),
    arktype: lazy("omp:lib/arktype"),
    pi: lazy("omp:modules/coding-agent"),
  });
}

/** Libraries are loaded when an extension first touches them. */
function lazy(name) {
  let module;
  return { enumerable: true, get: () => (module ??= require(name)) };
}

function on(event, handler) {
  if (typeof handler !== "function") throw new Error(`the handler for "${event}" is not a function`);
  const handlers = unit.handlers.get(event) ?? [];
  handlers.push(handler);
  unit.handlers.set(event, handlers);
  announce("events", [...unit.handlers.keys()]);
  return () => {
    const at = handlers.indexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
  };
}

function registerTool(definition) {
  if (typeof definition?.name !== "string" || typeof definition.execute !== "function") {
    throw new Error("a tool needs a name and execute()");
  }
  const { schema, parse } = toJsonSchema(definition.parameters);
  unit.tools.set(definition.name, { definition, parse });
  announce("tool", describeTool(definition, schema));
}

/** What the program needs to know of a tool. */
export function describeTool(definition, schema = toJsonSchema(definition.parameters).schema) {
  const { name, label, description, approval } = definition;
  return {
    name,
    label: String(label ?? name),
    description: String(description ?? ""),
    parameters: schema,
    strict: definition.strict === true,
    hidden: definition.hidden === true || definition.exposure === "hidden",
    defaultInactive: definition.defaultInactive === true || definition.defaultActive === false,
    deferrable: definition.deferrable === true || definition.exposure === "deferred",
    approval: typeof approval === "string" ? approval : (approval?.tier ?? undefined),
    asksApproval: typeof approval === "function",
    destructive: definition.annotations?.destructiveHint === true,
    readOnly: definition.annotations?.readOnlyHint === true,
    exclusive: definition.executionMode === "sequential",
    mcpServerName: definition.mcpServerName,
    mcpToolName: definition.mcpToolName,
    promptSnippet: definition.promptSnippet,
    promptGuidelines: definition.promptGuidelines,
    rendersCall: typeof definition.renderCall === "function",
    rendersResult: typeof definition.renderResult === "function",
    describesApproval: typeof definition.formatApprovalDetails === "function",
  };
}

function registerCommand(name, options) {
  const { description, handler, getArgumentCompletions } = typeof options === "function" ? { handler: options } : options;
  if (typeof handler !== "function") throw new Error(`the command /${name} has no handler`);
  unit.commands.set(String(name), { description, handler, getArgumentCompletions });
  announce("command", describeCommand(String(name)));
}

export function describeCommand(name) {
  const { description, getArgumentCompletions } = unit.commands.get(name);
  return { name, description: String(description ?? ""), completes: typeof getArgumentCompletions === "function" };
}

function registerShortcut(shortcut, options) {
  const { description, handler } = typeof options === "function" ? { handler: options } : options;
  unit.shortcuts.set(String(shortcut), { description, handler });
  announce("shortcut", { key: String(shortcut), description: String(description ?? "") });
}

function registerFlag(name, options) {
  unit.flags.set(String(name), options);
  announce("flag", describeFlag(String(name)));
}

export function describeFlag(name) {
  const { description, type } = unit.flags.get(name);
  const value = unit.flags.get(name).default;
  return { name, description: String(description ?? ""), type: type === "string" ? "string" : "boolean", default: value };
}

function registerProvider(name, config) {
  const { baseUrl, apiKey, oauth, models, streamSimple } = config ?? {};
  if (models?.length > 0) {
    if (typeof baseUrl !== "string" || baseUrl === "") throw new Error(`provider ${name}: "baseUrl" is required with models`);
    if (apiKey == null && oauth == null) throw new Error(`provider ${name}: "apiKey" or "oauth" is required with models`);
  }
  if (streamSimple !== undefined && typeof streamSimple !== "function") {
    throw new Error(`provider ${name}: "streamSimple" is not a function`);
  }
  unit.providers.set(String(name), config ?? {});
  announce("provider", describeProvider(String(name)));
}

export function describeProvider(name) {
  const { baseUrl, apiKey, api, headers, authHeader, models, streamSimple, oauth } = unit.providers.get(name);
  const described = safe({ baseUrl, apiKey, api, headers, authHeader, models });
  return { name, ...described, streams: typeof streamSimple === "function", logsIn: oauth != null };
}

/** What needs a session. */
function acting() {
  const now = (name, operation, values = {}) => {
    needSession(`pi.${name}()`);
    return callNow(operation, values);
  };
  const later = async (name, operation, values = {}) => {
    needSession(`pi.${name}()`);
    return await call(operation, values);
  };
  return {
    sendMessage: (message, options) =>
      void now("sendMessage", "session.sendMessage", {
        message: customMessage(message),
        // An older form says only whether a turn follows.
        options: options === true ? { triggerTurn: true } : safe(options),
      }),
    sendUserMessage: (content, options) =>
      void now("sendUserMessage", "session.sendUserMessage", {
        content: typeof content === "string" ? content : blocks(content),
        options: safe(options),
      }),
    appendEntry: (customType, data) => {
      now("appendEntry", "session.appendEntry", { customType: String(customType), data: safe(data) });
      showEntry(String(customType), safe(data));
    },
    exec: (command, args, options) => exec(command, args, options),
    getActiveTools: () => now("getActiveTools", "tools.active") ?? [],
    getAllTools: () => now("getAllTools", "tools.all") ?? [],
    setActiveTools: (names) => later("setActiveTools", "tools.setActive", { names: [...names].map(String) }),
    getCommands: () => now("getCommands", "commands.all") ?? [],
    setModel: (model) => later("setModel", "session.setModel", { provider: model?.provider, id: model?.id }),
    getThinkingLevel: () => now("getThinkingLevel", "session.thinkingLevel") ?? "off",
    setThinkingLevel: (level) => void now("setThinkingLevel", "session.setThinkingLevel", { level: String(level) }),
    getSessionName: () => now("getSessionName", "session.name") ?? undefined,
    setSessionName: (name) => later("setSessionName", "session.setName", { name: String(name) }),
    getFlag: (name) => {
      const known = unit.flags.get(String(name));
      return known && (callNow("flags.get", { name: String(name) }) ?? known.default);
    },
    complete: (model, context, options) => complete(call, model, context, options),
  };
}

function setLabel(entryId, label) {
  needSession("pi.setLabel()");
  callNow("session.setLabel", { entryId, label: label ?? null });
}

/** The most text of one program's output that is kept. */
const MOST_OUTPUT = 16 * 1024 * 1024;

/** A program, with its output. It ends with the extension. */
export async function exec(command, args = [], options = {}) {
  const { signal, timeout, cwd, env, input } = options;
  if (signal?.aborted) return { stdout: "", stderr: "", code: 1, killed: true };
  const { spawn } = await import("node:child_process");
  return await new Promise((resolve) => {
    const ended = { stdout: "", stderr: "", code: 1, killed: false };
    const stdio = [input === undefined ? "ignore" : "pipe", "pipe", "pipe"];
    const child = spawn(String(command), args.map(String), { cwd: cwd ?? unit.cwd, env, stdio });
    const stop = () => {
      ended.killed = true;
      child.kill("SIGTERM");
    };
    const timer = timeout > 0 ? setTimeout(stop, timeout) : undefined;
    signal?.addEventListener?.("abort", stop, { once: true });
    for (const name of ["stdout", "stderr"]) {
      child[name]?.on("data", (data) => {
        if (ended[name].length < MOST_OUTPUT) ended[name] += data.toString();
      });
    }
    if (input !== undefined) child.stdin?.end(input);
    const finish = (code) => {
      clearTimeout(timer);
      signal?.removeEventListener?.("abort", stop);
      resolve({ ...ended, code: code ?? (ended.killed ? 1 : 0) });
    };
    child.on("error", (error) => {
      ended.stderr += error.message;
      finish(1);
    });
    child.on("close", finish);
  });
}

/** The bus that all extensions of a session share. What is sent must be data. */
const events = {
  emit: (channel, data) => void callNow("bus.emit", { channel: String(channel), data: safe(data) }),
  on: (channel, handler) => {
    const handlers = unit.bus.get(channel) ?? [];
    handlers.push(handler);
    unit.bus.set(channel, handlers);
    callNow("bus.subscribe", { channel: String(channel) });
    return () => {
      const at = handlers.indexOf(handler);
      if (at >= 0) handlers.splice(at, 1);
    };
  },
};

export async function busEvent({ channel, data }) {
  for (const handler of unit.bus.get(channel) ?? []) {
    try {
      await handler(data);
    } catch (error) {
      report(`event "${channel}"`, error);
    }
  }
}

const say = (level) => (...words) => {
  const text = words.map((word) => (typeof word === "string" ? word : JSON.stringify(safe(word)))).join(" ");
  callNow("log", { level, text });
};

export const logger = { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error"), log: say("info") };
