/** Tables of Markdown: columns as wide as they need to be, or as the width allows. */

import { padTo, visibleWidth } from "omp:tui/width";
import { wrapTextWithAnsi } from "omp:tui/wrap";

const MAX_WORD = 30;

/** Rows of styled cells as lines. The first row is the header. Nothing if there is no room for a table. */
export function tableLines(rows, width) {
  const columns = rows[0].length;
  const room = width - (3 * columns + 1);
  if (room < columns) return undefined;
  const widths = columnWidths(rows, room);
  const edge = (left, middle, right) => left + widths.map((width) => "─".repeat(width + 2)).join(middle) + right;
  const lines = [edge("┌", "┬", "┐")];
  rows.forEach((row, at) => {
    if (at > 0) lines.push(edge("├", "┼", "┤"));
    lines.push(...rowLines(row, widths));
  });
  return [...lines, edge("└", "┴", "┘")];
}

function rowLines(row, widths) {
  const wrapped = row.map((cell, at) => wrapTextWithAnsi(cell, widths[at]));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) => {
    const parts = wrapped.map((lines, at) => padTo(lines[line] ?? "", widths[at]));
    return `│ ${parts.join(" │ ")} │`;
  });
}

function columnWidths(rows, room) {
  const each = (measure) => rows[0].map((_, at) => Math.max(1, ...rows.map((row) => measure(row[at]))));
  const wanted = each(visibleWidth);
  const sum = (widths) => widths.reduce((total, width) => total + width, 0);
  if (sum(wanted) <= room) return wanted;
  const longest = (cell) => Math.max(0, ...cell.split(/\s+/).map(visibleWidth));
  const least = each((cell) => Math.min(MAX_WORD, longest(cell)));
  if (sum(least) <= room) return shared(least, wanted, room - sum(least));
  return shared(least.map(() => 1), least, room - least.length);
}

/** What is left after the least widths goes to the columns in proportion to what they lack. */
function shared(least, wanted, spare) {
  const lacking = wanted.map((width, at) => Math.max(0, width - least[at]));
  const total = lacking.reduce((sum, width) => sum + width, 0);
  const widths = least.map((width, at) => width + (total > 0 ? Math.floor((lacking[at] / total) * spare) : 0));
  let rest = least.reduce((sum, width) => sum + width, 0) + spare - widths.reduce((sum, width) => sum + width, 0);
  for (let at = 0; rest > 0 && at < widths.length; at++) {
    if (widths[at] < wanted[at]) {
      widths[at]++;
      rest--;
    }
  }
  return widths;
}
