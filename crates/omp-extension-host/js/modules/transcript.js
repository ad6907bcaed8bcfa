// Messages of a session as a model gets them, and as text.

/** Messages that only the session knows become messages of the user. */
export function convertToLlm(messages) {
  return messages.flatMap((message) => {
    switch (message.role) {
      case "user":
      case "assistant":
      case "toolResult":
        return [message];
      case "custom":
      case "hookMessage":
      case "developer":
        return [{ role: "user", content: asBlocks(message.content), timestamp: message.timestamp }];
      case "bashExecution":
        return message.excludeFromContext ? [] : [said(`Ran \`${message.command}\`\n\`\`\`\n${message.output}\n\`\`\``, message)];
      case "branchSummary":
      case "compactionSummary":
        return [said(`<summary>\n${message.summary}\n</summary>`, message)];
      default:
        return [];
    }
  });
}

const asBlocks = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
const said = (text, { timestamp }) => ({ role: "user", content: [{ type: "text", text }], timestamp });

/** The most of one tool result that a transcript has. */
const MOST_RESULT = 2000;

/** A conversation as text, for prompts about it. */
export function serializeConversation(messages) {
  return messages.flatMap(lines).join("\n\n");
}

function lines(message) {
  if (message.role === "user") return part("User", text(message.content));
  if (message.role === "toolResult") {
    const result = text(message.content);
    const cut = result.length > MOST_RESULT ? `${result.slice(0, MOST_RESULT)}\n[... truncated]` : result;
    return part("Tool result", cut);
  }
  if (message.role !== "assistant") return [];
  const blocks = asBlocks(message.content);
  const thinking = blocks.filter((block) => block.type === "thinking").map((block) => block.thinking).join("\n");
  const calls = blocks.filter((block) => block.type === "toolCall").map(call).join("; ");
  return [...part("Assistant thinking", thinking), ...part("Assistant", text(blocks)), ...part("Assistant tool calls", calls)];
}

const part = (who, what) => (what.trim() === "" ? [] : [`[${who}]: ${what}`]);

function text(content) {
  return asBlocks(content ?? "").filter((block) => block.type === "text").map((block) => block.text).join("\n");
}

function call({ name, arguments: given }) {
  const values = Object.entries(given ?? {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  return `${name}(${values.join(", ")})`;
}
