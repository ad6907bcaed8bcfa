// `pi-ai` as extensions import it: schemas, one answer of a model, ids.
import { call, callNow } from "omp:host";
import { complete as completeWith } from "omp:api/models";

export * from "omp:lib/typebox";

/** A choice among strings that every provider accepts. */
export function StringEnum(values, options = {}) {
  return { type: "string", enum: [...values], ...options };
}

export const complete = (model, context, options) => completeWith(call, model, context, options);
export const completeSimple = complete;

/** The whole answer as the one event of a stream that ends. */
export function streamSimple(model, context, options) {
  const answer = complete(model, context, options);
  const stream = createAssistantMessageEventStream();
  answer.then(
    (message) => {
      stream.push({ type: "start", partial: message });
      message.content.forEach((block, contentIndex) => {
        if (block.type === "text") stream.push({ type: "text_delta", contentIndex, delta: block.text, partial: message });
      });
      stream.push({ type: "done", reason: message.stopReason, message });
      stream.end(message);
    },
    (error) => stream.fail(error),
  );
  return stream;
}
export const stream = streamSimple;

export function createAssistantMessageEventStream() {
  const waiting = [];
  const wake = [];
  let over = false;
  let failure;
  let settle;
  const settled = new Promise((resolve, reject) => (settle = { resolve, reject }));
  settled.catch(() => {});
  const next = () => (waiting.length > 0 || over ? Promise.resolve() : new Promise((resolve) => wake.push(resolve)));
  const awaken = () => wake.splice(0).forEach((resume) => resume());
  return {
    push(event) {
      waiting.push(event);
      if (event.type === "done") settle.resolve(event.message);
      if (event.type === "error") settle.resolve(event.error);
      awaken();
    },
    end(result) {
      over = true;
      if (result !== undefined) settle.resolve(result);
      awaken();
    },
    fail(error) {
      [over, failure] = [true, error];
      settle.reject(error);
      awaken();
    },
    result: () => settled,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        await next();
        if (waiting.length > 0) yield waiting.shift();
        else if (failure !== undefined) throw failure;
        else if (over) return;
      }
    },
  };
}

/** Nothing while an extension loads: which models there are depends on the session. */
function allModels() {
  try {
    return callNow("models.all", {}) ?? [];
  } catch {
    return [];
  }
}

export const getModel = (provider, id) => callNow("models.find", { provider, id }) ?? undefined;
export const getModels = (provider) => allModels().filter((model) => model.provider === provider);
export const getProviders = () => [...new Set(allModels().map((model) => model.provider))];
export const getEnvApiKey = (provider) => callNow("models.environmentKey", { provider }) ?? undefined;
export const modelsAreEqual = (one, other) => one?.provider === other?.provider && one?.id === other?.id;

/** What an answer cost, by the prices of the model. */
export function calculateCost(model, usage) {
  const part = (name) => ((model?.cost?.[name] ?? 0) / 1_000_000) * (usage?.[name] ?? 0);
  const cost = { input: part("input"), output: part("output"), cacheRead: part("cacheRead"), cacheWrite: part("cacheWrite") };
  const total = cost.input + cost.output + cost.cacheRead + cost.cacheWrite;
  usage.cost = { ...cost, total };
  return usage.cost;
}

/** An id whose order is that of time. */
export function uuidv7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const now = BigInt(Date.now());
  for (let at = 0; at < 6; at++) bytes[at] = Number((now >> BigInt(8 * (5 - at))) & 0xffn);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

export const isContextOverflow = (message) =>
  message?.stopReason === "error" && /context|too long|too many tokens/i.test(message.errorMessage ?? "");
