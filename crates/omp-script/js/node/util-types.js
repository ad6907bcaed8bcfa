// What something is, whatever it says itself.
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);
const brand = (get) => (value) => {
  try {
    get(value);
    return true;
  } catch {
    return false;
  }
};
const getter = (prototype, key) => Object.getOwnPropertyDescriptor(prototype, key).get;
const kind = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const size = { map: getter(Map.prototype, "size"), set: getter(Set.prototype, "size"), buffer: getter(ArrayBuffer.prototype, "byteLength") };
const isObject = (value) => value !== null && typeof value === "object";
const types = {
  isMap: brand((value) => size.map.call(value)), isSet: brand((value) => size.set.call(value)),
  isWeakMap: brand((value) => WeakMap.prototype.has.call(value, {})), isWeakSet: brand((value) => WeakSet.prototype.has.call(value, {})),
  isArrayBuffer: brand((value) => size.buffer.call(value)), isDate: brand((value) => Date.prototype.getTime.call(value)),
  isRegExp: (value) => isObject(value) && value instanceof RegExp, isPromise: (value) => value instanceof Promise, isProxy: () => false,
  isNativeError: (value) => value instanceof Error, isTypedArray: (value) => kind.call(value) !== undefined, isArrayBufferView: ArrayBuffer.isView,
  isDataView: (value) => ArrayBuffer.isView(value) && kind.call(value) === undefined,
  isSharedArrayBuffer: (value) => typeof SharedArrayBuffer === "function" && value instanceof SharedArrayBuffer,
  isAsyncFunction: (value) => typeof value === "function" && ["AsyncFunction", "AsyncGeneratorFunction"].includes(tag(value)),
  isGeneratorFunction: (value) => typeof value === "function" && ["GeneratorFunction", "AsyncGeneratorFunction"].includes(tag(value)),
  isGeneratorObject: (value) => isObject(value) && tag(value) === "Generator", isMapIterator: (value) => tag(value) === "Map Iterator", isSetIterator: (value) => tag(value) === "Set Iterator",
  isNumberObject: (value) => isObject(value) && value instanceof Number, isStringObject: (value) => isObject(value) && value instanceof String,
  isBooleanObject: (value) => isObject(value) && value instanceof Boolean, isBigIntObject: (value) => isObject(value) && value instanceof BigInt,
  isSymbolObject: (value) => isObject(value) && value instanceof Symbol, isModuleNamespaceObject: (value) => isObject(value) && tag(value) === "Module" && Object.isSealed(value),
  isArgumentsObject: (value) => isObject(value) && tag(value) === "Arguments", isExternal: () => false,
};
types.isAnyArrayBuffer = (value) => types.isArrayBuffer(value) || types.isSharedArrayBuffer(value);
types.isBoxedPrimitive = (value) => ["Number", "String", "Boolean", "BigInt", "Symbol"].some((name) => types[`is${name}Object`](value));
for (const name of ["Uint8Array", "Uint8ClampedArray", "Uint16Array", "Uint32Array", "Int8Array", "Int16Array", "Int32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array"]) {
  types[`is${name}`] = (value) => kind.call(value) === name;
}
module.exports = types;
