/** Text that wraps at words, with a margin and a background. */

import { RenderMemory } from "omp:tui/component";
import { applyBackgroundToLine, padding, padTo, replaceTabs } from "omp:tui/width";
import { wrapTextWithAnsi } from "omp:tui/wrap";

export class Text {
  #text;
  #paddingX;
  #paddingY;
  #background;
  #style;
  #memory = new RenderMemory();

  constructor(text = "", paddingX = 1, paddingY = 1, background = undefined) {
    this.#text = String(text ?? "");
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
  }

  getText() {
    return this.#text;
  }

  /** Says whether the text changed. */
  setText(text) {
    const changed = String(text ?? "") !== this.#text;
    this.#text = String(text ?? "");
    return changed;
  }

  setCustomBgFn(background) {
    this.#background = background;
    this.#memory.forget();
  }

  setStyleFn(style) {
    this.#style = style;
    this.#memory.forget();
    return this;
  }

  setIgnoreTight() {
    return this;
  }

  invalidate() {
    this.#memory.forget();
  }

  render(width) {
    return this.#memory.lines([this.#text, width], () => this.#lines(width));
  }

  #lines(width) {
    if (this.#text.trim() === "") return [];
    const margin = padding(this.#paddingX);
    const wrapped = wrapTextWithAnsi(replaceTabs(this.#text), Math.max(1, width - 2 * this.#paddingX));
    const styled = this.#style ? wrapped.map(this.#style) : wrapped;
    return framed(styled.map((line) => margin + line + margin), width, this.#paddingY, this.#background);
  }
}

/** Pads lines to the width, with blank lines above and below, all on one background. */
export function framed(lines, width, blankLines, background) {
  const blank = Array(Math.max(0, blankLines)).fill("");
  const fill = background ? (line) => applyBackgroundToLine(line, width, background) : (line) => padTo(line, width);
  return [...blank, ...lines, ...blank].map(fill);
}
