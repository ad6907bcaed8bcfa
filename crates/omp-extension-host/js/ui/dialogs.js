/** The dialogs behind `ui.select`, `ui.input` and `ui.editor`, for extensions that show them inside their own components. */

import { Container } from "omp:tui/component";
import { Editor } from "omp:tui/editor";
import { Input } from "omp:tui/input";
import { getKeybindings } from "omp:tui/keybindings";
import { SelectList } from "omp:tui/select-list";
import { Spacer } from "omp:tui/spacer";
import { Text } from "omp:tui/text";
import { getEditorTheme, getSelectListTheme } from "omp:ui/component-themes";
import { DynamicBorder } from "omp:ui/dynamic-border";
import { hintLine } from "omp:ui/key-hints";
import { theme } from "omp:ui/theme";

const MAX_ROWS = 12;
const SECOND = 1_000;

/** A title, a body and a line of hints between two borders. A time limit counts down in the title. */
class Dialog extends Container {
  #timer;
  #focused = false;
  body;

  constructor(title, body, hints, { description, timeout, tui, onExpired } = {}) {
    super();
    this.body = body;
    const heading = new Text(theme.fg("accent", title), 1, 0);
    const parts = [new DynamicBorder(), new Spacer(), heading, new Spacer()];
    if (description) parts.push(new Text(theme.fg("muted", description), 1, 0), new Spacer());
    parts.push(body, new Spacer(), new Text(hintLine(hints), 1, 0), new Spacer(), new DynamicBorder());
    for (const part of parts) this.addChild(part);
    if (timeout > 0) this.#countDown(Math.ceil(timeout / SECOND), title, heading, tui, onExpired);
  }

  #countDown(seconds, title, heading, tui, onExpired) {
    const show = () => heading.setText(theme.fg("accent", `${title} (${seconds}s)`));
    show();
    this.#timer = setInterval(() => {
      if (this.#timer === undefined) return;
      seconds--;
      show();
      tui?.requestRender?.();
      if (seconds > 0) return;
      this.dispose();
      onExpired?.();
    }, SECOND);
  }

  get focused() {
    return this.#focused;
  }

  set focused(isFocused) {
    this.#focused = isFocused;
    if ("focused" in this.body) this.body.focused = isFocused;
  }

  dispose() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export class ExtensionSelectorComponent extends Dialog {
  #list;

  constructor(title, options, onSelect, onCancel, dialog = {}) {
    const items = options.map((option) => (typeof option === "string" ? { value: option, label: option } : { value: option.label, ...option }));
    const list = new SelectList(items, MAX_ROWS, getSelectListTheme());
    super(title, list, [["tui.select.confirm", "select"], ["tui.select.cancel", "cancel"]], { ...dialog, onExpired: onCancel });
    list.onSelect = (item) => onSelect(item.value);
    list.onCancel = onCancel;
    this.#list = list;
  }

  handleInput(data) {
    if (data === "k") this.#list.handleInput("\x1b[A");
    else if (data === "j") this.#list.handleInput("\x1b[B");
    else this.#list.handleInput(data);
  }
}

export class ExtensionInputComponent extends Dialog {
  constructor(title, placeholder, onSubmit, onCancel, dialog = {}) {
    const input = new Input({ placeholder: placeholder ?? "", placeholderStyle: (text) => theme.fg("dim", text) });
    super(title, input, [["tui.input.submit", "submit"], ["tui.select.cancel", "cancel"]], { ...dialog, onExpired: onCancel });
    if (dialog.initialValue) input.pasteText(dialog.initialValue);
    input.onSubmit = onSubmit;
    input.onEscape = onCancel;
  }

  handleInput(data) {
    this.body.handleInput(data);
  }
}

export class ExtensionEditorComponent extends Dialog {
  #onCancel;
  #keybindings;

  constructor(tui, keybindings, title, prefill, onSubmit, onCancel, options = {}) {
    const editor = new Editor(tui, getEditorTheme(), options);
    const hints = [["tui.input.submit", "submit"], ["tui.input.newLine", "new line"], ["tui.select.cancel", "cancel"]];
    super(title, editor, hints, options);
    if (prefill) editor.setText(prefill);
    editor.onSubmit = onSubmit;
    this.#onCancel = onCancel;
    this.#keybindings = keybindings ?? getKeybindings();
  }

  handleInput(data) {
    const isCancel = this.#keybindings.matches(data, "tui.select.cancel") && !this.body.isShowingAutocomplete();
    if (isCancel) this.#onCancel();
    else this.body.handleInput(data);
  }
}
