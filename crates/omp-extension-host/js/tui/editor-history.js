/** Earlier prompts, and the draft that waits while they are browsed. */

const MAXIMUM = 100;

export class PromptHistory {
  #prompts = [];
  #index = -1;
  #draft = "";

  get isBrowsing() {
    return this.#index >= 0;
  }

  add(text) {
    const prompt = text.trim();
    if (prompt === "" || prompt === this.#prompts[0]) return;
    this.#prompts.unshift(prompt);
    this.#prompts.length = Math.min(this.#prompts.length, MAXIMUM);
  }

  stop() {
    this.#index = -1;
    this.#draft = "";
  }

  /** The text to show next, or undefined at the end. */
  older(current) {
    if (this.#index + 1 >= this.#prompts.length) return undefined;
    if (this.#index < 0) this.#draft = current;
    return this.#prompts[++this.#index];
  }

  newer() {
    if (this.#index < 0) return undefined;
    this.#index--;
    return this.#index < 0 ? this.#draft : this.#prompts[this.#index];
  }
}
