// Values that follow a call. They follow what is synchronous, and what is started with `run` until its promise settles.
class AsyncLocalStorage {
  #value;
  #active = false;
  getStore() { return this.#active ? this.#value : undefined; }
  enterWith(value) { this.#value = value; this.#active = true; }
  run(value, work, ...args) {
    const before = [this.#value, this.#active];
    const restore = () => { [this.#value, this.#active] = before; };
    this.enterWith(value);
    let result;
    try { result = work(...args); } catch (error) { restore(); throw error; }
    if (result instanceof Promise) result.then(restore, restore);
    else restore();
    return result;
  }
  exit(work, ...args) { const before = [this.#value, this.#active]; this.#active = false; try { return work(...args); } finally { [this.#value, this.#active] = before; } }
  disable() { this.#active = false; this.#value = undefined; }
  static bind(work) { return work; }
  static snapshot() { return (work, ...args) => work(...args); }
}
class AsyncResource {
  constructor(type) { this.type = type; }
  runInAsyncScope(work, own, ...args) { return work.apply(own, args); }
  bind(work) { return work; }
  static bind(work) { return work; }
  emitDestroy() { return this; }
  asyncId() { return 1; }
  triggerAsyncId() { return 0; }
}
module.exports = { AsyncLocalStorage, AsyncResource, createHook: () => ({ enable() { return this; }, disable() { return this; } }), executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}) };
