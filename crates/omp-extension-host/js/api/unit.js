// What one loaded extension has registered, and whether it may act already.
import { callNow } from "omp:host";

export const unit = {
  /** @type {Map<string, Function[]>} event to handlers, in the order of registration */
  handlers: new Map(),
  tools: new Map(),
  commands: new Map(),
  shortcuts: new Map(),
  flags: new Map(),
  messageRenderers: new Map(),
  /** Draws entries of the session that no model sees. */
  entryRenderers: new Map(),
  thinkingRenderers: [],
  providers: new Map(),
  /** Handlers on the bus that all extensions share. */
  bus: new Map(),
  completions: [],
  /** Actions need a session; while the module loads there is none. */
  active: false,
  path: "",
  cwd: "",
  /** One API has the system prompt as one text, the other as its parts. */
  promptIsText: false,
};

/** The system prompt in the form that the extension was written for. */
export function shapedPrompt(prompt) {
  return unit.promptIsText && Array.isArray(prompt) ? prompt.join("\n\n") : prompt;
}

/** Tells the program what has changed in what the extension offers; once it is loaded, everything goes at once. */
export function announce(kind, value) {
  if (unit.active) callNow(`register.${kind}`, value);
}

export function needSession(name) {
  if (!unit.active) {
    throw new Error(`runtime not initialized: ${name} cannot be used while the extension loads`);
  }
}

/** What failed in a handler, for the list of problems and the log. */
export function problem(event, error) {
  const text = error instanceof Error ? error.message : String(error);
  return { event, message: text, stack: error instanceof Error ? String(error.stack ?? "") : "" };
}

export function report(event, error) {
  callNow("extension.error", problem(event, error));
}
