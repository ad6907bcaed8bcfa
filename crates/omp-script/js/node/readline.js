// Lines of a stream. There is no terminal to edit them in.
const EventEmitter = require("events");
class Interface extends EventEmitter {
  constructor(input, output) {
    super();
    const options = input !== null && typeof input === "object" && input.input !== undefined ? input : { input, output };
    Object.assign(this, { input: options.input, output: options.output, line: "", cursor: 0, closed: false, terminal: false, history: [] });
    this._prompt = options.prompt ?? "> ";
    this._waiting = [];
    this._lines = [];
    let rest = "";
    let decoder;
    const { StringDecoder } = require("string_decoder");
    decoder = new StringDecoder("utf8");
    this._data = (chunk) => {
      const lines = (rest + (typeof chunk === "string" ? chunk : decoder.write(chunk))).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop();
      for (const line of lines) this._say(line);
    };
    this.input?.on("data", this._data);
    this.input?.once("end", () => { const last = rest + decoder.end(); if (last !== "") this._say(last); this.close(); });
    this.input?.once("error", (error) => this._failed?.(error));
    options.signal?.addEventListener("abort", () => this.close(), { once: true });
  }
  _say(line) {
    const waiting = this._waiting.shift();
    if (waiting) waiting(line);
    else this.emit("line", line);
  }
  question(text, options, done) {
    const call = typeof options === "function" ? options : done;
    this.output?.write(text);
    this._waiting.push(call);
  }
  setPrompt(text) { this._prompt = text; }
  getPrompt() { return this._prompt; }
  prompt() { this.output?.write(this._prompt); }
  write(text) { if (typeof text === "string") this._data(text); }
  pause() { this.input?.pause(); this.emit("pause"); return this; }
  resume() { this.input?.resume(); this.emit("resume"); return this; }
  close() {
    if (this.closed) return;
    this.closed = true;
    this.input?.off("data", this._data);
    this.emit("close");
  }
  [Symbol.dispose]() { this.close(); }
  async *[Symbol.asyncIterator]() {
    const lines = [];
    let wake = () => {};
    let failure;
    this._failed = (error) => { failure = error; wake(); };
    this.on("line", (line) => { lines.push(line); wake(); });
    this.on("close", () => wake());
    for (;;) {
      while (lines.length > 0) yield lines.shift();
      if (failure) throw failure;
      if (this.closed) return;
      await new Promise((resolve) => { wake = resolve; });
    }
  }
}
const createInterface = (...args) => new Interface(...args);
const cursor = (stream, text, done) => { stream?.write?.(text); done?.(); return true; };
module.exports = {
  Interface, createInterface,
  clearLine: (stream, direction, done) => cursor(stream, direction < 0 ? "\u001b[1K" : direction > 0 ? "\u001b[0K" : "\u001b[2K", done), clearScreenDown: (stream, done) => cursor(stream, "\u001b[0J", done),
  cursorTo: (stream, x, y, done) => cursor(stream, typeof y === "number" ? `\u001b[${y + 1};${x + 1}H` : `\u001b[${x + 1}G`, typeof y === "function" ? y : done),
  moveCursor: (stream, dx, dy, done) => cursor(stream, `${dx < 0 ? `\u001b[${-dx}D` : dx > 0 ? `\u001b[${dx}C` : ""}${dy < 0 ? `\u001b[${-dy}A` : dy > 0 ? `\u001b[${dy}B` : ""}`, done), emitKeypressEvents() {},
  promises: {
    Interface, createInterface: (...args) => { const made = new Interface(...args); const ask = made.question.bind(made); made.question = (text) => new Promise((resolve) => ask(text, resolve)); return made; },
  },
};
