/** Messages of a conversation as components, for extensions that show another conversation than the one on the screen. */

import { Box } from "omp:tui/box";
import { Container } from "omp:tui/component";
import { Markdown } from "omp:tui/markdown";
import { Spacer } from "omp:tui/spacer";
import { Text } from "omp:tui/text";
import { getMarkdownTheme } from "omp:ui/component-themes";
import { theme } from "omp:ui/theme";

const fg = (token) => (text) => theme.fg(token, text);
const bg = (token) => (text) => theme.bg(token, text);

/** The text of a message, whether it is one or comes in parts. */
export function textOf(content) {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [];
  return parts.filter((part) => part?.type === "text").map((part) => part.text ?? "").join("\n");
}

export class UserMessageComponent extends Container {
  constructor(text, markdownTheme = getMarkdownTheme(), padding = 1) {
    super();
    const style = { bgColor: bg("userMessageBg"), color: fg("userMessageText") };
    this.addChild(new Markdown(text, padding, 1, markdownTheme, style));
  }

  setOutputPad() {}
}

export class AssistantMessageComponent extends Container {
  #message;
  #hidesThinking;
  #thinkingLabel;
  #theme;
  #padding;

  constructor(message = undefined, hidesThinking = false, markdownTheme = getMarkdownTheme(), thinkingLabel = "Thinking...", padding = 1) {
    super();
    this.#hidesThinking = hidesThinking;
    this.#thinkingLabel = thinkingLabel;
    this.#theme = markdownTheme;
    this.#padding = padding;
    if (message) this.updateContent(message);
  }

  updateContent(message) {
    this.#message = message;
    this.clear();
    for (const part of Array.isArray(message.content) ? message.content : [{ type: "text", text: message.content }]) this.#add(part);
    const isFailed = message.stopReason === "error" || message.stopReason === "aborted";
    if (!isFailed) return;
    const reason = message.stopReason === "aborted" ? "Cancelled" : `Error: ${message.errorMessage ?? "unknown error"}`;
    this.addChild(new Spacer());
    this.addChild(new Text(theme.fg("error", reason), this.#padding, 0));
  }

  #add(part) {
    const isThinking = part?.type === "thinking";
    const text = (isThinking ? part.thinking : part?.type === "text" ? part.text : "")?.trim();
    if (!text) return;
    this.addChild(new Spacer());
    if (isThinking && this.#hidesThinking) {
      this.addChild(new Text(theme.italic(theme.fg("thinkingText", this.#thinkingLabel)), this.#padding, 0));
    } else {
      const style = isThinking ? { color: fg("thinkingText"), italic: true } : undefined;
      this.addChild(new Markdown(text, this.#padding, 0, this.#theme, style));
    }
  }

  #again() {
    if (this.#message) this.updateContent(this.#message);
  }

  setHideThinkingBlock(hides) {
    this.#hidesThinking = hides;
    this.#again();
  }

  setHiddenThinkingLabel(label) {
    this.#thinkingLabel = label;
    this.#again();
  }

  setOutputPad(padding) {
    this.#padding = padding;
    this.#again();
  }
}

/** A box with a label and a text that can be folded to one line. */
class FoldedMessage extends Box {
  #label;
  #text;
  #folded;
  #theme;
  #isExpanded = false;

  constructor(label, text, folded, markdownTheme = getMarkdownTheme(), padding = 1) {
    super(padding, 1, bg("customMessageBg"));
    this.#label = label;
    this.#text = text;
    this.#folded = folded;
    this.#theme = markdownTheme;
    this.#fill();
  }

  setExpanded(isExpanded) {
    this.#isExpanded = isExpanded;
    this.#fill();
  }

  setOutputPad(padding) {
    this.setPaddingX(padding);
  }

  invalidate() {
    this.#fill();
  }

  #fill() {
    this.clear();
    this.addChild(new Text(theme.bold(theme.fg("customMessageLabel", `[${this.#label}]`)), 0, 0));
    const style = { color: fg("customMessageText") };
    const text = this.#isExpanded || this.#folded === undefined ? this.#text : this.#folded;
    this.addChild(new Spacer());
    this.addChild(new Markdown(text, 0, 0, this.#theme, style));
  }
}

export class BranchSummaryMessageComponent extends FoldedMessage {
  constructor(message, markdownTheme = undefined, padding = undefined) {
    super("branch", message.summary ?? "", "Branch summary", markdownTheme, padding);
  }
}

export class CompactionSummaryMessageComponent extends FoldedMessage {
  constructor(message, markdownTheme = undefined, padding = undefined) {
    const count = message.tokensBefore === undefined ? "" : ` from ${message.tokensBefore} tokens`;
    super("compaction", message.summary ?? "", `Compacted${count}`, markdownTheme, padding);
  }
}

export class SkillInvocationMessageComponent extends FoldedMessage {
  constructor(skill, markdownTheme = undefined, padding = undefined) {
    super("skill", skill.content ?? "", skill.name ?? "", markdownTheme, padding);
  }
}

export class CustomMessageComponent extends Container {
  #message;
  #renderer;
  #theme;
  #padding;
  #isExpanded = false;

  constructor(message, renderer = undefined, markdownTheme = getMarkdownTheme(), padding = 1) {
    super();
    this.#message = message;
    this.#renderer = renderer;
    this.#theme = markdownTheme;
    this.#padding = padding;
    this.#fill();
  }

  setExpanded(isExpanded) {
    this.#isExpanded = isExpanded;
    this.#fill();
  }

  setOutputPad(padding) {
    this.#padding = padding;
    this.#fill();
  }

  invalidate() {
    this.#fill();
  }

  #fill() {
    this.clear();
    this.addChild(new Spacer());
    this.addChild(this.#drawn() ?? new FoldedMessage(this.#message.customType, textOf(this.#message.content), undefined, this.#theme, this.#padding));
  }

  /** A renderer that fails leaves the message as text. */
  #drawn() {
    try {
      return this.#renderer?.(this.#message, { expanded: this.#isExpanded }, theme);
    } catch {
      return undefined;
    }
  }
}
