// Events of the web: targets, abort signals.
class Event {
  #stopped = false;
  constructor(type, { bubbles = false, cancelable = false, composed = false } = {}) {
    Object.assign(this, { type: String(type), bubbles, cancelable, composed, defaultPrevented: false, target: null, currentTarget: null, timeStamp: performance.now(), isTrusted: false, eventPhase: 0 });
  }
  preventDefault() { if (this.cancelable) this.defaultPrevented = true; }
  stopPropagation() {}
  stopImmediatePropagation() { this.#stopped = true; }
  get cancelBubble() { return this.#stopped; }
  composedPath() { return this.target === null ? [] : [this.target]; }
}
class CustomEvent extends Event {
  constructor(type, options = {}) { super(type, options); this.detail = options.detail ?? null; }
}
class EventTarget {
  #listeners = new Map();
  addEventListener(type, listener, options) {
    if (listener === null || listener === undefined) return;
    const settings = typeof options === "object" && options !== null ? options : {};
    if (settings.signal?.aborted) return;
    const list = this.#listeners.get(type) ?? [];
    if (list.some((own) => own.listener === listener)) return;
    this.#listeners.set(type, [...list, { listener, once: settings.once === true }]);
    settings.signal?.addEventListener("abort", () => this.removeEventListener(type, listener), { once: true });
  }
  removeEventListener(type, listener) {
    const list = this.#listeners.get(type);
    if (list !== undefined) this.#listeners.set(type, list.filter((own) => own.listener !== listener));
  }
  dispatchEvent(event) {
    event.target = event.currentTarget = this;
    const handler = this[`on${event.type}`];
    const all = [...(typeof handler === "function" ? [{ listener: handler }] : []), ...(this.#listeners.get(event.type) ?? [])];
    for (const { listener, once } of all) {
      if (event.cancelBubble) break;
      if (once) this.removeEventListener(event.type, listener);
      internal.guarded("an error in a listener", (...args) => (typeof listener === "function" ? listener.apply(this, args) : listener.handleEvent(...args)), [event]);
    }
    return !event.defaultPrevented;
  }
}

const key = Symbol("abort");
const reasonOf = (reason) => (reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason);
class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  onabort = null;
  constructor(own) {
    super();
    if (own !== key) throw Object.assign(new TypeError("Illegal constructor"), { code: "ERR_ILLEGAL_CONSTRUCTOR" });
  }
  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }
  throwIfAborted() { if (this.#aborted) throw this.#reason; }
  [key](reason) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reasonOf(reason);
    this.dispatchEvent(new Event("abort"));
  }
  static abort(reason) { const signal = new AbortSignal(key); signal[key](reason); return signal; }
  static timeout(time) {
    const signal = new AbortSignal(key);
    setTimeout(() => signal[key](new DOMException("The operation was aborted due to timeout", "TimeoutError")), time);
    return signal;
  }
  static any(signals) {
    const made = new AbortSignal(key);
    for (const signal of signals) {
      if (signal.aborted) { made[key](signal.reason); break; }
      signal.addEventListener("abort", () => made[key](signal.reason), { once: true });
    }
    return made;
  }
  get [Symbol.toStringTag]() { return "AbortSignal"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { return `AbortSignal ${inspect({ aborted: this.aborted }, options)}`; }
}
class AbortController {
  #signal = new AbortSignal(key);
  get signal() { return this.#signal; }
  abort(reason) { this.#signal[key](reason); }
  get [Symbol.toStringTag]() { return "AbortController"; }
  [Symbol.for("nodejs.util.inspect.custom")](depth, options, inspect) { return `AbortController ${inspect({ signal: this.signal }, options)}`; }
}
module.exports = { Event, CustomEvent, EventTarget, AbortSignal, AbortController };
