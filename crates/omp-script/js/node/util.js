// Showing values, promises of callbacks, kinds of things.
const types = require("util/types");
const { inspect } = require("omp/inspect");
const custom = Symbol.for("nodejs.util.promisify.custom");

const invalid = (message) => {
  const error = new TypeError(message);
  error.code = "ERR_INVALID_ARG_TYPE";
  return error;
};

const formatWithOptions = (options, ...args) => {
  const [first, ...rest] = args;
  const shown = (value) => (typeof value === "string" ? value : inspect(value, { ...options }));
  if (typeof first !== "string") return args.map(shown).join(" ");
  let at = 0;
  const text = args.length === 1 ? first : first.replace(/%[sdifjoOc%]/g, (mark) => {
    if (mark === "%%") return "%";
    if (at >= rest.length) return mark;
    const value = rest[at];
    at += 1;
    switch (mark) {
      case "%s":
        if (typeof value === "string") return value;
        if (typeof value === "bigint") return `${value}n`;
        if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
        if (value !== null && typeof value === "object" && (Object.hasOwn(value, "toString") || (value.constructor && typeof value.toString === "function" && value.toString !== Object.prototype.toString && !Array.isArray(value) && !types.isDate(value) === true && !(value instanceof Error) && Object.hasOwn(value.constructor.prototype ?? {}, "toString") && !["Object", "Map", "Set"].includes(value.constructor.name)))) return String(value);
        return value !== null && (typeof value === "object" || typeof value === "function") ? inspect(value, { ...options, depth: 0, colors: false, compact: 3 }) : String(value);
      case "%d":
        if (typeof value === "bigint") return `${value}n`;
        if (typeof value === "symbol") return "NaN";
        return typeof value === "object" && value !== null ? String(Number(value)) : Object.is(Number(value), -0) ? "-0" : String(Number(value));
      case "%i":
        if (typeof value === "bigint") return `${value}n`;
        return typeof value === "symbol" || typeof value === "object" ? "NaN" : String(parseInt(value, 10));
      case "%f": return typeof value === "symbol" ? "NaN" : String(parseFloat(value));
      case "%j":
        try { return String(JSON.stringify(value)); } catch (error) { if (/circular/.test(error.message)) return "[Circular]"; throw error; }
      case "%o": return inspect(value, { ...options, showHidden: true, depth: 4 });
      case "%O": return inspect(value, options);
      default: return "";
    }
  });
  return [text, ...rest.slice(at).map(shown)].join(" ");
};

const promisify = (original) => {
  if (typeof original !== "function") throw invalid(`The "original" argument must be of type function. Received ${original === null ? "null" : typeof original}`);
  if (typeof original[custom] === "function") return original[custom];
  const promised = function (...args) {
    return new Promise((resolve, reject) => {
      original.call(this, ...args, (error, ...values) => (error ? reject(error) : resolve(values[0])));
    });
  };
  Object.setPrototypeOf(promised, Object.getPrototypeOf(original));
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(original));
};
promisify.custom = custom;

const callbackify = (original) => function (...args) {
  const callback = args.pop();
  original.apply(this, args).then((value) => queueMicrotask(() => callback(null, value)), (error) => queueMicrotask(() => callback(error ?? new Error("the promise was rejected without a reason"))));
};

const inherits = (own, above) => {
  Object.defineProperty(own, "super_", { value: above, writable: true, configurable: true });
  Object.setPrototypeOf(own.prototype, above.prototype);
};

const deprecate = (work) => function (...args) { return new.target ? Reflect.construct(work, args, new.target) : work.apply(this, args); };

const stripVTControlCharacters = (text) =>
  text.replace(/[\u001B\u009B][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001B\u005C|\u009C))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g, "");

const styleText = (format, text) => [format].flat().reduceRight((inner, name) => {
  const [open, close] = inspect.colors[name] ?? [];
  if (open === undefined) throw invalid(`unknown style ${name}`);
  return `\u001b[${open}m${inner}\u001b[${close}m`;
}, text);

