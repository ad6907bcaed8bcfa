/** Colours as values, for extensions that mix their own. */

import { getTerminalColorMode } from "omp:tui/terminal";

const LEVELS = [0, 95, 135, 175, 215, 255];
const BASIC = [
  [0, 0, 0], [205, 0, 0], [0, 205, 0], [205, 205, 0], [0, 0, 238], [205, 0, 205], [0, 205, 205], [229, 229, 229],
  [127, 127, 127], [255, 0, 0], [0, 255, 0], [255, 255, 0], [92, 92, 255], [255, 0, 255], [0, 255, 255], [255, 255, 255],
];

export function rgbColor(r, g, b) {
  return { kind: "rgb", r, g, b };
}

export function indexedColor(index) {
  return { kind: "indexed", index };
}

/** A colour from `#rrggbb`, `#rgb` or the number of a colour of the terminal. */
export function parseColor(value) {
  if (typeof value === "object" && value !== null) return value;
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 256) return indexedColor(value);
  const digits = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value)?.[1];
  if (!digits) throw new Error(`invalid color: ${value}`);
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join("") : digits;
  return rgbColor(...[0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16)));
}

export function colorToRgb(color) {
  if (color.kind === "rgb") return { r: color.r, g: color.g, b: color.b };
  const [r, g, b] = indexedToRgb(color.index);
  return { r, g, b };
}

function indexedToRgb(index) {
  if (index < 16) return BASIC[index];
  if (index >= 232) return Array(3).fill(8 + (index - 232) * 10);
  const at = index - 16;
  return [LEVELS[Math.floor(at / 36)], LEVELS[Math.floor(at / 6) % 6], LEVELS[at % 6]];
}

export function colorToHex(color) {
  const { r, g, b } = colorToRgb(color);
  return `#${[r, g, b].map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}

export function mixColors(from, to, share) {
  const [left, right] = [colorToRgb(from), colorToRgb(to)];
  return rgbColor(...["r", "g", "b"].map((part) => Math.round(left[part] + (right[part] - left[part]) * share)));
}

/** The nearest of the 256 colours. */
function nearest({ r, g, b }) {
  const step = (value) => LEVELS.reduce((best, level, at) => (Math.abs(level - value) < Math.abs(LEVELS[best] - value) ? at : best), 0);
  const cube = 16 + 36 * step(r) + 6 * step(g) + step(b);
  const gray = 232 + Math.max(0, Math.min(23, Math.round(((r + g + b) / 3 - 8) / 10)));
  const distance = (index) => indexedToRgb(index).reduce((sum, value, at) => sum + (value - [r, g, b][at]) ** 2, 0);
  return distance(gray) < distance(cube) ? gray : cube;
}

function ansi(color, base, mode) {
  if (color.kind === "indexed") return `\x1b[${base};5;${color.index}m`;
  const { r, g, b } = color;
  return mode === "truecolor" ? `\x1b[${base};2;${r};${g};${b}m` : `\x1b[${base};5;${nearest(color)}m`;
}

export function foregroundAnsi(color, mode = getTerminalColorMode()) {
  return ansi(parseColor(color), 38, mode);
}

export function backgroundAnsi(color, mode = getTerminalColorMode()) {
  return ansi(parseColor(color), 48, mode);
}

const ATTRIBUTES = { bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29] };

/** Text with colours given as codes and attributes given as flags. */
export function styleTextWithAnsi(text, foreground, background, attributes = {}) {
  let styled = text;
  for (const [name, [on, off]] of Object.entries(ATTRIBUTES)) if (attributes[name]) styled = `\x1b[${on}m${styled}\x1b[${off}m`;
  if (foreground) styled = `${foreground}${styled}\x1b[39m`;
  return background ? `${background}${styled}\x1b[49m` : styled;
}

export function styleText(text, { fg, bg, ...attributes }) {
  const color = (value, make) => (value === undefined ? undefined : make(value));
  return styleTextWithAnsi(text, color(fg, foregroundAnsi), color(bg, backgroundAnsi), attributes);
}
