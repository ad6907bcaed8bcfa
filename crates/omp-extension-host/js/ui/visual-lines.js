/** The last or first rows that a text takes on the screen. */

import { Text } from "omp:tui/text";

export function truncateToVisualLines(text, maximum, width, paddingX = 0, keep = "end") {
  if (!text) return { visualLines: [], skippedCount: 0 };
  const rows = new Text(text, paddingX, 0).render(width);
  const skippedCount = Math.max(0, rows.length - maximum);
  if (skippedCount === 0) return { visualLines: [...rows], skippedCount };
  return { visualLines: keep === "end" ? rows.slice(-maximum) : rows.slice(0, maximum), skippedCount };
}
