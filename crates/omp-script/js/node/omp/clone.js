// Copies of values, with their kinds and their circles.
const types = require("util/types");
const fail = (value) => { throw new DOMException(`${typeof value === "symbol" ? String(value) : typeof value === "function" ? String(value) : "#<Object>"} could not be cloned.`, "DataCloneError"); };
const clone = (value, seen) => {
  if (typeof value === "function" || typeof value === "symbol") fail(value);
  if (value === null || typeof value !== "object") return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (made) => { seen.set(value, made); return made; };
  if (types.isDate(value)) return keep(new Date(value.getTime()));
  if (types.isRegExp(value)) return keep(new RegExp(value.source, value.flags));
  if (types.isBoxedPrimitive(value)) return keep(Object(value.valueOf()));
  if (types.isArrayBuffer(value)) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) {
    const buffer = clone(value.buffer, seen);
    const Kind = types.isDataView(value) ? DataView : globalThis[Object.getPrototypeOf(Uint8Array.prototype)[Symbol.toStringTag] ?? Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag, value)];
    return keep(new Kind(buffer, value.byteOffset, value.length ?? value.byteLength));
  }
  if (types.isMap(value)) { const made = keep(new Map()); for (const [key, own] of [...value]) made.set(clone(key, seen), clone(own, seen)); return made; }
  if (types.isSet(value)) { const made = keep(new Set()); for (const own of [...value]) made.add(clone(own, seen)); return made; }
  if (value instanceof Error) {
    const Kind = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[value.name] ?? Error;
    const made = keep(new Kind(value.message));
    Object.defineProperty(made, "stack", { value: value.stack, writable: true, configurable: true, enumerable: false });
    if (Object.hasOwn(value, "cause")) Object.defineProperty(made, "cause", { value: clone(value.cause, seen), writable: true, configurable: true, enumerable: false });
    return made;
  }
  if (types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value)) fail(value);
  const made = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) made[key] = clone(value[key], seen);
  return made;
};
module.exports = { structuredClone: (value) => clone(value, new Map()) };
