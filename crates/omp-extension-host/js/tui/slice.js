/** Parts of a line by column, with its styles. */

import { linkOf, parts, StyleState } from "omp:tui/ansi";
import { graphemes, graphemeWidth, isSimple, padding, padTo, visibleWidth } from "omp:tui/width";

/** The ends that `truncateToWidth` of oh-my-pi names by number. */
export const Ellipsis = Object.freeze({ Unicode: 0, Ascii: 1, Omit: 2 });
const ELLIPSES = ["…", "...", ""];

function ellipsisText(ellipsis) {
  if (typeof ellipsis === "number") return ELLIPSES[ellipsis] ?? "…";
  return ellipsis ?? "...";
}

export function truncateToWidth(text, maximum, ellipsis = "...", pad = false) {
  const width = visibleWidth(text);
  if (width <= maximum) return pad ? text + padding(maximum - width) : text;
  const end = ellipsisText(ellipsis);
  const endWidth = visibleWidth(end);
  if (endWidth >= maximum) {
    const kept = sliceWithWidth(end, 0, Math.max(0, maximum), true);
    return pad ? kept.text + padding(maximum - kept.width) : kept.text;
  }
  const kept = sliceWithWidth(text, 0, maximum - endWidth, true);
  return kept.text + end + (pad ? padding(maximum - endWidth - kept.width) : "");
}

/** A slice starts with the style of its first column and ends what it started. */
export function sliceWithWidth(line, start, length, strict = false) {
  if (length <= 0) return { text: "", width: 0 };
  if (isSimple(line)) {
    const text = line.slice(start, start + length);
    return { text, width: text.length };
  }
  const style = new StyleState();
  const end = start + length;
  let [text, width, column, open] = ["", 0, 0, false];
  for (const part of parts(line)) {
    if (column >= end) break;
    if (part.code !== undefined) {
      style.apply(part.code);
      if (open) text += part.code;
      continue;
    }
    if (isSimple(part.text)) {
      const from = Math.max(0, start - column);
      const piece = part.text.slice(from, end - column);
      if (piece !== "") {
        text += open ? piece : style.open() + piece;
        open = true;
        width += piece.length;
      }
      column += part.text.length;
      continue;
    }
    for (const grapheme of graphemes(part.text)) {
      const columns = graphemeWidth(grapheme);
      const fits = column >= start && (column + columns <= end || (!strict && column < end));
      if (fits && (columns > 0 || open)) {
        if (!open) text += style.open();
        open = true;
        text += grapheme;
        width += columns;
      }
      column += columns;
      if (column >= end) break;
    }
  }
  return { text: open ? text + style.close() : text, width };
}

export function sliceByColumn(line, start, length, strict = false) {
  return sliceWithWidth(line, start, length, strict).text;
}

/** What stays visible of a line to the left and to the right of something laid over it. */
export function extractSegments(line, beforeEnd, afterStart, afterLength, strictAfter = false) {
  const before = sliceWithWidth(line, 0, beforeEnd, true);
  const after = sliceWithWidth(line, afterStart, afterLength, strictAfter);
  return { before: before.text, beforeWidth: before.width, after: after.text, afterWidth: after.width };
}

export function compositeTuiLine(base, overlay, column, overlayWidth, totalWidth) {
  const end = column + overlayWidth;
  const { before, after } = extractSegments(base, column, end, Math.max(0, totalWidth - end), true);
  const middle = sliceByColumn(overlay, 0, overlayWidth, true);
  const line = padTo(before, column) + padTo(middle, overlayWidth);
  // A character that the overlay cuts in two leaves a gap: what follows stays in its column.
  const rest = totalWidth - end;
  return rest > 0 ? line + padding(rest - visibleWidth(after)) + after : line;
}

export function getOsc8LinkAtColumn(line, column) {
  let [at, link] = [0, undefined];
  for (const part of parts(line)) {
    if (part.code !== undefined) {
      if (part.code.startsWith("\x1b]8;")) link = linkOf(part.code);
      continue;
    }
    at += visibleWidth(part.text);
    if (column < at) return link;
  }
  return undefined;
}
