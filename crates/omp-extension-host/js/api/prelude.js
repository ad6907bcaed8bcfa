// What the program calls in a unit.
import { call, callNow } from "omp:host";
import { toolResult } from "omp:api/content";
import { makeCommandContext, makeContext } from "omp:api/context";
import {
  describeCommand, describeFlag, describeProvider, describeTool, exec, logger, makeApi,
} from "omp:api/extension";
import { begin, end } from "omp:api/signals";
import { completionFactories, inputHandlers, makeUi, replaceEditorText, surfaces } from "omp:api/ui";
import { problem, unit } from "omp:api/unit";
import { reloadKeybindings } from "omp:tui/keybindings";
import { reloadTheme } from "omp:ui/theme";

export { emit } from "omp:api/events";
export { busEvent } from "omp:api/extension";
export { abort } from "omp:api/signals";

/** Loads a module and lets it register what it has. */
export async function load({ path, cwd, form, name, promptIsText }) {
  Object.assign(unit, { path, cwd, promptIsText: promptIsText === true });
  const module = await import(path);
  const factory = factoryOf(module);
  if (typeof factory !== "function") throw new Error("the default export is not a function");
  if (form === "tool") await loadTools(factory, cwd);
  else if (form === "share") unit.share = factory;
  else if (form === "command") await loadCommands(factory, cwd, name);
  else await factory(await makeApi());
  return registered();
}

/** A default export, also of a module that was CommonJS once. */
function factoryOf(module) {
  const candidate = module.default ?? module;
  return typeof candidate === "function" ? candidate : (candidate?.default ?? candidate);
}

/** Commands in code: the factory returns one, or several. A text that one of them returns is sent to the model. */
async function loadCommands(factory, cwd, folder) {
  const api = await makeApi();
  const made = await factory(libraries(api, { cwd, exec, logger }));
  for (const { name, description, execute } of [made].flat()) {
    if (typeof execute !== "function") throw new Error(`the command ${name ?? folder} has no execute()`);
    const handler = async (line, ctx) => {
      const said = await execute(words(line), ctx);
      if (typeof said !== "string" || said.trim() === "") return;
      await call("session.sendUserMessage", { content: said, options: { deliverAs: "followUp" } });
    };
    api.registerCommand(name ?? folder, { description, handler });
  }
}

/** What a person typed, in words; quotes keep some of them together. */
function words(line) {
  const found = String(line).matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...found].map(([, double, single, bare]) => double?.replace(/\\(.)/g, "$1") ?? single ?? bare);
}

function libraries(api, given) {
  for (const name of ["typebox", "zod", "arktype", "pi"]) {
    Object.defineProperty(given, name, Object.getOwnPropertyDescriptor(api, name));
  }
  return given;
}

/** A custom tool: the factory returns it, or several. */
async function loadTools(factory, cwd) {
  const api = await makeApi();
  const session = { number: 0, mode: "print", hasUI: callNow("session.hasUI", {}) === true, cwd };
  const now = (operation, values = {}) => callNow(operation, values);
  const later = (operation, values = {}) => call(operation, values);
  const given = libraries(api, {
    cwd,
    exec,
    ui: makeUi(session, now, later),
    hasUI: session.hasUI,
    logger,
    pushPendingAction: (action) => pushPendingAction(action),
  });
  const made = await factory(given);
  for (const tool of [made].flat()) {
    // Custom tools have another order of arguments than tools of extensions.
    const execute = (id, params, signal, onUpdate, ctx) => tool.execute(id, params, onUpdate, ctx, signal);
    api.registerTool({ ...tool, execute });
    if (typeof tool.onSession === "function") listenForTool(api, tool);
  }
}

const TOOL_EVENTS = {
  session_start: "start",
  session_switch: "switch",
  session_branch: "branch",
  session_tree: "tree",
  session_shutdown: "shutdown",
  auto_compaction_start: "auto_compaction_start",
  auto_compaction_end: "auto_compaction_end",
  auto_retry_start: "auto_retry_start",
  auto_retry_end: "auto_retry_end",
  ttsr_triggered: "ttsr_triggered",
  todo_reminder: "todo_reminder",
};

function listenForTool(api, tool) {
  for (const [event, reason] of Object.entries(TOOL_EVENTS)) {
    api.on(event, async (said, ctx) => {
      const { type, reason: trigger, ...rest } = said;
      const given = { trigger, previousSessionFile: undefined, ...rest, reason };
      try {
        await tool.onSession(given, ctx);
      } catch (error) {
        logger.error(`onSession of ${tool.name}: ${problem(event, error).message}`);
      }
    });
  }
}

const pending = new Map();
let pendings = 0;

/** Something that happens only when the model resolves it. */
function pushPendingAction({ label, apply, reject, details, sourceToolName }) {
  const id = `pending-${++pendings}`;
  pending.set(id, { apply, reject });
  callNow("tools.pushPending", { id, label: String(label), details, sourceToolName });
}

