/** A spinner with a message. */

import { getKeybindings } from "omp:tui/keybindings";
import { Text } from "omp:tui/text";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const INTERVAL = 80;

export class Loader extends Text {
  #ui;
  #spinnerColor;
  #messageColor;
  #message;
  #frames = FRAMES;
  #interval = INTERVAL;
  #frame = 0;
  #timer;

  /** The indicator is `{ frames, intervalMs }` of pi, or a list of frames of oh-my-pi. */
  constructor(ui, spinnerColor, messageColor, message = "Loading...", indicator = undefined) {
    super("", 1, 0);
    this.#ui = ui;
    this.#spinnerColor = spinnerColor;
    this.#messageColor = messageColor;
    this.#message = message;
    this.setIndicator(Array.isArray(indicator) ? { frames: indicator } : indicator);
  }

  setIndicator(indicator) {
    this.#frames = indicator?.frames ?? FRAMES;
    this.#interval = Math.max(20, indicator?.intervalMs ?? INTERVAL);
    this.#frame = 0;
    this.start();
  }

  start() {
    this.stop();
    this.#update();
    if (this.#frames.length < 2) return;
    this.#timer = setInterval(() => {
      // Nobody tells a loader inside another component that it is gone.
      if (this.#ui?.isDisposed) return this.stop();
      this.#frame = (this.#frame + 1) % this.#frames.length;
      return this.#update();
    }, this.#interval);
    // Under Node, a spinner alone keeps no program running.
    this.#timer?.unref?.();
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  dispose() {
    this.stop();
  }

  setMessage(message) {
    this.#message = message;
    this.#update();
  }

  getRenderedIndicator() {
    const frame = this.#frames[this.#frame] ?? "";
    return frame === "" ? "" : `${this.#spinnerColor(frame)} `;
  }

  #update() {
    const message = typeof this.#message === "function" ? this.#message() : this.#message;
    this.setText(this.getRenderedIndicator() + this.#messageColor(message));
    this.#ui?.requestRender?.();
  }

  render(width) {
    return ["", ...super.render(width)];
  }
}

/** A loader that Escape cancels through its `signal`. */
export class CancellableLoader extends Loader {
  #controller = new AbortController();
  onAbort;

  get signal() {
    return this.#controller.signal;
  }

  get aborted() {
    return this.#controller.signal.aborted;
  }

  handleInput(data) {
    if (!getKeybindings().matches(data, "tui.select.cancel")) return;
    this.#controller.abort();
    this.onAbort?.();
  }
}
