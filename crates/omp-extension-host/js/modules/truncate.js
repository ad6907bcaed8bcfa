// Text within limits of lines and bytes.

export const DEFAULT_MAX_LINES = 2000;
export const DEFAULT_MAX_BYTES = 50 * 1024;
export const GREP_MAX_LINE_LENGTH = 500;

const size = (text) => new TextEncoder().encode(text).length;

export function formatSize(bytes) {
  if (bytes < 1024) return `${bytes}B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)}KB`;
  return `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}

function limits(content, { maxLines = DEFAULT_MAX_LINES, maxBytes = DEFAULT_MAX_BYTES } = {}) {
  const lines = content.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  const totalBytes = size(content);
  return { lines, maxLines, maxBytes, totalBytes, fits: lines.length <= maxLines && totalBytes <= maxBytes };
}

function outcome(found, content, truncatedBy, extra) {
  const { lines, maxLines, maxBytes, totalBytes } = found;
  const outputLines = content === "" ? 0 : content.split("\n").length;
  return {
    content, truncated: truncatedBy !== null, truncatedBy, totalLines: lines.length, totalBytes, outputLines,
    outputBytes: size(content), lastLinePartial: false, firstLineExceedsLimit: false, maxLines, maxBytes, ...extra,
  };
}

/** Whole lines, in the order in which `take` gives them, until one does not fit. */
function collect({ lines, maxLines, maxBytes }, take) {
  const kept = [];
  let bytes = 0;
  for (const line of take(lines)) {
    if (kept.length >= maxLines) return { kept, by: "lines" };
    const more = size(line) + (kept.length > 0 ? 1 : 0);
    if (bytes + more > maxBytes) return { kept, by: "bytes", line };
    bytes += more;
    kept.push(line);
  }
  return { kept, by: "lines" };
}

/** The beginning. */
export function truncateHead(content, options) {
  const found = limits(content, options);
  if (found.fits) return outcome(found, content, null, { outputLines: found.lines.length });
  const { kept, by } = collect(found, (lines) => lines);
  return outcome(found, kept.join("\n"), by, { firstLineExceedsLimit: kept.length === 0 });
}

/** The end; of a last line that is too long its end. */
export function truncateTail(content, options) {
  const found = limits(content, options);
  if (found.fits) return outcome(found, content, null, { outputLines: found.lines.length });
  const { kept, by, line } = collect(found, (lines) => [...lines].reverse());
  if (kept.length === 0 && line !== undefined) {
    const bytes = new TextEncoder().encode(line);
    let from = bytes.length - found.maxBytes;
    while (from < bytes.length && (bytes[from] & 0xc0) === 0x80) from++;
    const end = new TextDecoder().decode(bytes.slice(from));
    return outcome(found, end, "bytes", { lastLinePartial: true });
  }
  return outcome(found, kept.reverse().join("\n"), by);
}

export function truncateLine(line, maxChars = GREP_MAX_LINE_LENGTH) {
  const fits = line.length <= maxChars;
  return { text: fits ? line : `${line.slice(0, maxChars)}... [truncated]`, wasTruncated: !fits };
}
