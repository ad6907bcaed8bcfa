/** Keys as a user reads them. */

import { getKeybindings } from "omp:tui/keybindings";
import { theme } from "omp:ui/theme";

const NAMES = { escape: "Esc", enter: "Enter", pageUp: "PgUp", pageDown: "PgDn", delete: "Del", up: "↑", down: "↓", left: "←", right: "→" };

function capitalized(part) {
  return NAMES[part] ?? part.charAt(0).toUpperCase() + part.slice(1);
}

export function formatKeyText(key, { capitalize = false } = {}) {
  return capitalize ? key.split("/").map((one) => one.split("+").map(capitalized).join("+")).join("/") : key;
}

/** All keys of an action, such as `escape/ctrl+c`. */
export function keyText(action) {
  return getKeybindings().getKeys(action).join("/");
}

export function keyDisplayText(action) {
  return formatKeyText(keyText(action), { capitalize: true });
}

export function keyHint(action, description) {
  return rawKeyHint(keyText(action), description);
}

export function rawKeyHint(key, description) {
  return theme.fg("dim", key) + theme.fg("muted", ` ${description}`);
}

export function appKeyHint(keybindings, action, description) {
  return rawKeyHint(keybindings.getKeys(action).join("/"), description);
}

/** `Enter: select · Esc: cancel`, of actions with what they do. */
export function hintLine(hints) {
  const shown = hints.map(([action, description]) => {
    const [key] = action.includes(".") ? getKeybindings().getKeys(action) : [action];
    return key === undefined ? [] : [`${theme.fg("dim", formatKeyText(key, { capitalize: true }))}${theme.fg("muted", `: ${description}`)}`];
  });
  return shown.flat().join(theme.fg("muted", " · "));
}
