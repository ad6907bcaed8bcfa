// Results and messages in the one form that the program stores.

/** Text, a block or a list of blocks, as a list of blocks. What is none of these is said as text, not stored broken. */
export function blocks(content) {
  if (content == null) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  const list = Array.isArray(content) ? content : [content];
  return list.filter((block) => block != null).map(block);
}

function block(value) {
  if (typeof value === "string") return { type: "text", text: value };
  if (value.type === "text") return { type: "text", text: String(value.text ?? "") };
  if (value.type === "image") {
    const data = value.data ?? value.source?.data;
    const mimeType = value.mimeType ?? value.source?.mediaType ?? value.source?.media_type;
    if (typeof data === "string" && typeof mimeType === "string") return { type: "image", data, mimeType };
  }
  return { type: "text", text: JSON.stringify(value) };
}

/** What a tool returned. */
export function toolResult(result) {
  if (result == null) return { content: [] };
  if (typeof result === "string" || Array.isArray(result)) return { content: blocks(result) };
  const { content, details, isError, ...rest } = result;
  const described = content === undefined && details === undefined ? blocks(JSON.stringify(rest)) : blocks(content);
  return { content: described, details: safe(details), isError: isError === true };
}

/** A copy that JSON can hold; what cannot be copied is left out. */
export function safe(value) {
  if (value === undefined) return undefined;
  const seen = new WeakSet();
  try {
    const text = JSON.stringify(value, (_, inner) => {
      if (typeof inner === "bigint") return String(inner);
      if (typeof inner !== "object" || inner === null) return inner;
      if (seen.has(inner)) return undefined;
      seen.add(inner);
      if (inner instanceof Map) return Object.fromEntries(inner);
      if (inner instanceof Set) return [...inner];
      if (inner instanceof Error) return { name: inner.name, message: inner.message };
      return inner;
    });
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
