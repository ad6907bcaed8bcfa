/** The blocks of a Markdown text: what CommonMark and tables make of its lines, as far as models write them. */

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#*)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})(?! )|( +)|\t|$)/;
const HTML = /^ {0,3}<(?:[a-zA-Z][\w-]*[\s/>]|\/[a-zA-Z]|!--)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const DEPTH = 12;

/** Blocks with `type`; `follows` says that no blank line stands before it. */
export function parseBlocks(text, depth = 0) {
  return new Blocks(text.split("\n"), depth).all();
}

class Blocks {
  #at = 0;
  #found = [];

  constructor(lines, depth) {
    this.lines = lines;
    this.depth = depth;
  }

  all() {
    while (this.#at < this.lines.length) {
      const before = this.lines[this.#at - 1] ?? "";
      if (this.#line.trim() === "") this.#at++;
      else this.#found.push({ ...this.#block(), follows: before.trim() !== "" });
    }
    return this.#found;
  }

  get #line() {
    return this.lines[this.#at];
  }

  #block() {
    const line = this.#line;
    const fence = FENCE.exec(line);
    if (fence) return this.#fenced(fence);
    if (/^(?: {4}|\t)/.test(line)) return this.#indented();
    const heading = HEADING.exec(line);
    if (heading) return this.#one({ type: "heading", level: heading[1].length, text: heading[2] ?? "" });
    if (RULE.test(line)) return this.#one({ type: "rule" });
    if (QUOTE.test(line) && this.depth < DEPTH) return this.#quote();
    if (ITEM.test(line) && this.depth < DEPTH) return this.#list();
    if (this.#isTable()) return this.#table();
    if (HTML.test(line)) return this.#html();
    return this.#paragraph();
  }

  #one(block) {
    this.#at++;
    return block;
  }

  #fenced([, marks, info]) {
    const end = new RegExp(`^ {0,3}${marks[0]}{${marks.length},}[ \\t]*$`);
    const code = [];
    for (this.#at++; this.#at < this.lines.length && !end.test(this.#line); this.#at++) code.push(this.#line);
    this.#at++;
    return { type: "code", language: info.trim(), code: code.join("\n") };
  }

  #indented() {
    const code = [];
    while (this.#at < this.lines.length && (/^(?: {4}|\t)/.test(this.#line) || this.#line.trim() === "")) {
      code.push(this.#line.replace(/^(?: {4}|\t)/, ""));
      this.#at++;
    }
    while (code.at(-1)?.trim() === "") code.pop();
    return { type: "code", language: "", code: code.join("\n") };
  }

  #quote() {
    const inner = [];
    while (this.#at < this.lines.length && (QUOTE.test(this.#line) || this.#continues(inner.at(-1)))) {
      inner.push(this.#line.replace(QUOTE, ""));
      this.#at++;
    }
    return { type: "quote", blocks: parseBlocks(inner.join("\n"), this.depth + 1) };
  }

  /** Whether the line goes on with the paragraph before it without a mark of its own. */
  #continues(before) {
    return before !== undefined && before.trim() !== "" && !/^\s*(?:>|```|~~~)/.test(before) && !this.#startsBlock();
  }

  #startsBlock() {
    const line = this.#line;
    return line.trim() === "" || [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));
  }

  #list() {
    const marker = ITEM.exec(this.#line)[2];
    const isOrdered = marker.length > 1;
    const list = { type: "list", isOrdered, start: isOrdered ? parseInt(marker, 10) : 0, isLoose: false, items: [] };
    while (this.#at < this.lines.length) {
      const item = ITEM.exec(this.#line);
      if (!item || RULE.test(this.#line) || item[2].at(-1) !== marker.at(-1) || item[2].length > 1 !== isOrdered) break;
      const { lines, isBlankBehind } = this.#item(item);
      const task = /^\[([ xX])\]\s+/.exec(lines[0]);
      if (task) lines[0] = lines[0].slice(task[0].length);
      const blocks = parseBlocks(lines.join("\n"), this.depth + 1);
      if (blocks.some((block, at) => at > 0 && block.type === "paragraph" && !block.follows)) list.isLoose = true;
      list.items.push({ blocks, task: task ? task[1] !== " " : undefined, marker: item[2] });
      const goesOn = this.#at < this.lines.length && ITEM.exec(this.#line)?.[2].at(-1) === marker.at(-1);
      if (isBlankBehind && goesOn) list.isLoose = true;
    }
    return list;
  }

  #item([whole, indent, marker, gap, code]) {
    const width = indent.length + marker.length + (gap?.length ?? 1);
    const lines = [code === undefined ? this.#line.slice(whole.length) : this.#line.slice(width)];
    let blank = 0;
    for (this.#at++; this.#at < this.lines.length; this.#at++) {
      const line = this.#line.replace(/^\t/, " ".repeat(Math.max(4, width)));
      if (line.trim() === "") blank++;
      else if (/^ */.exec(line)[0].length >= width) {
        lines.push(...Array(blank).fill(""), line.slice(width));
        blank = 0;
      } else if (blank === 0 && this.#continues(lines.at(-1))) lines.push(line.trimStart());
      else break;
    }
    return { lines, isBlankBehind: blank > 0 };
  }

  #isTable() {
    const next = this.lines[this.#at + 1];
    return this.#line.includes("|") && next !== undefined && TABLE_RULE.test(next) && cells(next).length === cells(this.#line).length;
  }

  #table() {
    const header = cells(this.#line);
    const rows = [];
    for (this.#at += 2; this.#at < this.lines.length && this.#line.includes("|") && this.#line.trim() !== ""; this.#at++) {
      const row = cells(this.#line);
      rows.push(header.map((_, at) => row[at] ?? ""));
    }
    return { type: "table", header, rows };
  }

  #html() {
    const lines = [];
    for (; this.#at < this.lines.length && this.#line.trim() !== ""; this.#at++) lines.push(this.#line);
    return { type: "html", text: lines.join("\n") };
  }

  #paragraph() {
    const lines = [this.#line.trim()];
    for (this.#at++; this.#at < this.lines.length; this.#at++) {
      const underline = UNDERLINE.exec(this.#line);
      if (underline) return this.#one({ type: "heading", level: underline[1][0] === "=" ? 1 : 2, text: lines.join("\n") });
      // A number other than 1 does not start a list in the middle of a sentence.
      const isProse = /^ {0,3}\d+[.)]/.test(this.#line) && !/^ {0,3}1[.)]\s/.test(this.#line);
      if ((this.#startsBlock() && !isProse) || HTML.test(this.#line) || this.#isTable()) break;
      lines.push(this.#line.trim());
    }
    return { type: "paragraph", text: lines.join("\n") };
  }
}

function cells(line) {
  const inner = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}
