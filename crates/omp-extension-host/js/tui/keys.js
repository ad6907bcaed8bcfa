/** Which key a piece of terminal input is: legacy sequences, modifyOtherKeys and the kitty keyboard protocol. */

import { ALIASES, BY_FINAL, BY_NUMBER, CONTROLS, KITTY_KEYS, LEGACY, NAMES, SYMBOLS } from "omp:tui/key-names";

let kittyProtocolActive = false;

export function setKittyProtocolActive(active) {
  kittyProtocolActive = active;
}

export function isKittyProtocolActive() {
  return kittyProtocolActive;
}

/** Names for `matchesKey`: `Key.enter`, `Key.ctrl("c")`, `Key.ctrlShift("p")`. */
export const Key = Object.freeze({ ...NAMES, ...combinations() });

function combinations() {
  const found = {};
  const modifiers = ["ctrl", "shift", "alt", "super"];
  const add = (names) => {
    const name = names.map((part, at) => (at === 0 ? part : part[0].toUpperCase() + part.slice(1))).join("");
    found[name] = (key) => [...names, key].join("+");
    for (const next of modifiers) if (!names.includes(next)) add([...names, next]);
  };
  for (const first of modifiers) add([first]);
  return found;
}

const SHIFT = 1;
const ALT = 2;
const CTRL = 4;
const SUPER = 8;
// Caps Lock and Num Lock change what is typed, not which key it is.
const LOCKS = 64 | 128;
const ORDER = [[SHIFT, "shift"], [CTRL, "ctrl"], [ALT, "alt"], [SUPER, "super"]];
const BITS = { shift: SHIFT, ctrl: CTRL, control: CTRL, alt: ALT, option: ALT, super: SUPER, cmd: SUPER };
const EVENTS = ["press", "repeat", "release"];

/** A key as one spelling. Keys with modifiers that have no name are none. */
function spelled(key, modifiers = 0) {
  if (key === undefined || modifiers & ~(SHIFT | ALT | CTRL | SUPER)) return undefined;
  return ORDER.filter(([bit]) => modifiers & bit).map(([, name]) => `${name}+`).join("") + key;
}

const spellings = new Map();

/** A name of a key in the one spelling that inputs are compared with. */
export function normalizeKey(id) {
  let known = spellings.get(id);
  if (known === undefined) {
    known = normalized(id);
    if (spellings.size >= 1_000) spellings.clear();
    spellings.set(id, known);
  }
  return known;
}

function normalized(id) {
  let [rest, modifiers] = [id, 0];
  for (;;) {
    const plus = rest.indexOf("+");
    const bit = plus > 0 ? BITS[rest.slice(0, plus).toLowerCase()] : undefined;
    if (bit === undefined) break;
    modifiers |= bit;
    rest = rest.slice(plus + 1);
  }
  const lower = rest.toLowerCase();
  if (/^[A-Z]$/.test(rest) && modifiers === 0) return lower;
  return spelled(ALIASES[lower] ?? lower, modifiers);
}

