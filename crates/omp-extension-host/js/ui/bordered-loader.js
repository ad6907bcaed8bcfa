/** A loader between two borders, for work that a command waits for. */

import { Container } from "omp:tui/component";
import { CancellableLoader, Loader } from "omp:tui/loader";
import { Spacer } from "omp:tui/spacer";
import { Text } from "omp:tui/text";
import { DynamicBorder } from "omp:ui/dynamic-border";
import { hintLine } from "omp:ui/key-hints";

export class BorderedLoader extends Container {
  #loader;
  #signal;

  constructor(tui, theme, message, { cancellable = true } = {}) {
    super();
    const border = (text) => theme.fg("border", text);
    const Kind = cancellable ? CancellableLoader : Loader;
    this.#loader = new Kind(tui, (text) => theme.fg("accent", text), (text) => theme.fg("muted", text), message);
    this.#signal = this.#loader.signal ?? new AbortController().signal;
    this.addChild(new DynamicBorder(border));
    this.addChild(this.#loader);
    if (cancellable) {
      this.addChild(new Spacer());
      this.addChild(new Text(hintLine([["tui.select.cancel", "cancel"]]), 1, 0));
    }
    this.addChild(new Spacer());
    this.addChild(new DynamicBorder(border));
  }

  get signal() {
    return this.#signal;
  }

  set onAbort(handler) {
    this.#loader.onAbort = handler;
  }

  setMessage(message) {
    this.#loader.setMessage(message);
  }

  handleInput(data) {
    this.#loader.handleInput?.(data);
  }

  dispose() {
    this.#loader.dispose();
  }
}
