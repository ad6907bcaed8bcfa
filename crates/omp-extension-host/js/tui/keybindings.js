/** Which keys an action has: the defaults of components, and what the user chose in the program. */

import { callNow } from "omp:host";
import { TUI_KEYBINDINGS } from "omp:tui/keybinding-table";
import { normalizeKey, readings } from "omp:tui/keys";

export { TUI_KEYBINDINGS };

const SPELLINGS = { pageup: "pageUp", pagedown: "pageDown" };

function spelled(key) {
  return key.length === 1 ? key : key.toLowerCase().replace(/pageup|pagedown/, (name) => SPELLINGS[name]);
}

function asList(keys) {
  return [...new Set((Array.isArray(keys) ? keys : [keys]).filter((key) => typeof key === "string").map(spelled))];
}

export class KeybindingsManager {
  #definitions;
  #user;
  #keys = new Map();
  // The actions of each key: looked up on every key press, for one action after the other.
  #actions = new Map();
  // Older extensions say "interrupt" and "selectUp" for `app.interrupt` and `tui.select.up`.
  #names = new Map();
  #conflicts = [];

  constructor(definitions, user = {}) {
    this.#definitions = definitions;
    this.setUserBindings(user);
  }

  setUserBindings(user) {
    this.#user = user ?? {};
    this.#keys.clear();
    this.#names.clear();
    for (const [id, definition] of Object.entries(this.#definitions)) this.#set(id, definition.defaultKeys);
    for (const [id, keys] of Object.entries(this.#user)) if (keys !== undefined) this.#set(id, keys);
    this.#conflicts = conflicts(this.#user);
    this.#actions.clear();
    for (const [id, keys] of this.#keys) {
      for (const key of keys.map(normalizeKey)) {
        if (!this.#actions.has(key)) this.#actions.set(key, new Set());
        this.#actions.get(key).add(id);
      }
    }
  }

  #set(id, keys) {
    this.#keys.set(id, asList(keys));
    const last = id.split(".").at(-1);
    const short = id.startsWith("tui.select.") ? `select${last[0].toUpperCase()}${last.slice(1)}` : id.replace(/^app\.|^tui\.\w+\./, "");
    if (!this.#names.has(short)) this.#names.set(short, id);
  }

  matches(data, id) {
    const name = this.#keys.has(id) ? id : this.#names.get(id);
    return readings(data).some((key) => this.#actions.get(key)?.has(name) === true);
  }

  getKeys(id) {
    return [...(this.#keys.get(id) ?? this.#keys.get(this.#names.get(id)) ?? [])];
  }

  getDefinition(id) {
    return this.#definitions[id] ?? this.#definitions[this.#names.get(id)] ?? { defaultKeys: this.getKeys(id) };
  }

  getConflicts() {
    return this.#conflicts.map((conflict) => ({ ...conflict, keybindings: [...conflict.keybindings] }));
  }

  getUserBindings() {
    return { ...this.#user };
  }

  getResolvedBindings() {
    return Object.fromEntries([...this.#keys].map(([id, keys]) => [id, keys.length === 1 ? keys[0] : keys]));
  }
}

function conflicts(user) {
  const byKey = new Map();
  for (const [id, keys] of Object.entries(user)) {
    for (const key of asList(keys)) byKey.set(key, [...(byKey.get(key) ?? []), id]);
  }
  return [...byKey].filter(([, ids]) => ids.length > 1).map(([key, keybindings]) => ({ key, keybindings }));
}

let current;

/** The bindings in effect: those of components, replaced by what the program answers. */
export function getKeybindings() {
  current ??= new KeybindingsManager(TUI_KEYBINDINGS, callNow("ui.keybindings", {}) ?? {});
  return current;
}

export function setKeybindings(manager) {
  current = manager;
}

/** To be called when the user's bindings change. */
export function reloadKeybindings() {
  current?.setUserBindings(callNow("ui.keybindings", {}) ?? {});
}
