/** The first line of a text, cut where the width ends. */

import { truncateToWidth } from "omp:tui/slice";
import { padding, padTo } from "omp:tui/width";

export class TruncatedText {
  #text;
  #paddingX;
  #paddingY;

  constructor(text, paddingX = 0, paddingY = 0) {
    this.#text = String(text ?? "");
    this.#paddingX = paddingX;
    this.#paddingY = paddingY;
  }

  setText(text) {
    this.#text = String(text ?? "");
  }

  invalidate() {}

  render(width) {
    const margin = padding(this.#paddingX);
    const line = truncateToWidth(this.#text.split("\n", 1)[0], Math.max(1, width - 2 * this.#paddingX));
    const blank = Array(this.#paddingY).fill(padding(width));
    return [...blank, padTo(margin + line + margin, width), ...blank];
  }
}
