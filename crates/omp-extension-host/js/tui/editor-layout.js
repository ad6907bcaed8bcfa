/** The rows that the lines of an editor take, and where the cursor is among them. */

import { visibleWidth } from "omp:tui/width";
import { wordWrapLine } from "omp:tui/wrap";

/** Rows as `{ line, text, start, end, isLast }` with positions in the line. */
export function layoutRows(buffer, width) {
  return buffer.lines.flatMap((text, line) => {
    const hasAtoms = buffer.atoms?.(text).length > 0;
    const segments = hasAtoms ? buffer.segments(text).map((segment) => segment.text) : undefined;
    const chunks = wordWrapLine(text, width, segments);
    return chunks.map((chunk, at) => ({
      line,
      text: chunk.text,
      start: chunk.startIndex,
      end: chunk.endIndex,
      isLast: at === chunks.length - 1,
    }));
  });
}

export function rowOfCursor(rows, buffer) {
  const at = rows.findIndex(
    (row) => row.line === buffer.row && (buffer.column < row.end || (row.isLast && buffer.column >= row.start)),
  );
  return Math.max(0, at);
}

/** The position in a row that is nearest to a column of the screen. */
export function positionAt(row, column, buffer) {
  let [index, width] = [row.start, 0];
  for (const segment of buffer.segments(buffer.lines[row.line])) {
    if (segment.index < row.start) continue;
    if (segment.index >= row.end) break;
    const columns = visibleWidth(segment.text);
    if (width + columns > column) break;
    width += columns;
    index = segment.index + segment.text.length;
  }
  // The end of a row that goes on is the start of the next one.
  if (!row.isLast && index >= row.end && row.end > row.start) {
    const last = buffer.segments(buffer.lines[row.line]).filter((segment) => segment.index < row.end).at(-1);
    index = last?.index ?? row.start;
  }
  return [row.line, index];
}