// Does one line of arguments: flags with one or two dashes, values behind or beside them, the rest as positionals.
const parseArgs = ({ args = process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict, tokens: wantsTokens = false, allowNegative = false } = {}) => {
  const found = { values: Object.create(null), positionals: [] };
  const tokens = [];
  const refuse = (code, message) => { const error = new TypeError(message); error.code = code; throw error; };
  const store = (name, value, raw) => {
    const option = options[name];
    if (strict && option === undefined) refuse("ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${raw}'${allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${raw}"` : ""}`);
    if (strict && option.type === "string" && value === undefined) refuse("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${option.short ? `-${option.short}, ` : ""}--${name} <value>' argument missing`);
    if (strict && option.type === "boolean" && value !== undefined && typeof value !== "boolean") refuse("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${option.short ? `-${option.short}, ` : ""}--${name}' does not take an argument`);
    const stored = value ?? true;
    if (option?.multiple) (found.values[name] ??= []).push(stored);
    else found.values[name] = stored;
  };
  const takesValue = (name) => options[name]?.type === "string";
  const named = (letter) => Object.keys(options).find((name) => options[name].short === letter) ?? letter;
  const rest = [...args];
  for (let index = 0; rest.length > 0; index += 1) {
    const arg = rest.shift();
    if (arg === "--") { tokens.push({ kind: "option-terminator", index }); for (const value of rest.splice(0)) { index += 1; found.positionals.push(value); tokens.push({ kind: "positional", index, value }); } break; }
    if (/^--./.test(arg)) {
      const at = arg.indexOf("=");
      let name = arg.slice(2, at < 0 ? undefined : at);
      let value = at < 0 ? undefined : arg.slice(at + 1);
      const raw = `--${name}`;
      const inline = at < 0 ? undefined : true;
      if (allowNegative && name.startsWith("no-") && options[name.slice(3)]?.type === "boolean") { name = name.slice(3); value = false; }
      else if (value === undefined && takesValue(name) && rest.length > 0 && !rest[0].startsWith("-")) value = rest.shift();
      tokens.push({ kind: "option", name, rawName: raw, index, value: value === false ? undefined : value, inlineValue: value === undefined ? undefined : inline ?? false });
      store(name, value, raw);
    } else if (/^-[^-]/.test(arg)) {
      const letters = arg.slice(1);
      for (let at = 0; at < letters.length; at += 1) {
        const name = named(letters[at]);
        let value;
        if (takesValue(name)) {
          value = at + 1 < letters.length ? letters.slice(at + 1) : rest.length > 0 && !rest[0].startsWith("-") ? rest.shift() : undefined;
          at = letters.length;
        }
        tokens.push({ kind: "option", name, rawName: `-${letters[Math.min(at, letters.length - 1)] ?? name}`, index, value, inlineValue: value === undefined ? undefined : false });
        store(name, value, `-${letters[0]}`);
      }
    } else {
      if (!allowPositionals) refuse("ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", `Unexpected argument '${arg}'. This command does not take positional arguments`);
      found.positionals.push(arg);
      tokens.push({ kind: "positional", index, value: arg });
    }
  }
  for (const [name, option] of Object.entries(options)) if (option.default !== undefined && found.values[name] === undefined) found.values[name] = option.default;
  return wantsTokens ? { ...found, tokens } : found;
};

const toUSVString = (text) => String(text).toWellFormed();

module.exports = {
  inspect, format: (...args) => formatWithOptions({}, ...args), formatWithOptions, promisify, callbackify, inherits, deprecate, types,
  stripVTControlCharacters, styleText, parseArgs, toUSVString,
  isDeepStrictEqual: (one, two) => require("assert").isDeepStrictEqual(one, two),
  debuglog: () => Object.assign(() => {}, { enabled: false }), debug: () => Object.assign(() => {}, { enabled: false }),
  isArray: Array.isArray, isBoolean: (v) => typeof v === "boolean", isNull: (v) => v === null, isNullOrUndefined: (v) => v == null, isNumber: (v) => typeof v === "number",
  isString: (v) => typeof v === "string", isSymbol: (v) => typeof v === "symbol", isUndefined: (v) => v === undefined, isRegExp: types.isRegExp,
  isObject: (v) => v !== null && typeof v === "object", isDate: types.isDate, isError: (v) => v instanceof Error, isFunction: (v) => typeof v === "function",
  isPrimitive: (v) => v === null || (typeof v !== "object" && typeof v !== "function"), isBuffer: (v) => Buffer.isBuffer(v),
  getSystemErrorName: (number) => Object.entries(require("os").constants.errno).find(([, own]) => own === -number)?.[0],
  aborted: (signal) => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true }))),
  get TextEncoder() { return globalThis.TextEncoder; }, get TextDecoder() { return globalThis.TextDecoder; },
};
