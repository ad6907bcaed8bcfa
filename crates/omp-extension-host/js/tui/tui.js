/** What an extension's factory gets as `tui`: one place on the screen, drawn by the program. */

import { callNow } from "omp:host";
import { Container, isFocusable } from "omp:tui/component";
import { terminalState } from "omp:tui/terminal";

/** Tells the program something that an older one may not know. */
export function tell(operation, args) {
  try {
    return callNow(operation, args);
  } catch {
    return undefined;
  }
}

/** Some extensions ask the terminal for its size; what they write to it directly goes nowhere. */
class TerminalView {
  get columns() {
    return terminalState().columns;
  }

  get rows() {
    return terminalState().rows;
  }

  get kittyProtocolActive() {
    return false;
  }

  setTitle(title) {
    tell("ui.title", { title: String(title) });
  }

  write() {}
  moveBy() {}
  hideCursor() {}
  showCursor() {}
  clearLine() {}
  clearFromCursor() {}
  clearScreen() {}
  setProgress() {}
  start() {}
  stop() {}

  async drainInput() {}
}

export class ExtensionTui extends Container {
  mode = "regular";
  fullRedraws = 0;
  /** Set when the place is gone: what still moves may stop. */
  isDisposed = false;
  terminal = new TerminalView();
  #surface;
  #surfaces;
  #focused = null;
  #listeners = new Set();
  #overlays = [];
  #number = 0;

  constructor(surface, surfaces) {
    super();
    this.#surface = surface;
    this.#surfaces = surfaces;
  }

  requestRender() {
    this.#surfaces.markDirty(this.#surface);
  }

  renderNow() {
    this.requestRender();
  }

  /** Where input goes instead of to the component that is mounted. */
  setFocus(component) {
    if (isFocusable(this.#focused)) this.#focused.focused = false;
    this.#focused = component ?? null;
    if (isFocusable(this.#focused)) this.#focused.focused = true;
    this.requestRender();
  }

  getFocusedComponent() {
    return this.#focused;
  }

  /** Called with all input first: `{ consume: true }` keeps it, `{ data }` replaces it. */
  addInputListener(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  removeInputListener(listener) {
    this.#listeners.delete(listener);
  }

  /** What listeners leave of the input, or undefined. */
  filterInput(data) {
    for (const listener of this.#listeners) {
      const answer = listener(data);
      if (answer?.consume) return undefined;
      if (typeof answer?.data === "string") data = answer.data;
    }
    return data;
  }

  /** Shows a component over the screen, as a surface of its own. */
  showOverlay(component, options = {}) {
    const overlay = new Overlay(`${this.#surface}/overlay-${++this.#number}`, component, options, this.#surfaces, this);
    this.#overlays.push(overlay);
    overlay.show();
    return overlay.handle;
  }

  hideOverlay() {
    this.#overlays.at(-1)?.handle.hide();
  }

  hasOverlay() {
    return this.#overlays.some((overlay) => !overlay.isHidden);
  }

  forgetOverlay(overlay) {
    this.#overlays = this.#overlays.filter((other) => other !== overlay);
  }

  /** Programs that take over the terminal for a while, such as an editor, stop the interface and start it again. */
  stop() {
    tell("ui.suspend", { surface: this.#surface });
  }

  start() {
    tell("ui.resume", { surface: this.#surface });
  }

  dispose() {
    this.isDisposed = true;
    for (const overlay of [...this.#overlays]) overlay.handle.hide();
    this.#listeners.clear();
  }

  getShowHardwareCursor() {
    return false;
  }

  setShowHardwareCursor() {}

  getClearOnShrink() {
    return false;
  }

  setClearOnShrink() {}

  onTerminalColorSchemeChange() {
    return () => {};
  }

  setTerminalColorSchemeNotifications() {}

  async queryTerminalBackgroundColor() {
    return undefined;
  }

  async queryTerminalColorScheme() {
    return undefined;
  }
}

class Overlay {
  isHidden = false;
  #isFocused = false;
  #id;
  #component;
  #options;
  #surfaces;
  #tui;

  constructor(id, component, options, surfaces, tui) {
    this.#id = id;
    this.#component = component;
    this.#options = options;
    this.#surfaces = surfaces;
    this.#tui = tui;
    this.handle = {
      hide: () => this.#remove(),
      setHidden: (isHidden) => this.#setHidden(isHidden),
      isHidden: () => this.isHidden,
      focus: () => this.#focus(true),
      unfocus: () => this.#focus(false),
      isFocused: () => this.#isFocused,
      getBounds: () => tell("ui.overlay-bounds", { overlay: id }) ?? undefined,
    };
  }

  show() {
    const { visible, ...options } = this.#options;
    this.#surfaces.mount(this.#id, this.#component, { isVisible: () => this.#isVisible(visible) });
    tell("ui.overlay", { overlay: this.#id, state: "shown", options: JSON.parse(JSON.stringify(options)) });
    this.#focus(!options.nonCapturing);
  }

  #isVisible(visible) {
    const { columns, rows } = terminalState();
    return !this.isHidden && (typeof visible !== "function" || visible(columns, rows));
  }

  #setHidden(isHidden) {
    this.isHidden = isHidden;
    tell("ui.overlay", { overlay: this.#id, state: isHidden ? "hidden" : "shown" });
    this.#focus(!isHidden);
    this.#surfaces.markDirty(this.#id);
  }

  #focus(isFocused) {
    if (this.#isFocused === isFocused) return;
    this.#isFocused = isFocused;
    if (isFocusable(this.#component)) this.#component.focused = isFocused;
    tell("ui.overlay", { overlay: this.#id, state: isFocused ? "focused" : "unfocused" });
  }

  #remove() {
    this.#focus(false);
    this.#tui.forgetOverlay(this);
    this.#surfaces.unmount(this.#id);
    tell("ui.overlay", { overlay: this.#id, state: "removed" });
  }
}
