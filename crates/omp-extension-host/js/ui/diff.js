/** A diff with line numbers, as `edit` writes it, in colours. */

import { replaceTabs } from "omp:tui/width";
import { theme } from "omp:ui/theme";

const LINE = /^([+-])(\s*\d*)\s(.*)$/;

export function renderDiff(diff) {
  const lines = diff.split("\n");
  const rendered = [];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, "-");
    const added = run(lines, at + removed.length, "+");
    if (removed.length === 1 && added.length === 1) rendered.push(...changed(removed[0], added[0]));
    else rendered.push(...removed.map(line("toolDiffRemoved")), ...added.map(line("toolDiffAdded")));
    at += removed.length + added.length;
    if (removed.length + added.length === 0) rendered.push(theme.fg("toolDiffContext", replaceTabs(lines[at++])));
  }
  return rendered.join("\n");
}

function run(lines, from, mark) {
  let to = from;
  while (to < lines.length && lines[to].startsWith(mark) && LINE.test(lines[to])) to++;
  return lines.slice(from, to);
}

function line(token) {
  return (text) => theme.fg(token, replaceTabs(text));
}

/** One line for another: the words that differ are inverted. */
function changed(before, after) {
  const [, , oldNumber, oldText] = LINE.exec(before);
  const [, , newNumber, newText] = LINE.exec(after);
  const [left, right] = [words(oldText), words(newText)];
  const least = Math.min(left.length, right.length);
  let [start, end] = [0, 0];
  while (start < least && left[start] === right[start]) start++;
  while (end < least - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const marked = (tokens) => {
    const [from, to] = [start, tokens.length - end];
    const middle = tokens.slice(from, to).join("");
    return tokens.slice(0, from).join("") + (middle === "" ? "" : theme.inverse(middle)) + tokens.slice(to).join("");
  };
  return [
    theme.fg("toolDiffRemoved", replaceTabs(`-${oldNumber} ${marked(left)}`)),
    theme.fg("toolDiffAdded", replaceTabs(`+${newNumber} ${marked(right)}`)),
  ];
}

function words(text) {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
