/** Emphasis, code, links: text of a paragraph as runs, each with the styles that apply to it. */

const PUNCTUATION = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}_]/u;
const BARE = /^(?:https?:\/\/|www\.)[^\s<>]*[^\s<>.,;:!?'")\]}*_~]/i;
const MAIL_NAME = /[\w.+-]+$/;
const MAIL_HOST = /^@[\w-]+(?:\.[\w-]+)+/;
// Where something other than plain text can start.
const NEXT = /[\\`*_~[!<@]|https?:|www\./gi;
// How far the end of an emphasis may be: keeps text that is full of marks linear.
const REACH = 4_000;
const DEPTH = 20;

/** Runs as `{ text, styles, href }`; `styles` are names, outermost first. */
export function parseInline(text, styles = [], depth = 0) {
  const runs = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") runs.push({ text: plain, styles });
    plain = "";
  };
  for (let at = 0; at < text.length; ) {
    NEXT.lastIndex = at;
    const next = depth < DEPTH ? (NEXT.exec(text)?.index ?? text.length) : text.length;
    plain += text.slice(at, next);
    at = next;
    if (at === text.length) break;
    const mail = text[at] === "@" && !styles.includes("link") ? mailAround(plain, text, at) : undefined;
    if (mail) plain = plain.slice(0, -mail.name.length);
    const found = mail ? { runs: [mail.run(styles)], end: mail.end } : special(text, at, styles, depth);
    if (!found) plain += text[at++];
    else {
      if (found.text !== undefined) plain += found.text;
      else {
        flush();
        runs.push(...found.runs);
      }
      at = found.end;
    }
  }
  flush();
  return runs;
}

function special(text, at, styles, depth) {
  switch (text[at]) {
    case "\\":
      return PUNCTUATION.test(text[at + 1] ?? "") ? { text: text[at + 1], end: at + 2 } : undefined;
    case "`":
      return code(text, at, styles);
    case "*":
    case "_":
      return emphasis(text, at, styles, depth);
    case "~":
      return strike(text, at, styles, depth);
    case "[":
      return link(text, at, styles, depth);
    case "!":
      return text[at + 1] === "[" ? image(text, at, styles) : undefined;
    case "<":
      return autolink(text, at, styles);
    default:
      return bare(text, at, styles);
  }
}

function code(text, at, styles) {
  const marks = /^`+/.exec(text.slice(at, at + 100))[0];
  const end = endOfCode(text, at + marks.length, marks.length);
  if (end < 0) return { text: marks, end: at + marks.length };
  const inner = text.slice(at + marks.length, end).replaceAll("\n", " ");
  const isPadded = /^ .*\S.* $/.test(inner);
  return { runs: [{ text: isPadded ? inner.slice(1, -1) : inner, styles: [...styles, "code"] }], end: end + marks.length };
}

function endOfCode(text, from, length) {
  const last = Math.min(text.length, from + REACH);
  for (let at = from; at < last; at++) {
    if (text[at] !== "`") continue;
    const start = at;
    while (text[at] === "`") at++;
    if (at - start === length) return start;
  }
  return -1;
}

const EMPHASIS = { 1: ["italic"], 2: ["bold"], 3: ["bold", "italic"] };

function emphasis(text, at, styles, depth) {
  const mark = text[at];
  let length = 1;
  while (text[at + length] === mark && length < 4) length++;
  if (length > 3 || !opens(text, at, length)) return { text: mark.repeat(length), end: at + length };
  for (let count = length; count > 0; count--) {
    const end = endOfEmphasis(text, at + length, mark, count);
    if (end < 0) continue;
    const inner = parseInline(text.slice(at + length, end), [...styles, ...EMPHASIS[count]], depth + 1);
    const extra = length > count ? [{ text: mark.repeat(length - count), styles }] : [];
    return { runs: [...extra, ...inner], end: end + count };
  }
  return { text: mark.repeat(length), end: at + length };
}

