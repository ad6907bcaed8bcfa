/** A container with a margin, a background and, if wanted, a border. */

import { Container } from "omp:tui/component";
import { framed } from "omp:tui/text";
import { padding, padTo } from "omp:tui/width";

export class Box extends Container {
  #paddingX;
  #paddingY;
  #background;
  #border;

  constructor(paddingX = 1, paddingY = 1, background = undefined, border = undefined) {
    super();
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
    this.#background = background;
    this.#border = border;
  }

  setPaddingX(paddingX) {
    this.#paddingX = paddingX;
  }

  setPaddingY(paddingY) {
    this.#paddingY = paddingY;
  }

  setBgFn(background) {
    this.#background = background;
  }

  setBorder(border) {
    this.#border = border;
  }

  setIgnoreTight() {
    return this;
  }

  render(width) {
    const inside = this.#border ? Math.max(1, width - 2) : width;
    const margin = padding(this.#paddingX);
    const content = super.render(Math.max(1, inside - 2 * this.#paddingX)).map((line) => margin + line);
    if (content.length === 0) return [];
    const lines = framed(content, inside, this.#paddingY, this.#background);
    return this.#border ? this.#bordered(lines, inside) : lines;
  }

  #bordered(lines, inside) {
    const { chars, color = (text) => text } = this.#border;
    const edge = (left, right) => color(left + chars.horizontal.repeat(inside) + right);
    const side = color(chars.vertical);
    const rows = lines.map((line) => side + padTo(line, inside) + side);
    return [edge(chars.topLeft, chars.topRight), ...rows, edge(chars.bottomLeft, chars.bottomRight)];
  }
}
