/** What the terminal can do, as the program says it. */

import { callNow } from "omp:host";

const UNKNOWN = { columns: 80, rows: 24, hyperlinks: false, trueColor: true, images: null };
let overridden = {};

export function terminalState() {
  return { ...UNKNOWN, ...callNow("ui.terminal", {}) };
}

export function getCapabilities() {
  const { images, trueColor, hyperlinks } = terminalState();
  return { images, trueColor, hyperlinks, ...overridden };
}

export const detectCapabilities = getCapabilities;

export function setCapabilities(capabilities) {
  overridden = { ...capabilities };
}

export function setCapabilityOverrides(capabilities) {
  overridden = { ...overridden, ...capabilities };
}

export function resetCapabilitiesCache() {
  overridden = {};
}

export function getTerminalColorMode() {
  return getCapabilities().trueColor ? "truecolor" : "256color";
}

/** A link that can be clicked where the terminal knows OSC 8. */
export function hyperlink(text, address) {
  // An address ends where its sequence would.
  const clean = String(address).replace(/[\x00-\x1f\x7f-\x9f]/g, "");
  return `\x1b]8;;${clean}\x07${text}\x1b]8;;\x07`;
}
