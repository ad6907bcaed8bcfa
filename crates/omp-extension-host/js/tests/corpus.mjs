// Runs extensions nobody here wrote against these modules: every component they show is drawn at three widths and gets keys.

import fs from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { getKeybindings } from "omp:tui/keybindings";
import { Surfaces } from "omp:tui/surfaces";
import { ExtensionTui } from "omp:tui/tui";
import { stripTerminalSequences } from "omp:tui/ansi";
import { visibleWidth } from "omp:tui/width";
import { theme } from "omp:ui/theme";
import { z as zod } from "../../../../third-party/zod/zod.js";
import { answers } from "./host.mjs";
import { takeStubs } from "./stubs.mjs";

const WIDTHS = [20, 80, 200];
const KEYS = ["\x1b[B", "\x1b[A", "x", " ", "\t", "\x1b[C", "\x1b[D", "1", "\r", "\x1b[6~", "\x7f", "\x1b"];
// Extensions wait for models and timers that never come here. Turns of the event loop are counted, not time: a busy machine has
// longer ones.
const TURNS = 40;
const TURN = 5;

const failures = new Map();
let number = 0;
answers["ui.failed"] = ({ surface, message }) => failures.set(surface, message);

/** What an extension did: `{ shown, lines, drawn, wide, errors, stubs }`. */
export async function run(entry, { isHook = false } = {}) {
  const report = { shown: [], lines: 0, drawn: [], wide: [], errors: [], stubs: [] };
  const stage = new Stage(report, isHook);
  try {
    const { default: factory } = await import(entry);
    await factory(stage.api);
  } catch (error) {
    report.errors.push(`load: ${error?.message ?? error}`);
    return report;
  }
  await stage.play();
  stage.close();
  report.stubs = takeStubs();
  return report;
}

class Stage {
  #surfaces = new Surfaces();
  #commands = [];
  #tools = [];
  #renderers = [];
  #handlers = [];
  #asked = 0;
  #sent = new Map();

  constructor(report, isHook) {
    this.report = report;
    this.isHook = isHook;
    this.ui = this.#ui();
    this.context = this.#context();
    this.api = this.#api();
  }

  async play() {
    for (const [event, handler] of this.#handlers) {
      if (event === "session_start") await this.#attempt("session_start", () => handler({ type: event, reason: "startup" }, this.context));
    }
    for (const [name, handler] of this.#commands) {
      for (const args of ["", "demo"]) await this.#attempt(`/${name}`, () => handler(args, this.context));
    }
    for (const tool of this.#tools) await this.#tool(tool);
    for (const [type, renderer] of this.#renderers) {
      const message = { role: "custom", content: "text **bold**", display: true, data: { events: [] }, timestamp: 0, ...this.#sent.get(type) };
      await this.#attempt(`message ${type}`, () => this.#show(`message ${type}`, renderer(message, { expanded: true }, theme)));
    }
  }

  close() {
    this.#surfaces.unmount("all");
  }

  async #tool(tool) {
    const args = sample(tool.parameters);
    const options = { expanded: true, isPartial: false };
    const result = { content: [{ type: "text", text: "one\ntwo" }], details: undefined };
    const context = { args, state: {}, invalidate() {}, cwd: "/", expanded: true, isPartial: false, isError: false, lastComponent: undefined };
    if (tool.execute && /question|tic_tac|todo/i.test(tool.name)) {
      await this.#attempt(`${tool.name} execute`, async () => Object.assign(result, await tool.execute("1", args, undefined, () => {}, this.context)));
    }
    if (tool.renderCall) await this.#attempt(`${tool.name} call`, () => this.#show(`${tool.name} call`, tool.renderCall(args, theme, context)));
    if (tool.renderResult) {
      await this.#attempt(`${tool.name} result`, () => this.#show(`${tool.name} result`, tool.renderResult(result, options, theme, context)));
    }
  }

  async #attempt(what, work) {
    let isOver = false;
    const late = async () => {
      for (let turn = 0; turn < TURNS && !isOver; turn++) await delay(TURN);
    };
    try {
      await Promise.race([Promise.resolve().then(work), late()]);
    } catch (error) {
      this.report.errors.push(`${what}: ${String(error?.message ?? error).split("\n")[0]}`);
    }
    isOver = true;
  }

