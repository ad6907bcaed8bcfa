/** The components on the screen, by place. One that throws is taken away and harms nothing else. */

import { CURSOR_MARKER, drawFakeCursor, isFocusable } from "omp:tui/component";
import { isKeyRelease } from "omp:tui/keys";
import { tell } from "omp:tui/tui";
import { replaceControlCharacters, visibleWidth } from "omp:tui/width";

const MAX_LINES = 2_000;
const MAX_LINE = 20_000;
const MAX_MESSAGE = 300;

export class Surfaces {
  #mounted = new Map();
  #dirty = new Set();

  /** `tui` is the `ExtensionTui` that the component's factory got, `isVisible` says whether it is drawn now. */
  mount(id, component, { tui, isVisible } = {}) {
    if (this.#mounted.has(id)) this.unmount(id);
    this.#mounted.set(id, { component, tui, isVisible, cursor: null });
    if (isFocusable(component) && tui && !tui.getFocusedComponent()) component.focused = true;
    this.markDirty(id);
  }

  has(id) {
    return this.#mounted.has(id);
  }

  unmount(id) {
    const surface = this.#mounted.get(id);
    if (!surface) return;
    this.#mounted.delete(id);
    this.#dirty.delete(id);
    // What a component throws on its way out is nobody's problem any more.
    for (const part of [surface.component, surface.tui]) {
      try {
        part?.dispose?.();
      } catch {}
    }
  }

  /** The program is told once per drawing. What is not mounted, yet or any more, has nothing to draw. */
  markDirty(id) {
    if (!this.#mounted.has(id) || this.#dirty.has(id)) return;
    this.#dirty.add(id);
    tell("ui.render", { surface: id });
  }

  /** The places that changed since the last call or drawing. */
  dirty() {
    const ids = [...this.#dirty].filter((id) => this.#mounted.has(id));
    this.#dirty.clear();
    return ids;
  }

  render(id, width) {
    const surface = this.#mounted.get(id);
    if (!surface) return [];
    this.#dirty.delete(id);
    return this.#guarded(id, (failure) => [failure], () => {
      if (surface.isVisible && !surface.isVisible()) return [];
      const lines = bounded(surface.component.render(width));
      const overlaid = surface.tui?.children.length > 0 ? [...lines, ...bounded(surface.tui.render(width))] : lines;
      return this.#withCursor(surface, overlaid);
    });
  }

  /** Where the last drawing has its cursor: `{ row, column }`, or null. */
  cursor(id) {
    return this.#mounted.get(id)?.cursor ?? null;
  }

  #withCursor(surface, lines) {
    surface.cursor = null;
    return lines.map((line, row) => {
      const at = line.indexOf(CURSOR_MARKER);
      if (at < 0) return drawFakeCursor(line);
      surface.cursor = { row, column: visibleWidth(line.slice(0, at)) };
      return drawFakeCursor(line.replaceAll(CURSOR_MARKER, ""));
    });
  }

  input(id, data) {
    const surface = this.#mounted.get(id);
    if (!surface) return;
    this.#guarded(id, () => undefined, () => {
      const left = surface.tui ? surface.tui.filterInput(data) : data;
      const target = surface.tui?.getFocusedComponent() ?? surface.component;
      if (left === undefined || (isKeyRelease(left) && !target.wantsKeyRelease)) return;
      target.handleInput?.(left);
      this.markDirty(id);
    });
  }

  /** After a change of the theme: nothing that was drawn may be reused. */
  invalidate() {
    for (const [id, { component }] of [...this.#mounted]) {
      this.#guarded(id, () => undefined, () => component.invalidate?.());
      this.markDirty(id);
    }
  }

  #guarded(id, failed, work) {
    try {
      return work();
    } catch (error) {
      this.unmount(id);
      const message = describe(error);
      tell("ui.failed", { surface: id, message });
      return failed(message);
    }
  }
}

function describe(error) {
  let text = "unknown error";
  try {
    text = error instanceof Error ? error.message : String(error);
  } catch {}
  const line = replaceControlCharacters(text).replaceAll("\n", " ");
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE)}…` : line;
}

/** Rows as strings, not too many and not too long. */
function bounded(lines) {
  if (!Array.isArray(lines)) return [];
  const rows = [];
  for (const line of lines) {
    for (const row of String(line).slice(0, MAX_LINE).split("\n")) {
      if (rows.length === MAX_LINES) return rows;
      rows.push(row);
    }
  }
  return rows;
}
