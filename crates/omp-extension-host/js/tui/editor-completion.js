/** Completion in an editor: when it is asked for, the list, and what a choice changes. */

import { getKeybindings } from "omp:tui/keybindings";
import { SelectList } from "omp:tui/select-list";

const LAYOUT = { minPrimaryColumnWidth: 12, maxPrimaryColumnWidth: 32 };
const LIST_KEYS = ["tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown"];

export class Completion {
  provider;
  maximum = 5;
  #editor;
  #list;
  #prefix = "";
  #isForced = false;
  #running;

  /** `editor` has `buffer`, `theme`, `edit(change)` and `requestRender()`. */
  constructor(editor) {
    this.#editor = editor;
  }

  get isShown() {
    return this.#list !== undefined;
  }

  render(width) {
    return this.#list?.render(width) ?? [];
  }

  close() {
    this.#running?.abort();
    this.#running = undefined;
    this.#list = undefined;
  }

  /** Whether the key was for the list. `"submit"`: a command was chosen that is now to be sent. */
  key(data) {
    if (!this.#list) return false;
    const keys = getKeybindings();
    if (keys.matches(data, "tui.select.cancel")) {
      this.close();
      return true;
    }
    if (LIST_KEYS.some((id) => keys.matches(data, id))) {
      this.#list.handleInput(data);
      return true;
    }
    const isTab = keys.matches(data, "tui.input.tab");
    if (!isTab && !keys.matches(data, "tui.select.confirm")) return false;
    const item = this.#list.getSelectedItem();
    const isCommand = this.#prefix.startsWith("/");
    if (item) this.#apply(item);
    this.close();
    return isCommand && !isTab ? "submit" : true;
  }

  #apply(item) {
    const { buffer } = this.#editor;
    const prefix = this.#prefix;
    this.#editor.edit(() => {
      const result = this.provider.applyCompletion([...buffer.lines], buffer.row, buffer.column, item, prefix);
      buffer.lines = result.lines.length > 0 ? [...result.lines] : [""];
      buffer.row = Math.max(0, Math.min(result.cursorLine, buffer.lines.length - 1));
      buffer.column = Math.max(0, Math.min(result.cursorCol, buffer.line.length));
    });
  }

  /** Tab: completes whatever is before the cursor, at once if there is one choice only. */
  force() {
    if (this.provider) this.#ask(true);
  }

  /** After each change of the text. */
  update(typed) {
    if (!this.provider) return;
    if (this.#list) this.#ask(this.#isForced);
    else if (this.#isWanted(typed)) this.#ask(false);
  }

  #isWanted(typed) {
    const { buffer } = this.#editor;
    const before = buffer.line.slice(0, buffer.column);
    const isCommand = buffer.row === 0 && before.trimStart().startsWith("/");
    if (typed === "/") return isCommand && before.trim() === "/";
    const triggers = ["@", "#", ...(this.provider.triggerCharacters ?? [])];
    if (triggers.includes(typed)) return before.length === 1 || /\s/.test(before.at(-2));
    if (typed !== undefined && !/^[\p{L}\p{N}._\-/]$/u.test(typed)) return false;
    const token = before.split(/\s/).at(-1);
    return isCommand || triggers.some((trigger) => token.startsWith(trigger));
  }

  async #ask(isForced) {
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#isForced = isForced;
    const { buffer } = this.#editor;
    const text = buffer.text;
    let found;
    try {
      const options = { signal: running.signal, force: isForced };
      found = await this.provider.getSuggestions([...buffer.lines], buffer.row, buffer.column, options);
    } catch {
      found = null;
    }
    if (this.#running !== running || running.signal.aborted || buffer.text !== text) return;
    this.#show(found, isForced);
    this.#editor.requestRender();
  }

  #show(found, isForced) {
    const wasShown = this.isShown;
    this.#list = undefined;
    if (!found || found.items.length === 0) return;
    this.#prefix = found.prefix;
    if (isForced && !wasShown && found.items.length === 1) return this.#apply(found.items[0]);
    this.#list = new SelectList(found.items, this.maximum, this.#editor.theme.selectList, LAYOUT);
    const exact = found.items.findIndex((item) => item.value === found.prefix);
    const best = exact >= 0 ? exact : found.items.findIndex((item) => item.value.startsWith(found.prefix));
    if (best > 0) this.#list.setSelectedIndex(best);
    return undefined;
  }
}
