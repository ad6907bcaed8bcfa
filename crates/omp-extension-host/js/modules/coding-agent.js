// `pi-coding-agent` as extensions import it. What is missing here is a stub that says so when it is used.
import { callNow } from "omp:host";

export * from "omp:modules/builtin-tools";
export * from "omp:modules/event-guards";
export * from "omp:modules/transcript";
export * from "omp:modules/truncate";
export * from "omp:ui/index";
export { exec, logger } from "omp:api/extension";
export { complete } from "omp:modules/ai";

export const APP_NAME = "omp";
export const CONFIG_DIR_NAME = ".omp";
export const VERSION = callNow("program.version", {}) ?? "0.0.0";

/** The user's directory for the agent. */
export const getAgentDir = () => callNow("program.agentDirectory", {});
/** omp is one file: what others look for beside their program is in this directory. */
export const getPackageDir = getAgentDir;
export const getProjectDir = () => callNow("session.cwd", {});
export const getSessionsDir = () => `${getAgentDir()}/sessions`;

/** Definitions are what they are; this only helps a type checker. */
export const defineTool = (definition) => definition;

/** The front matter of a Markdown file, as far as it is flat, and the text behind it. */
export function parseFrontmatter(content) {
  const match = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?/.exec(content);
  if (match === null) return { frontmatter: {}, body: content };
  const frontmatter = callNow("program.parseYaml", { text: match[1] }) ?? {};
  return { frontmatter, body: content.slice(match[0].length) };
}

export const stripFrontmatter = (content) => parseFrontmatter(content).body;

const queues = new Map();

/** Changes of one file happen one after the other. */
export async function withFileMutationQueue(path, change) {
  const before = queues.get(path) ?? Promise.resolve();
  const run = before.then(change, change);
  const settled = run.catch(() => {});
  queues.set(path, settled);
  try {
    return await run;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}

/** Settings of the original; those that omp has are its own. */
export const SettingsManager = {
  create: () => ({
    getShellPath: () => undefined, getShellCommandPrefix: () => undefined, getGlobalSettings: () => ({}), getProjectSettings: () => ({}),
  }),
};

/** What code of the original asks for and omp decides itself. */
export const createEventBus = () => {
  const handlers = new Map();
  return {
    emit: (channel, data) => [...(handlers.get(channel) ?? [])].forEach((handler) => handler(data)),
    on: (channel, handler) => {
      handlers.set(channel, (handlers.get(channel) ?? new Set()).add(handler));
      return () => handlers.get(channel)?.delete(handler);
    },
    clear: () => handlers.clear(),
  };
};

export const createSyntheticSourceInfo = (path, options = {}) => ({
  path, source: "local", scope: "temporary", origin: "top-level", ...options,
});

/** Text that the clipboard of the user's machine gets. */
export const copyToClipboard = async (text) => void callNow("ui.copy", { text: String(text) });