const CSI = /^\x1b\[(\d+)?((?::\d*)*)?(?:;(\d*)(?::(\d*))?)?(?:;([\d:]*))?([A-Za-z~$^@])$/;

/** A sequence of numbers as `{ number, alternates, modifiers, event, final }`. */
function parsedCsi(data) {
  const found = CSI.exec(data);
  if (!found) return undefined;
  const [, number, alternates, modifiers, event, text, final] = found;
  return {
    number: number === undefined ? undefined : Number(number),
    shifted: Number(alternates?.split(":")[1]) || undefined,
    base: Number(alternates?.split(":")[2]) || undefined,
    modifiers: Math.max(0, Number(modifiers || 1) - 1) & ~LOCKS,
    event: EVENTS[Number(event || 1) - 1] ?? "press",
    text,
    final,
  };
}

/** The name of the key with this code point, or undefined. */
function keyOfCode(code) {
  if (KITTY_KEYS[code] !== undefined) return KITTY_KEYS[code];
  const character = String.fromCodePoint(Math.min(code, 0x10ffff));
  if (/^[a-z0-9]$/i.test(character)) return character.toLowerCase();
  return SYMBOLS.includes(character) ? character : undefined;
}

function keyFromCsiU({ number, base, modifiers }) {
  // On a keyboard that is not Latin, shortcuts are where the Latin letter would be.
  const key = keyOfCode(number) ?? (base === undefined ? undefined : keyOfCode(base));
  return spelled(key, modifiers);
}

function readingsOfCsi(data) {
  const csi = parsedCsi(data);
  if (!csi) return [];
  if (csi.final === "u" && csi.number !== undefined) {
    const shifted = csi.shifted === undefined ? undefined : keyOfCode(csi.shifted);
    const isSymbol = shifted !== undefined && SYMBOLS.includes(shifted) && csi.modifiers & SHIFT;
    return isSymbol ? [spelled(shifted, csi.modifiers & ~SHIFT), keyFromCsiU(csi)] : [keyFromCsiU(csi)];
  }
  if (csi.final === "~" && csi.number === 27 && csi.text) {
    return [keyFromCsiU({ number: Number(csi.text.split(":")[0]), modifiers: csi.modifiers })];
  }
  if (csi.final === "~") return [spelled(BY_NUMBER[csi.number], csi.modifiers)];
  if (csi.final === "$") return [spelled(BY_NUMBER[csi.number], SHIFT)];
  if (csi.final === "^") return [spelled(BY_NUMBER[csi.number], CTRL)];
  const plain = csi.number === undefined || csi.number === 1;
  return plain ? [spelled(BY_FINAL[csi.final], csi.modifiers)] : [];
}

/** What one byte, or a byte behind Escape, can mean: the most usual meaning first. */
function readingsOfByte(data) {
  if (CONTROLS[data]) return CONTROLS[data];
  const code = data.charCodeAt(0);
  if (code >= 1 && code <= 26) return [`ctrl+${String.fromCharCode(code + 96)}`];
  if (/^[A-Z]$/.test(data)) return [`shift+${data.toLowerCase()}`];
  return /^[a-z0-9]$/.test(data) || SYMBOLS.includes(data) ? [data] : [];
}

function readingsBehindEscape(data) {
  if (data === "\r") return kittyProtocolActive ? ["shift+enter"] : ["alt+enter", "ctrl+alt+m"];
  const moves = { b: "alt+left", f: "alt+right", p: "alt+up", n: "alt+down" }[data];
  if (kittyProtocolActive) {
    const moved = moves ?? { "\x7f": "alt+backspace", "\b": "alt+backspace" }[data];
    return moved ? [moved] : [];
  }
  if (data === "\x7f") return ["alt+backspace"];
  if (data === "\b") return ["alt+backspace", "ctrl+alt+h"];
  if (data === "\x1b") return ["ctrl+alt+["];
  if (data === " ") return ["alt+space"];
  if (data === "B") return ["alt+left"];
  if (data === "F") return ["alt+right"];
  const code = data.charCodeAt(0);
  if (code >= 1 && code <= 26) return [`ctrl+alt+${String.fromCharCode(code + 96)}`];
  const alt = /^[a-z0-9]$/.test(data) || SYMBOLS.includes(data) ? [`alt+${data}`] : [];
  return moves ? [moves, ...alt] : alt;
}

function computed(data) {
  if (data === "\n" && kittyProtocolActive) return ["shift+enter", "ctrl+j"];
  if (LEGACY[data]) return [LEGACY[data]];
  if (data.length === 1) return readingsOfByte(data);
  if (data[0] !== "\x1b") return [];
  if (data.length === 2) return readingsBehindEscape(data[1]);
  return readingsOfCsi(data);
}

const read = new Map();

/** All keys that the input can stand for, in one spelling. */
export function readings(data) {
  const name = kittyProtocolActive ? `k${data}` : data;
  let known = read.get(name);
  if (!known) {
    known = computed(data).filter((key) => key !== undefined).map(normalizedOrder);
    if (read.size >= 200) read.clear();
    if (data.length < 40) read.set(name, known);
  }
  return known;
}

function normalizedOrder(key) {
  return key.length === 1 ? key : normalizeKey(key);
}

export function matchesKey(data, id) {
  return readings(data).includes(normalizeKey(id));
}

export function parseKey(data) {
  const [first] = readings(data);
  return /^[A-Z]$/.test(data) ? data : first;
}

function eventOf(data) {
  if (data.includes("\x1b[200~")) return "press";
  return data.startsWith("\x1b[") ? (parsedCsi(data)?.event ?? "press") : "press";
}

export function isKeyRelease(data) {
  return eventOf(data) === "release";
}

export function isKeyRepeat(data) {
  return eventOf(data) === "repeat";
}

/** The character that a `CSI … u` sequence types, unless Ctrl, Alt or Super are held. */
export function decodeKittyPrintable(data) {
  const csi = parsedCsi(data);
  if (csi?.final !== "u" || csi.number === undefined || csi.modifiers & ~SHIFT) return undefined;
  const code = csi.modifiers & SHIFT && csi.shifted ? csi.shifted : csi.number;
  const named = KITTY_KEYS[code];
  if (named !== undefined && named.length === 1) return named;
  if (code < 32 || code === 127 || code > 0x10ffff || (code >= 0xe000 && code <= 0xf8ff)) return undefined;
  return String.fromCodePoint(code);
}

/** The character that any input types: what a text field inserts. */
export function decodePrintableKey(data) {
  const printable = decodeKittyPrintable(data);
  if (printable !== undefined) return printable;
  const csi = parsedCsi(data);
  if (csi?.final !== "~" || csi.number !== 27 || csi.modifiers & ~SHIFT) return undefined;
  const code = Number(csi.text);
  return code >= 32 && code !== 127 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The text that input types, or undefined if it is a key. */
export function extractPrintableText(data) {
  const printable = decodePrintableKey(data);
  if (printable !== undefined) return printable;
  return data !== "" && !/[\x00-\x1f\x7f-\x9f]/.test(data) ? data : undefined;
}
