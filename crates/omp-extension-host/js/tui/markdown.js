/** Markdown as styled lines. */

import { RenderMemory } from "omp:tui/component";
import { parseBlocks } from "omp:tui/markdown-blocks";
import { parseInline } from "omp:tui/markdown-inline";
import { tableLines } from "omp:tui/markdown-table";
import { getCapabilities, hyperlink } from "omp:tui/terminal";
import { framed } from "omp:tui/text";
import { padding, replaceTabs, visibleWidth } from "omp:tui/width";
import { wrapTextWithAnsi } from "omp:tui/wrap";

const RULE_WIDTH = 80;
const LIST_INDENT = 4;

export class Markdown {
  #text;
  #paddingX;
  #paddingY;
  #theme;
  #style;
  #options;
  #memory = new RenderMemory();

  /** The last argument is an object of pi, or the indent of code blocks of oh-my-pi. */
  constructor(text, paddingX, paddingY, theme, style = undefined, options = {}) {
    this.#text = String(text ?? "");
    this.#paddingX = paddingX ?? 0;
    this.#paddingY = paddingY ?? 0;
    this.#theme = theme;
    this.#style = style;
    this.#options = typeof options === "number" ? { codeBlockIndent: " ".repeat(options) } : (options ?? {});
  }

  setText(text) {
    const changed = String(text ?? "") !== this.#text;
    this.#text = String(text ?? "");
    return changed;
  }

  setIgnoreTight() {
    return this;
  }

  invalidate() {
    this.#memory.forget();
  }

  render(width) {
    return this.#memory.lines([this.#text, width], () => this.#lines(width));
  }

  #lines(width) {
    const inside = Math.max(1, width - 2 * this.#paddingX);
    const text = this.#options.transform ? this.#options.transform(this.#text, inside) : this.#text;
    if (text.trim() === "") return [];
    const renderer = new Renderer(this.#theme, this.#style, this.#options);
    const margin = padding(this.#paddingX);
    const lines = renderer.blocks(parseBlocks(replaceTabs(text.replace(/\r\n?/g, "\n"))), inside, []);
    return framed(lines.map((line) => margin + line + margin), width, this.#paddingY, this.#style?.bgColor);
  }
}

class Renderer {
  constructor(theme, style, options) {
    this.theme = theme;
    this.options = options;
    this.indent = options.codeBlockIndent ?? theme.codeBlockIndent ?? "  ";
    const { color, bold, italic, underline, strikethrough } = style ?? {};
    const named = { bold, italic, underline, strikethrough };
    const wanted = Object.keys(named).filter((name) => named[name]);
    this.base = (text) => wanted.reduce((styled, name) => theme[name](styled), color ? color(text) : text);
  }

  /** Blocks with a blank line between them. `outer` are the names of styles around them. */
  blocks(blocks, width, outer) {
    return blocks.flatMap((block, at) => {
      const before = blocks[at - 1]?.type;
      const isTight = block.follows && (before === "list" || (before === "paragraph" && block.type === "list"));
      const sticks = at === 0 || isTight;
      const lines = this.#block(block, width, outer);
      return sticks ? lines : ["", ...lines];
    });
  }

  #block(block, width, outer) {
    switch (block.type) {
      case "heading":
        return this.#heading(block, width);
      case "code":
        return this.#code(block, width);
      case "quote":
        return this.#quote(block, width, outer);
      case "list":
        return this.#list(block, width, outer, 0);
      case "table":
        return this.#table(block, width, outer);
      case "rule":
        return [this.theme.hr("─".repeat(Math.min(width, RULE_WIDTH)))];
      case "html":
        return wrapTextWithAnsi(this.#styled(block.text, outer), width);
      default:
        return wrapTextWithAnsi(this.inline(block.text, outer), width);
    }
  }

  /** A run in all its styles: no style has to survive the end of another one. */
  #styled(text, names) {
    const styled = names.some((name) => name !== "bold" && name !== "italic") ? text : this.base(text);
    return text.split("\n").length > 1
      ? text.split("\n").map((line) => this.#styled(line, names)).join("\n")
      : names.reduceRight((result, name) => (this.theme[name] ?? ((same) => same))(result), styled);
  }

  inline(text, outer) {
    const linked = getCapabilities().hyperlinks;
    return parseInline(text, outer).map((run) => {
      if (run.repeats && linked) return "";
      const names = run.styles.flatMap((name) => (name === "link" ? ["link", "underline"] : [name]));
      const styled = this.#styled(run.text, names);
      return run.href && linked ? hyperlink(styled, run.href) : styled;
    }).join("");
  }

  #heading({ level, text }, width) {
    const names = level === 1 ? ["heading", "bold", "underline"] : ["heading", "bold"];
    const marks = level > 2 ? this.#styled(`${"#".repeat(level)} `, names) : "";
    return wrapTextWithAnsi(marks + this.inline(text, names), width);
  }

  #code({ language, code }, width) {
    const border = (text) => this.theme.codeBlockBorder(text);
    const highlighted = this.theme.highlightCode?.(code, language.split(/\s/)[0] || undefined);
    const lines = highlighted ?? code.split("\n").map((line) => this.theme.codeBlock(line));
    const wrapped = lines.flatMap((line) => wrapTextWithAnsi(this.indent + line, width));
    return [border(`\`\`\`${language}`), ...wrapped, border("```")];
  }

  #quote({ blocks }, width, outer) {
    const border = this.theme.quoteBorder(`${this.theme.symbols?.quoteBorder ?? "│"} `);
    const names = outer.includes("quote") ? outer : [...outer, "quote", "italic"];
    return this.blocks(blocks, Math.max(1, width - 2), names).map((line) => border + line);
  }

