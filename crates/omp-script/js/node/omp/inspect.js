// Values as people read them.
const custom = Symbol.for("nodejs.util.inspect.custom");
const types = require("util/types");

const colors = {
  reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29],
  doubleunderline: [21, 24], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39],
  gray: [90, 39], grey: [90, 39], blackBright: [90, 39], redBright: [91, 39], greenBright: [92, 39], yellowBright: [93, 39], blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39],
  bgBlack: [40, 49], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49], bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49], bgGray: [100, 49],
  framed: [51, 54], overlined: [53, 55],
};
const styles = {
  special: "cyan", number: "yellow", bigint: "yellow", boolean: "yellow", undefined: "grey", null: "bold", string: "green", symbol: "green", date: "magenta", regexp: "red", module: "underline",
};
const defaults = {
  depth: 2, colors: false, showHidden: false, customInspect: true, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false,
};

const quote = (text) => {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
  const escaped = text.replace(/[\x00-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (letter) => {
    const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\\": "\\\\" }[letter];
    if (short) return short;
    const code = letter.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).toUpperCase().padStart(2, "0")}` : `\\u${code.toString(16).toUpperCase()}`;
  });
  return mark + (mark === "'" ? escaped.replace(/'/g, "\\'") : escaped) + mark;
};

const keyText = (key, ctx) => {
  if (typeof key === "symbol") return `[${ctx.style(String(key), "symbol")}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : ctx.style(quote(key), "string");
};

const primitive = (value, ctx) => {
  switch (typeof value) {
    case "string": {
      if (value.length > ctx.maxStringLength) {
        const rest = value.length - ctx.maxStringLength;
        return `${ctx.style(quote(value.slice(0, ctx.maxStringLength)), "string")}... ${rest} more character${rest > 1 ? "s" : ""}`;
      }
      if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indent - 4 && value.includes("\n")) {
        return value.split(/(?<=\n)/).map((line) => ctx.style(quote(line), "string")).join(` +\n${" ".repeat(ctx.indent + 2)}`);
      }
      return ctx.style(quote(value), "string");
    }
    case "number": return ctx.style(Object.is(value, -0) ? "-0" : String(value), "number");
    case "bigint": return ctx.style(`${value}n`, "bigint");
    case "boolean": return ctx.style(String(value), "boolean");
    case "undefined": return ctx.style("undefined", "undefined");
    case "symbol": return ctx.style(String(value), "symbol");
    default: return ctx.style("null", "null");
  }
};

const nameOf = (value) => {
  for (let own = value; own !== null; own = Object.getPrototypeOf(own)) {
    const descriptor = Object.getOwnPropertyDescriptor(own, "constructor");
    if (descriptor !== undefined && typeof descriptor.value === "function" && descriptor.value.name !== "") return descriptor.value.name;
  }
  return null;
};

const prefix = (name, tag, fallback, size = "") => {
  const shown = name === null ? `[${fallback}${size}: null prototype]` : `${name}${size}`;
  return tag !== "" && tag !== name ? `${shown} [${tag}] ` : `${shown} `;
};

const property = (value, key, ctx, kind) => {
  const descriptor = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
  let text;
  if (descriptor.value !== undefined || !(descriptor.get || descriptor.set)) {
    const gap = ctx.compact !== true || kind !== 0 ? 2 : 3;
    ctx.indent += gap;
    text = format(descriptor.value, ctx);
    ctx.indent -= gap;
  } else if (descriptor.get) {
    text = ctx.style(descriptor.set ? "[Getter/Setter]" : "[Getter]", "special");
  } else text = ctx.style("[Setter]", "special");
  if (kind === 1) return text;
  const shown = descriptor.enumerable === false ? `[${typeof key === "symbol" ? String(key) : key}]` : keyText(key, ctx);
  return `${shown}: ${text}`;
};

const more = (count) => `... ${count} more item${count > 1 ? "s" : ""}`;

const list = (value, ctx) => {
  const parts = [];
  const length = Math.min(value.length, ctx.maxArrayLength);
  let at = 0;
  let shown = 0;
  while (at < value.length && shown < length) {
    if (!Object.hasOwn(value, at)) {
      let end = at;
      while (end < value.length && !Object.hasOwn(value, end)) end += 1;
      parts.push(ctx.style(`<${end - at} empty item${end - at > 1 ? "s" : ""}>`, "undefined"));
      at = end;
    } else {
      parts.push(property(value, String(at), ctx, 1));
      at += 1;
    }
    shown += 1;
  }
  if (at < value.length) parts.push(more(value.length - at));
  return parts;
};

const errorText = (error, ctx, keys) => {
  const stack = typeof error.stack === "string" && error.stack !== "" ? error.stack : Error.prototype.toString.call(error);
  let text = stack;
  const name = nameOf(error);
  if (name !== null && error.name !== undefined && name !== error.name && text.startsWith(String(error.name)) && error.name === "Error") text = text.replace(error.name, name);
  if (!/\n\s+at /.test(text)) text = `[${text}]`;
  if ("cause" in error && Object.hasOwn(error, "cause") && !keys.includes("cause")) keys.push("cause");
  if (Array.isArray(error.errors) && !keys.includes("errors")) keys.push("errors");
  for (const own of ["name", "message", "stack"]) {
    const at = keys.indexOf(own);
    if (at >= 0 && (own === "stack" || text.includes(String(error[own])))) keys.splice(at, 1);
  }
  return ctx.indent > 0 ? text.replace(/\n/g, `\n${" ".repeat(ctx.indent)}`) : text;
};

const functionText = (value, name, tag) => {
  const source = Function.prototype.toString.call(value);
  if (/^class\b/.test(source)) {
    const above = Object.getPrototypeOf(value)?.name;
    return `[class ${value.name || "(anonymous)"}${above ? ` extends ${above}` : ""}]`;
  }
  const kind = types.isAsyncFunction(value) ? (types.isGeneratorFunction(value) ? "AsyncGeneratorFunction" : "AsyncFunction") : types.isGeneratorFunction(value) ? "GeneratorFunction" : "Function";
  let text = `[${kind}${value.name ? `: ${value.name}` : " (anonymous)"}]`;
  if (name === null) text += " [null prototype]";
  if (tag !== "" && tag !== kind) text += ` [${tag}]`;
  return text;
};

const keysOf = (value, ctx) => {
  let keys;
  try { keys = ctx.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value); } catch { keys = []; }
  for (const symbol of Object.getOwnPropertySymbols(value)) {
    if (ctx.showHidden || Object.prototype.propertyIsEnumerable.call(value, symbol)) keys.push(symbol);
  }
  return ctx.sorted ? keys.sort(typeof ctx.sorted === "function" ? ctx.sorted : undefined) : keys;
};

