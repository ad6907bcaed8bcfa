// The context that handlers get. It reads the session that it was made for; when that one is over, what it reads is what was
// last known, and what it is asked to do is logged and not done. The program decides that, by the session's number.
import { call, callNow } from "omp:host";
import { makeModelRegistry, makeModels } from "omp:api/models";
import { makeSessionManager } from "omp:api/session-manager";
import { makeUi } from "omp:api/ui";
import { shapedPrompt } from "omp:api/unit";

/** @param {{number: number, mode: string, hasUI: boolean, cwd: string}} session */
export function makeContext(session) {
  const now = (operation, values = {}) => callNow(operation, { ...values, session: session.number });
  const later = (operation, values = {}) => call(operation, { ...values, session: session.number });
  const cached = {};
  const once = (name, make) => (cached[name] ??= make());
  return {
    get ui() {
      return once("ui", () => makeUi(session, now, later));
    },
    mode: session.mode,
    hasUI: session.hasUI,
    cwd: session.cwd,
    agent: { kind: "main", id: "main", name: "main", depth: 0 },
    get sessionManager() {
      return once("sessionManager", () => makeSessionManager(now));
    },
    get modelRegistry() {
      return once("modelRegistry", () => makeModelRegistry(now, later));
    },
    get models() {
      return once("models", () => makeModels(now));
    },
    get model() {
      return now("session.model") ?? undefined;
    },
    get scopedModels() {
      return now("session.scopedModels") ?? [];
    },
    get thinkingLevel() {
      return now("session.thinkingLevel") ?? undefined;
    },
    isIdle: () => now("session.isIdle") !== false,
    hasPendingMessages: () => now("session.hasPendingMessages") === true,
    hasQueuedMessages: () => now("session.hasPendingMessages") === true,
    isProjectTrusted: () => now("session.isProjectTrusted") === true,
    abort: () => void now("session.abort"),
    shutdown: () => void now("session.shutdown"),
    getContextUsage: () => now("session.contextUsage") ?? undefined,
    getAsyncJobSnapshot: () => now("session.jobs") ?? null,
    getSystemPrompt: () => shapedPrompt(now("session.systemPrompt") ?? []),
    getSystemPromptOptions: () => ({ cwd: session.cwd }),
    compact: (options) => compact(later, options),
    setTimeout: (callback, ms, ...rest) => setTimeout(callback, ms, ...rest),
    setInterval: (callback, ms, ...rest) => setInterval(callback, ms, ...rest),
    clearTimer: (timer) => {
      clearTimeout(timer);
      clearInterval(timer);
    },
  };
}

async function compact(later, options) {
  const given = typeof options === "string" ? { customInstructions: options } : (options ?? {});
  const { onComplete, onError, ...values } = given;
  try {
    const result = await later("session.compact", values);
    onComplete?.(result);
  } catch (error) {
    if (onError === undefined) throw error;
    onError(error);
  }
}

/** What commands can do beyond that: they may leave the session, and go on in the one that follows it. */
export function makeCommandContext(session) {
  const context = makeContext(session);
  const later = (operation, values = {}) => call(operation, { ...values, session: session.number });
  /** The same context now speaks of the session that it led to. */
  const follow = (arrival) => {
    if (arrival?.session !== undefined) Object.assign(session, arrival.session);
    return { cancelled: arrival?.cancelled === true };
  };
  const then = async (arrival, options) => {
    const answer = follow(arrival);
    if (!answer.cancelled && typeof options?.withSession === "function") {
      await options.withSession(replaced(session));
    }
    return answer;
  };
  return Object.defineProperties(context, Object.getOwnPropertyDescriptors({
    waitForIdle: () => later("session.waitForIdle"),
    newSession: async (options) => {
      const entries = await prepared(options?.setup);
      return then(await later("session.new", { parentSession: options?.parentSession, entries }), options);
    },
    switchSession: async (path, options) => then(await later("session.switch", { path: String(path) }), options),
    branch: async (entryId) => follow(await later("session.branch", { entryId })),
    fork: async (entryId, options) =>
      then(await later("session.branch", { entryId, position: options?.position }), options),
    navigateTree: async (targetId, options) => follow(await later("session.navigate", { targetId, ...options })),
    reload: () => later("session.reload"),
  }));
}

function replaced(session) {
  const context = makeCommandContext(session);
  return Object.defineProperties(context, Object.getOwnPropertyDescriptors({
    sendMessage: (message, options) => call("session.sendMessage", { message, options, session: session.number }),
    sendUserMessage: (content, options) =>
      call("session.sendUserMessage", { content, options, session: session.number }),
  }));
}

/** What a new session begins with: the calls that the setup makes on a manager are kept and replayed there. */
async function prepared(setup) {
  if (typeof setup !== "function") return [];
  const entries = [];
  const id = () => `prepared-${entries.length}`;
  const note = (entry) => {
    entries.push(entry);
    return id();
  };
  await setup({
    appendMessage: (message) => note({ type: "message", message }),
    appendCustomEntry: (customType, data) => note({ type: "custom", customType, data }),
    appendCustomMessageEntry: (customType, content, display, details) =>
      note({ type: "custom_message", customType, content, display, details }),
    setSessionName: (name) => void note({ type: "title", title: name }),
    appendSessionInfo: (name) => note({ type: "title", title: name }),
    getEntries: () => [...entries],
    getBranch: () => [...entries],
    getCwd: () => callNow("session.cwd", {}),
  });
  return entries;
}