  #list(list, width, outer, level) {
    const indent = padding(LIST_INDENT * level);
    return list.items.flatMap((item, at) => {
      const task = item.task === undefined ? "" : `[${item.task ? "x" : " "}] `;
      const number = this.options.preserveOrderedListMarkers ? item.marker : `${list.start + at}.`;
      const bullet = `${list.isOrdered ? number : "-"} ${task}`;
      const lines = this.#item(item, width - indent.length, bullet, outer, { level, isLoose: list.isLoose });
      const isGap = list.isLoose && at > 0;
      return [...(isGap ? [""] : []), ...lines.map((line) => (line.nested ? line.text : indent + line.text))];
    });
  }

  /** Lines of an item; those of a nested list know their own indent. */
  #item({ blocks }, width, bullet, outer, { level, isLoose }) {
    const hang = padding(visibleWidth(bullet));
    const first = this.theme.listBullet(bullet);
    const lines = [];
    blocks.forEach((block, at) => {
      const isNested = block.type === "list";
      if (isLoose && at > 0) lines.push({ text: "" });
      if (isNested) {
        if (lines.length === 0) lines.push({ text: first });
        const inner = this.#list(block, width + LIST_INDENT * level, outer, level + 1);
        lines.push(...inner.map((text) => ({ text, nested: true })));
        return;
      }
      const inner = this.#block(block, Math.max(1, width - hang.length), outer);
      for (const line of inner) lines.push({ text: (lines.length === 0 ? first : hang) + line });
    });
    return lines.length > 0 ? lines : [{ text: first }];
  }

  #table({ header, rows }, width, outer) {
    const cells = [header.map((cell) => this.inline(cell, [...outer, "bold"]))];
    for (const row of rows) cells.push(row.map((cell) => this.inline(cell, outer)));
    const lines = tableLines(cells, width);
    return lines ?? [header, ...rows].flatMap((row) => wrapTextWithAnsi(this.inline(row.join(" | "), outer), width));
  }
}

/** One line of Markdown without blocks. */
export function renderInlineMarkdown(text, theme, color = undefined) {
  return new Renderer(theme, { color }, {}).inline(text, []);
}
