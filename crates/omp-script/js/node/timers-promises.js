const aborted = (signal) => Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR", cause: signal.reason });
const wait = (start, value, { signal } = {}) => new Promise((resolve, reject) => {
  if (signal?.aborted) return reject(aborted(signal));
  const stop = () => { clearTimeout(timer); reject(aborted(signal)); };
  const timer = start(() => { signal?.removeEventListener("abort", stop); resolve(value); });
  signal?.addEventListener("abort", stop, { once: true });
});
const own = {
  setTimeout: (time, value, options) => wait((done) => globalThis.setTimeout(done, time), value, options),
  setImmediate: (value, options) => wait((done) => globalThis.setImmediate(done), value, options),
  setInterval: async function* (time, value, options) { for (;;) yield await own.setTimeout(time, value, options); },
};
own.scheduler = { wait: (time, options) => own.setTimeout(time, undefined, options), yield: () => own.setImmediate() };
module.exports = own;