function opens(text, at, length) {
  const [before, after] = [text[at - 1] ?? " ", text[at + length] ?? " "];
  if (/\s/.test(after)) return false;
  return text[at] === "*" || !WORD.test(before);
}

function endOfEmphasis(text, from, mark, count) {
  const last = Math.min(text.length, from + REACH);
  for (let at = from; at < last; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "`") {
      const length = /^`+/.exec(text.slice(at, at + 100))[0].length;
      const end = endOfCode(text, at + length, length);
      at = end < 0 ? at + length - 1 : end + length - 1;
    } else if (text[at] === mark) {
      const start = at;
      while (text[at] === mark) at++;
      const closes = !/\s/.test(text[start - 1]) && (mark === "*" || !WORD.test(text[at] ?? " "));
      // A run that is longer also closes what is inside; one that is shorter belongs to something inside.
      if (closes && at - start >= count && start > from && (at - start === count || at - start === 3)) return at - count;
      at--;
    }
  }
  return -1;
}

function strike(text, at, styles, depth) {
  const found = /^~~(?=\S)([^]{0,4000}?\S)~~(?!~)/.exec(text.slice(at, at + REACH));
  if (!found) return undefined;
  return { runs: parseInline(found[1], [...styles, "strikethrough"], depth + 1), end: at + found[0].length };
}

/** The end of a bracket that opens at `at`. */
function endOfBracket(text, at) {
  let open = 0;
  for (let index = at; index < Math.min(text.length, at + REACH); index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === "[") open++;
    else if (text[index] === "]" && --open === 0) return index;
  }
  return -1;
}

const TARGET = /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()]|\([^\s()]*\))*))(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/;

function link(text, at, styles, depth) {
  const end = endOfBracket(text, at);
  const target = end < 0 ? undefined : TARGET.exec(text.slice(end + 1, end + 1 + REACH));
  if (!target) return undefined;
  const href = target[1] ?? target[2];
  const runs = parseInline(text.slice(at + 1, end), [...styles, "link"], depth + 1);
  const label = runs.map((run) => run.text).join("");
  const isSame = label === href || `mailto:${label}` === href;
  const marked = runs.map((run) => ({ ...run, href }));
  const shown = isSame || href === "" ? [] : [{ text: ` (${href})`, styles: [...styles, "linkUrl"], repeats: true }];
  return { runs: [...marked, ...shown], end: end + 1 + target[0].length };
}

function image(text, at, styles) {
  const end = endOfBracket(text, at + 1);
  const target = end < 0 ? undefined : TARGET.exec(text.slice(end + 1, end + 1 + REACH));
  return target ? { runs: [{ text: text.slice(at + 2, end), styles }], end: end + 1 + target[0].length } : undefined;
}

function autolink(text, at, styles) {
  const found = /^<((?:[a-z][a-z\d+.-]{1,31}:[^\s<>]*)|[\w.+-]+@[\w.-]+)>/i.exec(text.slice(at, at + REACH));
  return found ? { runs: [{ text: found[1], styles: [...styles, "link"], href: found[1] }], end: at + found[0].length } : undefined;
}

function bare(text, at, styles) {
  if (styles.includes("link") || (at > 0 && WORD.test(text[at - 1]))) return undefined;
  const found = BARE.exec(text.slice(at, at + REACH));
  const href = found && (/^www/i.test(found[0]) ? `http://${found[0]}` : found[0]);
  return found ? { runs: [{ text: found[0], styles: [...styles, "link"], href }], end: at + found[0].length } : undefined;
}

function mailAround(before, text, at) {
  const name = MAIL_NAME.exec(before.slice(-128))?.[0];
  const host = name && MAIL_HOST.exec(text.slice(at, at + 256))?.[0];
  if (!host) return undefined;
  const run = (styles) => ({ text: name + host, styles: [...styles, "link"], href: `mailto:${name}${host}` });
  return { name, run, end: at + host.length };
}
