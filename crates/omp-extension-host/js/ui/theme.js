/** The colours and symbols of the program's theme, as extensions ask for them. */

import { callNow } from "omp:host";
import { backgroundAnsi, colorToHex, foregroundAnsi, parseColor } from "omp:tui/colors";

// Tokens that only some themes have, and what they look like elsewhere.
const FALLBACKS = {
  thinkingMax: "thinkingXhigh", thinkingXhigh: "thinkingHigh", pythonMode: "bashMode", borderAccent: "accent", userMessageText: "text",
  customMessageText: "text", toolOutput: "muted", searchMatchText: "accent", scrollbarThumb: "muted", scrollbarTrack: "dim",
};

// Symbols are asked for by group: `theme.status.success` is "status.success".
const GROUPS = [
  "status", "nav", "tree", "progress", "boxRound", "boxDotted", "boxSharp", "sep", "icon", "cmd", "thinking", "checkbox", "radio",
  "format", "md", "scroll", "tool", "lang",
];
const ATTRIBUTES = { bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29] };

export class Theme {
  #data = { name: "", fg: {}, bg: {}, symbols: {} };

  /** Data of the program, or what pi's class takes: colours of texts and backgrounds, and the mode. */
  constructor(data = undefined, backgrounds = undefined, mode = undefined, options = {}) {
    if (data && !data.fg) this.#data = fromColors(data, backgrounds ?? {}, mode, options);
    else this.update(data ?? {});
    for (const group of GROUPS) this[group] = this.#group(group);
  }

  /** Takes over changed data, so that everyone who has this theme sees them. */
  update(data) {
    this.#data = { name: "", ...data, fg: data.fg ?? {}, bg: data.bg ?? {}, symbols: data.symbols ?? {} };
  }

  get name() {
    return this.#data.name;
  }

  get isLight() {
    return this.appearance === "light";
  }

  get appearance() {
    return this.#data.appearance ?? "dark";
  }

  getFgAnsi(token) {
    return open(this.#data.fg, token);
  }

  getBgAnsi(token) {
    return open(this.#data.bg, token);
  }

  fg(token, text) {
    const start = this.getFgAnsi(token);
    // A faint colour ends with its faintness.
    return start === "" ? text : `${start}${text}${/[[;]2m/.test(start) ? "\x1b[22;39m" : "\x1b[39m"}`;
  }

  bg(token, text) {
    const start = this.getBgAnsi(token);
    return start === "" ? text : `${start}${text}\x1b[49m`;
  }

  style(text, { fg, bg, ...attributes }) {
    let styled = text;
    for (const [name, isOn] of Object.entries(attributes)) if (isOn && ATTRIBUTES[name]) styled = this[name](styled);
    if (fg !== undefined) styled = typeof fg === "string" ? this.fg(fg, styled) : `${foregroundAnsi(fg)}${styled}\x1b[39m`;
    if (bg !== undefined) styled = typeof bg === "string" ? this.bg(bg, styled) : `${backgroundAnsi(bg)}${styled}\x1b[49m`;
    return styled;
  }

  getColorMode() {
    return this.#data.mode ?? "truecolor";
  }

  getThinkingBorderColor(level) {
    const name = String(level);
    const token = `thinking${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const known = token in this.#data.fg || token in FALLBACKS ? token : "thinkingOff";
    return (text) => this.fg(known, text);
  }

  getBashModeBorderColor() {
    return (text) => this.fg("bashMode", text);
  }

  getPythonModeBorderColor() {
    return (text) => this.fg("pythonMode", text);
  }

  symbol(key) {
    return this.#data.symbols[key] ?? "";
  }

  styledSymbol(key, token) {
    return this.fg(token, this.symbol(key));
  }

  getSymbolPreset() {
    return this.#data.preset ?? "unicode";
  }

  get spinnerFrames() {
    return this.#data.spinner ?? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
  }

  /** The symbols of a group by their short names. One that the theme does not have is nothing. */
  #group(group) {
    const symbol = (name) => (typeof name === "string" ? this.symbol(`${group}.${name}`) : undefined);
    return new Proxy(Object.create(null), { get: (_, name) => symbol(name), has: () => true });
  }
}

for (const [name, [on, off]] of Object.entries(ATTRIBUTES)) {
  Theme.prototype[name] = (text) => `\x1b[${on}m${text}\x1b[${off}m`;
}

function open(colors, token) {
  let name = token;
  for (let step = 0; step < 3 && colors[name] === undefined; step++) name = FALLBACKS[name];
  return typeof colors[name] === "string" ? colors[name] : "";
}

function fromColors(foregrounds, backgrounds, mode, options) {
  const all = (colors, make, none) =>
    Object.fromEntries(Object.entries(colors).map(([token, color]) => [token, color === "" ? none : make(parseColor(color), mode)]));
  const [fg, bg] = [all(foregrounds, foregroundAnsi, "\x1b[39m"), all(backgrounds, backgroundAnsi, "\x1b[49m")];
  return { name: options.name ?? "", appearance: options.appearance, mode, fg, bg, symbols: {} };
}

/** The theme in use. It stays the same object when the user chooses another one. */
export const theme = new Theme(callNow("ui.theme", {}) ?? {});

/** To be called when the program's theme changes. */
export function reloadTheme() {
  theme.update(callNow("ui.theme", {}) ?? {});
}

/** The program has chosen its theme before any extension runs. */
export function initTheme() {}

export { colorToHex };
