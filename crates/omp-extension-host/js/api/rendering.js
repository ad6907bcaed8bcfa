// Drawings by the extension: of its calls and results, of its messages, below thinking.
import { callNow } from "omp:host";
import { theme } from "omp:ui/theme";
import { unit } from "omp:api/unit";

const states = new Map();
const MOST_STATES = 500;

/** @returns {string[] | null} rows, or nothing where the program draws by itself */
export function renderPart({ part, name, id, args, result, message, text, options, width }) {
  const component = {
    call: () => call(name, id, args, options, theme),
    result: () => outcome(name, id, args, result, options, theme),
    message: () => unit.messageRenderers.get(name)?.(message, options, theme),
    thinking: () => unit.thinkingRenderers[options.index]?.({ text, ...options }, theme),
  }[part]();
  if (component == null) return null;
  if (typeof component === "string") return component.split("\n");
  return component.render(width);
}

function call(name, id, args, options, theme) {
  const definition = unit.tools.get(name)?.definition;
  if (definition?.renderCall === undefined) return null;
  const context = toolContext(id, args, options);
  // One API takes options before the theme, the other a context behind it.
  return definition.renderCall.length >= 3 && takesOptions(definition.renderCall)
    ? definition.renderCall(args, options, theme)
    : definition.renderCall(args, mixed(theme, options), mixed(context, theme));
}

function outcome(name, id, args, result, options, theme) {
  const definition = unit.tools.get(name)?.definition;
  if (definition?.renderResult === undefined) return null;
  return definition.renderResult(result, options, theme, mixed(toolContext(id, args, options), args));
}

/** The name of the second parameter says which API it was written for. */
function takesOptions(renderer) {
  const parameters = String(renderer).split(")")[0].split(",");
  return !/theme/i.test(parameters[1] ?? "");
}

/** An object that is both: the two APIs put different things in one place. */
function mixed(first, second) {
  return new Proxy(first, {
    get: (target, key) => {
      const holder = key in target ? target : Object(second ?? {});
      const value = holder[key];
      return typeof value === "function" ? value.bind(holder) : value;
    },
    has: (target, key) => key in target || key in Object(second ?? {}),
  });
}

function toolContext(id, args, options) {
  if (!states.has(id)) {
    if (states.size >= MOST_STATES) states.delete(states.keys().next().value);
    states.set(id, {});
  }
  return {
    args,
    toolCallId: id,
    invalidate: () => void callNow("ui.render", { surface: `call:${id}` }),
    lastComponent: undefined,
    state: states.get(id),
    cwd: unit.cwd,
    executionStarted: true,
    argsComplete: true,
    isPartial: options.isPartial === true,
    expanded: options.expanded === true,
    showImages: false,
    isError: options.isError === true,
    durationMs: options.durationMs,
    outputPad: 0,
    keyText: (key) => key,
    keyHint: (key, description) => `${key} ${description}`,
  };
}