const isIndex = (key) => typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);

// Base text, braces and parts of an object; parts say how its properties follow.
const anatomy = (value, ctx, name, tag) => {
  const plain = { base: "", open: "{", close: "}", parts: () => [], keys: keysOf(value, ctx), kind: 0 };
  if (Array.isArray(value)) {
    const head = name !== "Array" || tag !== "" ? prefix(name, tag, "Array", `(${value.length})`) : "";
    return { ...plain, open: `${head}[`, close: "]", parts: () => list(value, ctx), keys: plain.keys.filter((key) => !isIndex(key)), kind: 1 };
  }
  if (types.isSet(value)) {
    return { ...plain, open: `${prefix(name, tag, "Set", `(${value.size})`)}{`, parts: () => [...Set.prototype.values.call(value)].slice(0, ctx.maxArrayLength).map((one) => nested(one, ctx)) };
  }
  if (types.isMap(value)) {
    return { ...plain, open: `${prefix(name, tag, "Map", `(${value.size})`)}{`, parts: () => [...Map.prototype.entries.call(value)].slice(0, ctx.maxArrayLength).map(([key, one]) => `${nested(key, ctx)} => ${nested(one, ctx)}`) };
  }
  if (typeof Buffer === "function" && types.isUint8Array(value) && value instanceof Buffer) {
    const bytes = [...Uint8Array.prototype.subarray.call(value, 0, 50)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const rest = value.length - 50;
    return { ...plain, base: `<Buffer${bytes === "" ? "" : ` ${bytes}`}${rest > 0 ? ` ... ${rest} more byte${rest > 1 ? "s" : ""}` : ""}>`, keys: plain.keys.filter((key) => !isIndex(key)) };
  }
  if (types.isTypedArray(value)) {
    return { ...plain, open: `${prefix(name, tag, name ?? "TypedArray", `(${value.length})`)}[`, close: "]", parts: () => list(value, ctx), keys: plain.keys.filter((key) => !isIndex(key)), kind: 1 };
  }
  if (types.isArrayBuffer(value)) {
    const bytes = new Uint8Array(value);
    const shown = [...bytes.subarray(0, 50)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const rest = bytes.length > 50 ? ` ... ${bytes.length - 50} more byte${bytes.length > 51 ? "s" : ""}` : "";
    return { ...plain, open: `${prefix(name, tag, "ArrayBuffer")}{`, parts: () => [`[Uint8Contents]: <${shown}${rest}>`, `byteLength: ${ctx.style(String(bytes.length), "number")}`] };
  }
  if (typeof value === "function") return { ...plain, base: ctx.style(functionText(value, name, tag), "special"), keys: plain.keys.filter((key) => !(ctx.showHidden && ["prototype"].includes(key))) };
  if (types.isRegExp(value)) return { ...plain, base: ctx.style(RegExp.prototype.toString.call(value), "regexp"), keys: plain.keys.filter((key) => key !== "lastIndex") };
  if (types.isDate(value)) return { ...plain, base: ctx.style(Number.isNaN(value.getTime()) ? "Invalid Date" : Date.prototype.toISOString.call(value), "date") };
  if (value instanceof Error) return { ...plain, base: errorText(value, ctx, plain.keys) };
  if (types.isPromise(value)) return { ...plain, open: `${prefix(name, tag, "Promise")}{`, parts: () => [ctx.style("<pending>", "special")] };
  if (types.isWeakSet(value) || types.isWeakMap(value)) return { ...plain, open: `${prefix(name, tag, "WeakSet")}{`, parts: () => [ctx.style("<items unknown>", "special")] };
  if (types.isModuleNamespaceObject(value)) return { ...plain, open: "[Module: null prototype] {" };
  if (types.isBoxedPrimitive(value)) {
    const inner = value.valueOf();
    const kind = typeof inner;
    return { ...plain, base: ctx.style(`[${kind[0].toUpperCase()}${kind.slice(1)}: ${primitive(inner, { ...ctx, style: (text) => text })}]`, kind), keys: plain.keys.filter((key) => !isIndex(key) && key !== "length") };
  }
  if (types.isMapIterator(value) || types.isSetIterator(value)) return { ...plain, open: `[${tag}] {` };
  if (types.isGeneratorObject(value)) return { ...plain, open: "Object [Generator] {" };
  if (types.isArgumentsObject(value)) return { ...plain, open: "[Arguments] [", close: "]", parts: () => list(value, ctx), keys: plain.keys.filter((key) => !isIndex(key)), kind: 1 };
  const bare = name === "Object" && tag === "";
  return { ...plain, open: bare ? "{" : `${prefix(name, tag, "Object")}{` };
};

const nested = (value, ctx) => {
  ctx.indent += 2;
  const text = format(value, ctx);
  ctx.indent -= 2;
  return text;
};

const visible = (text) => text.replace(/\u001b\[\d+m/g, "");

// Many short items stand in columns.
const columns = (ctx, parts, value) => {
  let total = 0;
  let longest = 0;
  let count = parts.length;
  if (value !== undefined && ctx.maxArrayLength < value.length) count -= 1;
  const lengths = parts.slice(0, count).map((part) => visible(part).length + 2);
  for (const length of lengths) {
    total += length;
    longest = Math.max(longest, length);
  }
  const width = longest;
  if (width * 3 + ctx.indent >= ctx.breakLength || !(total / width > 5 || longest <= 8)) return parts;
  const wide = Math.max(width - 3 - Math.sqrt(width - total / parts.length), 1);
  const across = Math.min(Math.round(Math.sqrt(2.5 * wide * count) / wide), Math.floor((ctx.breakLength - ctx.indent) / width), ctx.compact * 4, 15);
  if (across <= 1) return parts;
  const widths = [];
  for (let column = 0; column < across; column += 1) {
    let most = 0;
    for (let at = column; at < count; at += across) most = Math.max(most, lengths[at]);
    widths.push(most);
  }
  const isNumbers = value !== undefined && Array.prototype.every.call(value, (one) => typeof one === "number" || typeof one === "bigint");
  const lines = [];
  for (let at = 0; at < count; at += across) {
    const end = Math.min(at + across, count);
    let line = "";
    for (let own = at; own < end; own += 1) {
      const last = own === end - 1;
      const cell = last ? parts[own] : `${parts[own]}, `;
      const gap = " ".repeat(Math.max(0, widths[own - at] - (last ? 2 : 0) - visible(cell).length));
      line += isNumbers ? gap + cell : last ? cell : cell + gap;
    }
    lines.push(line);
  }
  if (count < parts.length) lines.push(parts[count]);
  return lines;
};

const assemble = (ctx, shape, parts, value) => {
  const entries = parts.length;
  let output = parts;
  if (shape.kind === 1 && entries > 6 && ctx.compact >= 1) output = columns(ctx, parts, value);
  const head = shape.base === "" ? "" : `${shape.base} `;
  if (ctx.last - ctx.currentDepth < ctx.compact && entries === output.length) {
    // Ten are for the key that may stand before it.
    const start = output.length + ctx.indent + shape.open.length + shape.base.length + 10;
    const length = output.reduce((sum, part) => sum + visible(part).length, output.length + start);
    const joined = output.join(", ");
    const fits = length <= ctx.breakLength && (shape.base === "" || !shape.base.includes("\n"));
    if (fits && !joined.includes("\n")) return `${head}${shape.open} ${joined} ${shape.close}`;
  }
  const indent = `\n${" ".repeat(ctx.indent)}`;
  return `${head}${shape.open}${indent}  ${output.join(`,${indent}  `)}${indent}${shape.close}`;
};

const format = (value, ctx) => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return primitive(value, ctx);
  if (ctx.customInspect) {
    let own;
    try { own = value[custom]; } catch { own = undefined; }
    if (typeof own === "function" && own !== inspect && !(value.constructor && value.constructor.prototype === value)) {
      const depth = ctx.depth === null ? null : ctx.depth - ctx.currentDepth;
      const text = own.call(value, depth, { ...ctx.options, depth, stylize: ctx.style }, inspect);
      if (text !== value) return typeof text === "object" && text !== null ? format(text, ctx) : String(text).replace(/\n/g, `\n${" ".repeat(ctx.indent)}`);
    }
  }
  if (ctx.seen.includes(value)) {
    if (!ctx.circular.has(value)) ctx.circular.set(value, ctx.circular.size + 1);
    return ctx.style(`[Circular *${ctx.circular.get(value)}]`, "special");
  }
  const name = nameOf(value);
  let tag = "";
  try {
    const own = value[Symbol.toStringTag];
    if (typeof own === "string" && own !== "" && own !== name) tag = own;
  } catch { tag = ""; }
  if (ctx.depth !== null && ctx.currentDepth > ctx.depth) {
    const shown = prefix(name, tag, "Object").slice(0, -1);
    return ctx.style(Array.isArray(value) ? "[Array]" : `[${shown}]`, "special");
  }
  const shape = anatomy(value, ctx, name, tag);
  ctx.seen.push(value);
  // The level of what was shown last: what is in one line has few levels inside.
  ctx.last = ctx.currentDepth;
  ctx.currentDepth += 1;
  let parts;
  try {
    parts = [...shape.parts(), ...shape.keys.map((key) => property(value, key, ctx, 0))];
  } finally {
    ctx.seen.pop();
    ctx.currentDepth -= 1;
  }
  let open = shape.open;
  let base = shape.base;
  if (ctx.circular.has(value)) {
    const mark = ctx.style(`<ref *${ctx.circular.get(value)}>`, "special");
    if (base === "") open = `${mark} ${open}`;
    else base = `${mark} ${base}`;
  }
  if (parts.length === 0) return base !== "" ? base : `${open}${shape.close}`;
  return assemble(ctx, { ...shape, open, base }, parts, shape.kind === 1 ? value : undefined);
};

const inspect = (value, options = {}, depth = undefined, inColor = undefined) => {
  const chosen = typeof options === "boolean" ? { showHidden: options, depth, colors: inColor } : options ?? {};
  const settings = { ...defaults, ...inspect.defaultOptions };
  for (const [key, own] of Object.entries(chosen)) if (own !== undefined) settings[key] = own;
  if (settings.maxArrayLength === null) settings.maxArrayLength = Infinity;
  if (settings.maxStringLength === null) settings.maxStringLength = Infinity;
  if (settings.depth === Infinity) settings.depth = null;
  if (settings.compact === false) settings.compact = 0;
  const paint = (text, style) => {
    const [open, close] = colors[styles[style]] ?? [];
    return open === undefined ? text : `\u001b[${open}m${text}\u001b[${close}m`;
  };
  return format(value, {
    ...settings, options: settings, seen: [], circular: new Map(), indent: 0, currentDepth: 0, last: 0,
    style: settings.colors ? paint : (text) => text,
  });
};

Object.assign(inspect, { custom, colors, styles, defaultOptions: { ...defaults } });
module.exports = { inspect, colors };
