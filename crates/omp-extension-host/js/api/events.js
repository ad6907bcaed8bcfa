// Runs the handlers of one event and merges what they return, by the rules of each event. The program runs the extensions
// one after the other and passes on what the one before returned.
import { callNow } from "omp:host";
import { blocks, safe } from "omp:api/content";
import { makeContext } from "omp:api/context";
import { begin, end } from "omp:api/signals";
import { problem, shapedPrompt, unit } from "omp:api/unit";

/** Handlers get a copy each: what they change in it reaches nobody. */
const copy = (value) => structuredClone(value);

/** @returns {Promise<{result?: unknown, problems?: object[]}>} */
export async function emit({ event, session, id }) {
  const handlers = unit.handlers.get(event.type) ?? [];
  const merge = MERGES[event.type] ?? observe;
  const context = makeContext(session);
  const signal = id === undefined ? undefined : begin(id);
  const problems = [];
  try {
    const run = async (handler, current, shared = {}) => {
      const given = Object.assign(copy(current), shared);
      const files = given.preparation?.fileOps;
      if (files !== undefined) given.preparation.fileOps = fileOps(files);
      if (signal !== undefined) given.signal = signal;
      return await handler(given, context);
    };
    const result = await merge(handlers, event, run, problems);
    return { result: safe(result), problems: problems.length > 0 ? problems : undefined };
  } finally {
    if (id !== undefined) end(id);
  }
}

/** Files of the part that a compaction takes out, as sets. */
function fileOps({ readFiles = [], rereadFiles = [], modifiedFiles = [] }) {
  return { read: new Set([...readFiles, ...rereadFiles]), written: new Set(modifiedFiles), edited: new Set(modifiedFiles) };
}

async function observe(handlers, event, run, problems) {
  for (const handler of handlers) {
    try {
      await run(handler, event);
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  return undefined;
}

/** The first that blocks ends it, and so does one that fails: a guard that cannot decide has not agreed. */
async function toolCall(handlers, event, run, problems) {
  const merged = { block: false, additionalContext: [] };
  for (const handler of handlers) {
    let answer;
    try {
      answer = await run(handler, event);
    } catch (error) {
      problems.push(problem(event.type, error));
      return { block: true, reason: `Extension failed, blocking execution: ${problem("", error).message}` };
    }
    if (answer == null) continue;
    if (answer.block) return { block: true, reason: answer.reason == null ? undefined : String(answer.reason) };
    if (typeof answer.additionalContext === "string") merged.additionalContext.push(answer.additionalContext);
  }
  return merged;
}

/** Each sees what the one before made of the result. */
async function toolResult(handlers, event, run, problems) {
  let current = event;
  const changed = {};
  for (const handler of handlers) {
    try {
      const answer = await run(handler, current);
      if (answer == null) continue;
      if (answer.content !== undefined) changed.content = blocks(answer.content);
      if (answer.details !== undefined) changed.details = safe(answer.details);
      if (typeof answer.isError === "boolean") changed.isError = answer.isError;
      current = { ...current, ...changed };
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  return changed;
}

/** A list of messages goes from one to the next. */
async function context(handlers, event, run, problems) {
  let messages;
  for (const handler of handlers) {
    try {
      const answer = await run(handler, messages === undefined ? event : { ...event, messages });
      if (Array.isArray(answer?.messages)) messages = answer.messages;
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  return messages === undefined ? undefined : { messages };
}

async function beforeAgentStart(handlers, event, run, problems) {
  const selectedTools = callNow("tools.active", {}) ?? [];
  const systemPromptOptions = { cwd: unit.cwd, selectedTools, skills: [], contextFiles: [], sections: {} };
  let systemPrompt = shapedPrompt(event.systemPrompt);
  const messages = [];
  let changed = false;
  for (const handler of handlers) {
    try {
      const answer = await run(handler, { ...event, systemPrompt }, { systemPromptOptions });
      if (answer?.message != null) messages.push(customMessage(answer.message));
      const prompt = answer?.systemPrompt ?? answer?.systemPromptAppend;
      if (prompt !== undefined) {
        systemPrompt = answer.systemPrompt !== undefined ? prompt : appended(systemPrompt, prompt);
        changed = true;
      }
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  for (const section of Object.values(systemPromptOptions.sections)) {
    if (typeof section !== "string" || section === "") continue;
    systemPrompt = appended(systemPrompt, section);
    changed = true;
  }
  return { messages, systemPrompt: changed ? [systemPrompt].flat().map(String) : undefined };
}

function appended(prompt, addition) {
  return Array.isArray(prompt) ? [...prompt, String(addition)] : `${prompt}\n\n${addition}`;
}

export function customMessage(message) {
  const { customType, content, display, details, attribution } = message;
  return {
    customType: String(customType ?? "extension"),
    content: typeof content === "string" ? content : blocks(content),
    display: display !== false,
    details: safe(details),
    attribution: attribution === undefined ? undefined : String(attribution),
  };
}

/** Text and pictures go from one to the next, until one has dealt with them. */
async function input(handlers, event, run, problems) {
  let { text, images } = event;
  let changed = false;
  for (const handler of handlers) {
    try {
      const answer = await run(handler, { ...event, text, images });
      if (answer == null) continue;
      if (answer.handled === true || answer.action === "handled") return { handled: true };
      if (answer.action === "continue") continue;
      if (typeof answer.text === "string") [text, changed] = [answer.text, true];
      if (Array.isArray(answer.images)) [images, changed] = [answer.images, true];
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  return changed ? { text, images } : undefined;
}

/** The last answer counts; one that cancels is the last. */
async function before(handlers, event, run, problems) {
  let last;
  for (const handler of handlers) {
    try {
      const answer = await run(handler, event);
      if (answer == null) continue;
      last = answer;
      if (answer.cancel === true) break;
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  return last;
}

/** What is returned is sent instead. */
async function payload(handlers, event, run, problems) {
  let current = event.payload;
  let changed = false;
  for (const handler of handlers) {
    try {
      const answer = await run(handler, { ...event, payload: current });
      if (answer !== undefined && answer !== null) [current, changed] = [answer, true];
    } catch (error) {
      problems.push(problem(event.type, error));
    }
  }
  return changed ? { payload: current } : undefined;
}

const MERGES = {
  tool_call: toolCall,
  tool_result: toolResult,
  context,
  before_agent_start: beforeAgentStart,
  input,
  before_provider_request: payload,
  session_before_switch: before,
  session_before_branch: before,
  session_before_fork: before,
  session_before_compact: before,
  session_before_tree: before,
  "session.compacting": before,
  session_stop: before,
  user_bash: before,
  user_python: before,
  resources_discover: before,
};