export async function resolvePending({ id, action, reason }) {
  const known = pending.get(id);
  pending.delete(id);
  const decided = action === "apply" ? known?.apply : known?.reject;
  return decided === undefined ? null : toolResult(await decided(reason));
}

function registered() {
  return {
    label: unit.label,
    events: [...unit.handlers.keys()],
    tools: [...unit.tools.values()].map(({ definition }) => describeTool(definition)),
    commands: [...unit.commands.keys()].map(describeCommand),
    shortcuts: [...unit.shortcuts].map(([key, { description }]) => ({ key, description: String(description ?? "") })),
    flags: [...unit.flags.keys()].map(describeFlag),
    messageRenderers: [...unit.messageRenderers.keys()],
    thinkingRenderers: unit.thinkingRenderers.length,
    providers: [...unit.providers.keys()].map(describeProvider),
  };
}

/** From now on the extension may act. What the interface looks like is known by now. */
export function activate() {
  unit.active = true;
  lookChanged();
}

/** Other colours or keys: nothing that was drawn may be reused. */
export function lookChanged() {
  reloadTheme();
  reloadKeybindings();
  surfaces.invalidate();
}

/** One API takes updates before the signal; the name of the third parameter says which one a tool was written for. */
function updatesFirst(execute) {
  const parameters = /^[^(]*\(([^)]*)/.exec(String(execute))?.[1].split(",") ?? [];
  return parameters.length >= 4 && /update/i.test(parameters[2]);
}

export async function runTool({ name, id, params, session }) {
  const { definition, parse } = known(unit.tools, name, "tool");
  const signal = begin(id);
  const onUpdate = (partial) => void callNow("tool.update", { id, partial: toolResult(partial) });
  try {
    const context = Object.defineProperties(makeContext(session), { signal: { value: signal } });
    const given = parse === undefined ? (definition.prepareArguments?.(params) ?? params) : parse(params);
    const order = updatesFirst(definition.execute) ? [onUpdate, context, signal] : [signal, onUpdate, context];
    return toolResult(await definition.execute(id, given, ...order));
  } finally {
    end(id);
  }
}

export function describeApproval({ name, params }) {
  const { definition } = known(unit.tools, name, "tool");
  const lines = definition.formatApprovalDetails?.(params);
  const tier = typeof definition.approval === "function" ? definition.approval(params) : undefined;
  return {
    lines: lines == null ? [] : [lines].flat().map(String),
    tier: typeof tier === "string" ? tier : (tier?.tier ?? tier?.approval),
  };
}

/** Hands a page to a script that shares conversations. */
export async function share({ page }) {
  const said = await unit.share(page);
  return typeof said === "string" ? { url: said } : { url: said?.url, message: said?.message };
}

export { streamModel } from "omp:api/serving";

export async function runCommand({ name, args, session }) {
  await known(unit.commands, name, "command").handler(args, makeCommandContext(session));
}

export async function completeArgument({ name, prefix }) {
  const items = await unit.commands.get(name)?.getArgumentCompletions?.(prefix);
  const plain = ({ value, label, description }) => ({
    value: String(value), label: String(label ?? value), description: description === undefined ? null : String(description),
  });
  return (items ?? []).slice(0, 200).map((item) => (typeof item === "string" ? plain({ value: item }) : plain(item)));
}

export async function runShortcut({ key, session }) {
  await known(unit.shortcuts, key, "shortcut").handler(makeContext(session));
}

function known(map, name, kind) {
  const found = map.get(name);
  if (found === undefined) throw new Error(`the extension has no ${kind} "${name}" any more`);
  return found;
}

/** The rows of a surface, and where its cursor is. */
export function renderSurface({ surface, width }) {
  const rows = surfaces.render(surface, width);
  const cursor = surfaces.cursor(surface);
  return { rows, cursor: cursor === null ? null : [cursor.row, cursor.column] };
}

/** The text of the editor that the extension put in the place of the program's. */
export function setEditorText({ surface, text }) {
  replaceEditorText(text);
  surfaces.markDirty(surface);
}

export const surfaceInput = ({ surface, data }) => surfaces.input(surface, data);

export const dirtySurfaces = () => surfaces.dirty();

/** Keys before anybody else uses them: what is left of them. */
export function terminalInput({ data }) {
  let left = data;
  for (const handler of inputHandlers) {
    const answer = handler(left);
    if (answer?.consume === true) return { consumed: true };
    if (typeof answer?.data === "string") left = answer.data;
  }
  return { data: left };
}

export const hasCompletions = () => completionFactories.length > 0;

/** Drawings of a call, a result, a message or a thinking block. They are mounted as surfaces that the program names. */
export { renderPart } from "omp:api/rendering";
