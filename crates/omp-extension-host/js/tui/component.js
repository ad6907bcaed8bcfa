/** What every component shares: containers, and the marks that say where the cursor is. */

/** A focused component puts it before the character under its cursor; whoever shows the lines takes it out. */
export const CURSOR_MARKER = "\x1b_pi:c\x07";
const CURSOR_START = "\x1b_pi:fc\x07";
const CURSOR_END = "\x1b_pi:/fc\x07";

/** The character under the cursor: shown inverted where the terminal's own cursor is not used. */
export function renderFakeCursor(text) {
  return CURSOR_START + text + CURSOR_END;
}

/** Shows the marks of `renderFakeCursor` as a terminal can. */
export function drawFakeCursor(line) {
  return line.includes(CURSOR_START) ? line.replaceAll(CURSOR_START, "\x1b[7m").replaceAll(CURSOR_END, "\x1b[27m") : line;
}

export function isFocusable(component) {
  return component !== null && typeof component === "object" && "focused" in component;
}

export class Container {
  children = [];

  addChild(component) {
    this.children.push(component);
  }

  removeChild(component) {
    const at = this.children.indexOf(component);
    if (at >= 0) this.children.splice(at, 1);
  }

  clear() {
    this.children = [];
  }

  invalidate() {
    for (const child of this.children) child.invalidate?.();
  }

  render(width) {
    return this.children.flatMap((child) => child.render(width));
  }
}

/** Remembers what a component drew for as long as what it depends on is the same. */
export class RenderMemory {
  #inputs = [];
  #lines;

  lines(inputs, render) {
    const isSame = this.#lines && inputs.length === this.#inputs.length && inputs.every((input, at) => input === this.#inputs[at]);
    if (!isSame) {
      this.#lines = render();
      this.#inputs = inputs;
    }
    return this.#lines;
  }

  forget() {
    this.#lines = undefined;
  }
}

/** The rows that a list of `count` shows around the selected one. */
export function visibleRange(selected, count, maximum) {
  const start = Math.max(0, Math.min(selected - Math.floor(maximum / 2), count - maximum));
  return { start, end: Math.min(start + maximum, count) };
}
