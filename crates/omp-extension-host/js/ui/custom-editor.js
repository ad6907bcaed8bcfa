/** The prompt editor with the program's own keys: what extensions extend when they replace the editor. */

import { Editor } from "omp:tui/editor";
import { getKeybindings } from "omp:tui/keybindings";

export class CustomEditor extends Editor {
  actionHandlers = new Map();
  onEscape;
  onCtrlD;
  onPasteImage;
  /** Says whether a shortcut of an extension took the key. */
  onExtensionShortcut;
  #keybindings;

  constructor(tui, theme, keybindings = undefined, options = undefined) {
    super(tui, theme, options);
    this.#keybindings = keybindings;
  }

  onAction(action, handler) {
    this.actionHandlers.set(action, handler);
  }

  handleInput(data) {
    const keys = this.#keybindings ?? getKeybindings();
    if (this.onExtensionShortcut?.(data)) return;
    const handler = this.#handlerOf(data, keys);
    if (handler) handler();
    else super.handleInput(data);
  }

  #handlerOf(data, keys) {
    if (keys.matches(data, "app.clipboard.pasteImage") && this.onPasteImage) return this.onPasteImage;
    if (keys.matches(data, "app.interrupt")) {
      return this.isShowingAutocomplete() ? undefined : (this.onEscape ?? this.actionHandlers.get("app.interrupt"));
    }
    if (keys.matches(data, "app.exit")) {
      // With text in the editor, the key deletes the next character.
      return this.getText() === "" ? (this.onCtrlD ?? this.actionHandlers.get("app.exit") ?? (() => {})) : undefined;
    }
    for (const [action, handler] of this.actionHandlers) if (keys.matches(data, action)) return handler;
    return undefined;
  }
}
