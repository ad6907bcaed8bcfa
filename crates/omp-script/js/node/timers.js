const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = globalThis;
module.exports = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, get promises() { return require("timers/promises"); } };
const custom = Symbol.for("nodejs.util.promisify.custom");
Object.defineProperty(setTimeout, custom, { configurable: true, value: (wait, value) => require("timers/promises").setTimeout(wait, value) });
Object.defineProperty(setImmediate, custom, { configurable: true, value: (value) => require("timers/promises").setImmediate(value) });
