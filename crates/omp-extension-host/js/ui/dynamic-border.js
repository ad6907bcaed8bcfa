/** A line as wide as the screen. */

import { theme } from "omp:ui/theme";

export class DynamicBorder {
  #color;

  constructor(color = (text) => theme.fg("border", text)) {
    this.#color = color;
  }

  invalidate() {}

  render(width) {
    return [this.#color((theme.boxRound.horizontal || "─").repeat(Math.max(1, width)))];
  }
}
