// Models of the extension's own: the events of its stream, as pieces of an answer.
import { callNow } from "omp:host";
import { begin, end } from "omp:api/signals";
import { unit } from "omp:api/unit";

/** Streams one answer; what ends it is returned. */
export async function streamModel({ provider, model, context, options, id }) {
  const streamSimple = unit.providers.get(provider)?.streamSimple;
  if (streamSimple === undefined) throw new Error(`the extension does not serve "${provider}" any more`);
  const signal = begin(id);
  const given = { ...options, reasoning: options.reasoning === "off" ? undefined : options.reasoning, signal };
  const said = new Set();
  const tell = (index, piece) => {
    said.add(index);
    callNow("model.piece", { id, piece: { index, ...piece } });
  };
  try {
    const stream = await streamSimple(model, context, given);
    let last;
    for await (const event of stream) {
      if (event.type === "done") last = event.message;
      else if (event.type === "error") last = event.error;
      else forward(event, tell);
    }
    const message = last ?? (await stream.result?.());
    return finished(message, said, tell);
  } finally {
    end(id);
  }
}

function forward({ type, contentIndex, delta, toolCall }, tell) {
  if (type === "text_delta") tell(contentIndex, { type: "text", delta: String(delta) });
  else if (type === "thinking_delta") tell(contentIndex, { type: "thinking", delta: String(delta) });
  else if (type === "toolcall_end") tell(contentIndex, call(toolCall));
}

const call = ({ id, name, arguments: given }) => ({ type: "call", id: String(id), name: String(name), arguments: given ?? {} });

/** What the stream left out is in the message; then the end. */
function finished(message, said, tell) {
  if (message == null) return { type: "error", message: "" };
  const blocks = Array.isArray(message.content) ? message.content : [{ type: "text", text: String(message.content ?? "") }];
  blocks.forEach((block, index) => {
    if (!said.has(index)) {
      if (block.type === "text") tell(index, { type: "text", delta: block.text });
      else if (block.type === "thinking") tell(index, { type: "thinking", delta: block.thinking });
      else if (block.type === "toolCall") tell(index, call(block));
    }
    if (block.thinkingSignature) tell(index, { type: "signature", signature: block.thinkingSignature });
  });
  const { stopReason, errorMessage, usage } = message;
  if (stopReason === "error" || stopReason === "aborted") {
    return { type: "error", message: String(errorMessage ?? "the provider failed"), aborted: stopReason === "aborted" };
  }
  return { type: "done", reason: stopReason ?? "stop", usage };
}