  /** Mounts a component, draws it at all widths, sends it keys, and draws it again after each. */
  #show(what, component, tui = undefined) {
    if (component === undefined || component === null) return;
    if (typeof component.render !== "function") {
      this.report.errors.push(`${what}: not a component`);
      return;
    }
    const id = `surface-${++number}`;
    this.#surfaces.mount(id, component, { tui: tui ?? new ExtensionTui(id, this.#surfaces) });
    this.report.shown.push(what);
    for (const width of WIDTHS) this.#draw(what, id, width);
    for (const key of tui ? KEYS : []) {
      this.#surfaces.input(id, key);
      this.#draw(what, id, 80);
    }
    if (failures.has(id)) this.report.errors.push(`${what}: ${failures.get(id)}`);
    this.#surfaces.unmount(id);
  }

  #draw(what, id, width) {
    const lines = this.#surfaces.render(id, width);
    this.report.lines += lines.length;
    this.report.drawn.push([what, width, ...lines.map((line) => stripTerminalSequences(line).trimEnd())]);
    const wide = lines.find((line) => visibleWidth(line) > width);
    if (wide !== undefined && this.#surfaces.has(id)) this.report.wide.push(`${what} at ${width}: ${stripTerminalSequences(wide).slice(0, 60)}`);
  }

  async #custom(factory) {
    // Some ask again after each answer, without end.
    if (++this.#asked > 30) return new Promise(() => {});
    const tui = new ExtensionTui(`custom-${++number}`, this.#surfaces);
    let finish;
    const finished = new Promise((resolve) => (finish = resolve));
    // Hooks have an older form of the factory.
    const component = await (this.isHook ? factory(tui, theme, finish) : factory(tui, theme, getKeybindings(), finish));
    this.#show("custom", component, tui);
    setTimeout(finish, 1);
    return finished;
  }

  #mounted(what) {
    return (...args) => {
      const made = args.find((arg) => typeof arg === "function" || Array.isArray(arg));
      if (Array.isArray(made)) this.#show(what, { render: () => made });
      else if (made) {
        const tui = new ExtensionTui(`${what}-${++number}`, this.#surfaces);
        const third = what === "footer" ? footerData : getKeybindings();
        this.#show(what, made(tui, what === "editor" ? { borderColor: (text) => text, selectList: {} } : theme, third), tui);
      }
    };
  }

  #ui() {
    const said = {
      custom: (factory) => this.#custom(factory),
      setWidget: this.#mounted("widget"),
      setFooter: this.#mounted("footer"),
      setHeader: this.#mounted("header"),
      setEditorComponent: this.#mounted("editor"),
      select: async (_, options) => options?.[0]?.label ?? options?.[0],
      confirm: async () => true,
      input: async () => "text",
      editor: async () => "text",
      getEditorText: () => "",
      theme,
      onTerminalInput: () => () => {},
      getAllThemes: () => [],
    };
    return new Proxy(said, { get: (target, name) => target[name] ?? (() => undefined) });
  }

  #context() {
    const model = { id: "m", name: "Model", provider: "p", contextWindow: 1000, input: ["text"] };
    const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, cost: { total: 0.1 } };
    const entries = [
      { type: "message", id: "1", message: { role: "user", content: "What? And why?" } },
      { type: "message", id: "2", message: { role: "assistant", content: [{ type: "text", text: "An answer. Which one?" }], stopReason: "stop", usage } },
    ];
    const sessionManager = new Proxy(
      { getEntries: () => entries, getBranch: () => entries, getLeafId: () => "2", getSessionFile: () => undefined, getSessionName: () => "s" },
      { get: (target, name) => target[name] ?? (() => undefined) },
    );
    const modelRegistry = { getAvailable: () => [model], find: () => model, hasConfiguredAuth: () => true, complete: async () => ({ content: [{ type: "text", text: "[]" }], stopReason: "stop" }), getApiKey: async () => "key", getApiKeyAndHeaders: async () => ({ ok: true, apiKey: "key" }) };
    const said = {
      ui: this.ui, hasUI: true, mode: "tui", cwd: "/", model, sessionManager, modelRegistry, isIdle: () => true, hasPendingMessages: () => false,
      getContextUsage: () => ({ tokens: 10, contextWindow: 1000, percent: 1 }), getSystemPrompt: () => "prompt", signal: undefined,
    };
    return new Proxy(said, { get: (target, name) => (name in target ? target[name] : async () => ({ cancelled: false })) });
  }

  #api() {
    const tools = [{ name: "read", description: "Reads." }, { name: "bash", description: "Runs." }];
    const said = {
      on: (event, handler) => this.#handlers.push([event, handler]),
      registerCommand: (name, { handler }) => this.#commands.push([name, handler]),
      registerShortcut: (key, { handler }) => this.#commands.push([key, (_, context) => handler(context)]),
      registerTool: (tool) => this.#tools.push(tool),
      registerMessageRenderer: (type, renderer) => this.#renderers.push([type, renderer]),
      registerEntryRenderer: (type, renderer) => this.#renderers.push([type, renderer]),
      getAllTools: () => tools,
      getActiveTools: () => ["read"],
      getCommands: () => [],
      getThinkingLevel: () => "off",
      exec: async () => ({ stdout: "", stderr: "", code: 0, killed: false }),
      sendMessage: (message) => this.#sent.set(message.customType, message),
      appendEntry: (type, data) => this.#sent.set(type, { data }),
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      zod,
      z: zod,
      pi: {},
      events: { on: () => () => {}, emit() {} },
      ui: this.ui,
      hasUI: true,
      cwd: "/",
    };
    return new Proxy(said, { get: (target, name) => target[name] ?? (() => undefined) });
  }
}

const footerData = {
  getGitBranch: () => "main",
  getExtensionStatuses: () => new Map([["a", "status"]]),
  getAvailableProviderCount: () => 1,
  onBranchChange: () => () => {},
};

/** Arguments that a schema allows. */
function sample(schema) {
  if (!schema) return {};
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0]);
  if (schema.type === "array") return [sample(schema.items), sample(schema.items)];
  if (schema.type === "object") {
    return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, sample(property)]));
  }
  return { string: "text", number: 1, integer: 1, boolean: true }[schema.type];
}

/** The extensions of a directory: files, and directories with an index. */
export function extensions(directory) {
  return fs.readdirSync(directory).sort().flatMap((name) => {
    const file = path.join(directory, name);
    if (name.endsWith(".ts")) return [file];
    const index = path.join(file, "index.ts");
    return fs.existsSync(index) ? [index] : [];
  });
}
