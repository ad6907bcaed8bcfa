// What a script prints goes to the program, which decides where it is shown.
const { formatWithOptions, inspect } = require("util");
const counts = new Map();
const times = new Map();
let indent = "";

const say = (level) => (...args) => {
  const message = formatWithOptions({}, ...args);
  internal.op("log", { level, message: indent === "" ? message : message.replace(/^/gm, indent) });
};
const [debug, info, warn, error] = ["debug", "info", "warn", "error"].map(say);
const elapsed = (label) => `${label}: ${(performance.now() - times.get(label)).toFixed(3)}ms`;

const console = {
  log: info, info, debug, warn, error, trace(...args) { error(`${formatWithOptions({}, ...args)}\n${new Error("Trace").stack}`); },
  dir(value, options) { info(inspect(value, options)); },
  dirxml: info,
  assert(condition, ...args) { if (!condition) error("Assertion failed" + (args.length > 0 ? ":" : ""), ...args); },
  count(label = "default") { counts.set(label, (counts.get(label) ?? 0) + 1); info(`${label}: ${counts.get(label)}`); },
  countReset(label = "default") { counts.delete(label); },
  time(label = "default") { times.set(label, performance.now()); },
  timeLog(label = "default", ...args) { if (times.has(label)) info(elapsed(label), ...args); },
  timeEnd(label = "default") { if (times.has(label)) { info(elapsed(label)); times.delete(label); } },
  timeStamp() {}, profile() {}, profileEnd() {},
  group(...args) { if (args.length > 0) info(...args); indent += "  "; },
  groupCollapsed(...args) { console.group(...args); },
  groupEnd() { indent = indent.slice(2); },
  table(rows) {
    if (rows === null || typeof rows !== "object") return info(rows);
    const entries = rows instanceof Map ? [...rows] : Object.entries(rows);
    const columns = [...new Set(entries.flatMap(([, row]) => (row !== null && typeof row === "object" ? Object.keys(row) : [])))];
    const plain = entries.some(([, row]) => row === null || typeof row !== "object");
    const head = ["(index)", ...columns, ...(plain ? ["Values"] : [])];
    const cell = (value) => (value === undefined ? "" : inspect(value));
    const lines = entries.map(([key, row]) => {
      const isObject = row !== null && typeof row === "object";
      return [String(key), ...columns.map((name) => (isObject && name in row ? cell(row[name]) : "")), ...(plain ? [isObject ? "" : cell(row)] : [])];
    });
    const widths = head.map((name, at) => Math.max(name.length, ...lines.map((line) => line[at].length)));
    info([head, ...lines].map((line) => line.map((text, at) => text.padEnd(widths[at])).join("  ").trimEnd()).join("\n"));
  },
  clear() {},
};
console.Console = function Console() { return console; };
module.exports = console;
