/** Builders of JSON Schema, with the marks by which code that was written for TypeBox recognises kinds. */

// TypeBox 0 marks schemas with symbols, TypeBox 1 with hidden properties. Ours have both.
export const Kind = Symbol.for("TypeBox.Kind");
export const OptionalKind = Symbol.for("TypeBox.Optional");
export const ReadonlyKind = Symbol.for("TypeBox.Readonly");
export const Hint = Symbol.for("TypeBox.Hint");
export const TransformKind = Symbol.for("TypeBox.Transform");
const HIDDEN = new Map([[Kind, "~kind"], [OptionalKind, "~optional"], [ReadonlyKind, "~readonly"], [TransformKind, "~codec"]]);

function mark(schema, symbol, value) {
  // Symbols survive `{ ...schema }`, and JSON does not see them.
  schema[symbol] = value;
  Object.defineProperty(schema, HIDDEN.get(symbol), { value, enumerable: false, configurable: true, writable: true });
  return schema;
}

function schema(kind, fields, options) {
  return mark({ ...fields, ...options }, Kind, kind);
}

export function kindOf(value) {
  return value?.[Kind] ?? value?.["~kind"];
}

export function isOptional(value) {
  return value?.[OptionalKind] === "Optional" || value?.["~optional"] === true || value?.["~optional"] === "Optional";
}

/** A copy with all marks. */
function copy(value, changes = {}) {
  const made = { ...value, ...changes };
  for (const [symbol] of HIDDEN) if (made[symbol] !== undefined) mark(made, symbol, made[symbol]);
  return made;
}

function without(value, symbol) {
  const made = { ...value };
  delete made[symbol];
  return copy(made);
}

function optional(value, isEnabled = true) {
  return isEnabled ? mark(copy(value), OptionalKind, "Optional") : without(value, OptionalKind);
}

function readonly(value, isEnabled = true) {
  return isEnabled ? mark(copy(value), ReadonlyKind, "Readonly") : without(value, ReadonlyKind);
}

function object(properties, options = undefined) {
  const required = Object.keys(properties).filter((key) => !isOptional(properties[key]));
  return schema("Object", { type: "object", ...(required.length > 0 ? { required } : {}), properties: { ...properties } }, options);
}

function literal(value, options = undefined) {
  return schema("Literal", { type: typeof value, const: value }, options);
}

function union(variants, options = undefined) {
  return schema("Union", { anyOf: [...variants] }, options);
}

function tuple(items, options = undefined) {
  const count = { additionalItems: false, items: [...items], minItems: items.length };
  return schema("Tuple", { type: "array", ...count }, options);
}

function enumeration(values, options = undefined) {
  // A TypeScript enum of numbers also maps each number back to its name.
  const named = (object) => Object.keys(object).filter((key) => Number.isNaN(Number(key))).map((key) => object[key]);
  const list = Array.isArray(values) ? values : named(values);
  return schema("Enum", { enum: [...new Set(list)] }, options);
}

/** The literal keys that a schema stands for. */
function keysOf(keys) {
  if (Array.isArray(keys)) return keys.map(String);
  if (keys && typeof keys === "object") {
    if (Array.isArray(keys.anyOf)) return keys.anyOf.flatMap(keysOf);
    if (Array.isArray(keys.enum)) return keys.enum.map(String);
    return keys.const === undefined ? [] : [String(keys.const)];
  }
  return [String(keys)];
}

function record(key, value, options = undefined) {
  const keys = keysOf(key);
  if (keys.length > 0) return object(Object.fromEntries(keys.map((name) => [name, value])), options);
  const isNumber = key.type === "number" || key.type === "integer";
  const pattern = key.pattern ?? (isNumber ? "^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$" : "^.*$");
  return schema("Record", { type: "object", patternProperties: { [pattern]: value } }, options);
}

function mapped(change) {
  return (value, options = undefined) => {
    if (Array.isArray(value?.allOf)) return copy(value, { allOf: value.allOf.map((part) => mapped(change)(part)), ...options });
    if (Array.isArray(value?.anyOf)) return copy(value, { anyOf: value.anyOf.map((part) => mapped(change)(part)), ...options });
    const { type, properties = {}, required, ...rest } = value;
    const changed = Object.fromEntries(Object.entries(properties).map(([key, property]) => [key, change(property)]));
    return object(changed, { ...rest, ...options });
  };
}

/** All properties of an object or of objects that are joined. */
function propertiesOf(value) {
  if (Array.isArray(value?.allOf)) return Object.assign({}, ...value.allOf.map(propertiesOf));
  return value?.properties ?? {};
}

function only(value, isWanted, options) {
  const { type, properties, required, allOf, ...rest } = value;
  return object(Object.fromEntries(Object.entries(propertiesOf(value)).filter(([key]) => isWanted(key))), { ...rest, ...options });
}

function pick(value, keys, options = undefined) {
  const wanted = keysOf(keys);
  return only(value, (key) => wanted.includes(key), options);
}

function omit(value, keys, options = undefined) {
  const unwanted = keysOf(keys);
  return only(value, (key) => !unwanted.includes(key), options);
}

function one(variants, options) {
  return variants.length === 1 ? copy(variants[0], options) : variants.length === 0 ? Type.Never(options) : union(variants, options);
}

function keyOf(value, options = undefined) {
  return one(Object.keys(propertiesOf(value)).map((key) => literal(key)), options);
}

function index(value, keys, options = undefined) {
  if (value.items && !Array.isArray(value.items)) return copy(value.items, options);
  const all = propertiesOf(value);
  return one(keysOf(keys).filter((key) => key in all).map((key) => without(all[key], OptionalKind)), options);
}

const variantsOf = (value) => value.anyOf ?? [value];
const isSame = (left, right) => JSON.stringify(left) === JSON.stringify(right);

function extract(value, other, options = undefined) {
  return one(variantsOf(value).filter((left) => variantsOf(other).some((right) => isSame(left, right))), options);
}

function exclude(value, other, options = undefined) {
  return one(variantsOf(value).filter((left) => !variantsOf(other).some((right) => isSame(left, right))), options);
}

function constant(value, options = undefined) {
  if (Array.isArray(value)) return tuple(value.map((item) => readonly(constant(item))), options);
  if (value === null) return Type.Null(options);
  if (value === undefined) return Type.Undefined(options);
  if (typeof value !== "object") return literal(value, options);
  return object(Object.fromEntries(Object.entries(value).map(([key, item]) => [key, readonly(constant(item))])), options);
}

/** `a${string}`, or its parts as schemas. */
function templateLiteral(template, options = undefined) {
  const escape = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  const named = { string: ".*", number: "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?", boolean: "(?:true|false)" };
  const part = (value) => {
    if (Array.isArray(value.anyOf)) return `(?:${value.anyOf.map(part).join("|")})`;
    if (value.const !== undefined) return escape(String(value.const));
    return value.pattern ? value.pattern.replace(/^\^|\$$/g, "") : (named[value.type] ?? ".*");
  };
  const text = (value) => value.split(/\$\{(\w+)\}/).map((piece, at) => (at % 2 ? (named[piece] ?? ".*") : escape(piece))).join("");
  const pattern = typeof template === "string" ? text(template) : template.map(part).join("");
  return schema("TemplateLiteral", { type: "string", pattern: `^${pattern}$` }, options);
}

let recursive = 0;

function recursion(make, options = undefined) {
  const $id = options?.$id ?? `T${recursive++}`;
  return copy(make(schema("This", { $ref: $id })), { ...options, $id });
}

function moduleOf(definitions) {
  return {
    Import: (name, options = undefined) => schema("Import", { $defs: { ...definitions }, $ref: name }, options),
    ...definitions,
  };
}

const plain = (kind, fields = {}) => (options = undefined) => schema(kind, fields, options);

export const Type = {
  Any: plain("Any"),
  Unknown: plain("Unknown"),
  Never: plain("Never", { not: {} }),
  Null: plain("Null", { type: "null" }),
  Undefined: plain("Undefined", { type: "undefined" }),
  Void: plain("Void", { type: "void" }),
  String: plain("String", { type: "string" }),
  Number: plain("Number", { type: "number" }),
  Integer: plain("Integer", { type: "integer" }),
  Boolean: plain("Boolean", { type: "boolean" }),
  BigInt: plain("BigInt", { type: "bigint" }),
  Symbol: plain("Symbol", { type: "symbol" }),
  Date: plain("Date", { type: "Date" }),
  Uint8Array: plain("Uint8Array", { type: "Uint8Array" }),
  RegExp: (pattern, options) => schema("RegExp", { type: "RegExp", source: pattern.source ?? pattern, flags: pattern.flags ?? "" }, options),
  Array: (items, options) => schema("Array", { type: "array", items }, options),
  Object: object,
  Literal: literal,
  Union: union,
  Intersect: (parts, options) => schema("Intersect", { allOf: [...parts] }, options),
  Tuple: tuple,
  Enum: enumeration,
  Record: record,
  Optional: optional,
  Readonly: readonly,
  ReadonlyOptional: (value) => readonly(optional(value)),
  Partial: mapped((property) => optional(property)),
  Required: mapped((property) => optional(property, false)),
  Pick: pick,
  Omit: omit,
  Composite: (parts, options) => object(Object.assign({}, ...parts.map(propertiesOf)), options),
  KeyOf: keyOf,
  Index: index,
  Extract: extract,
  Exclude: exclude,
  NonNullable: (value, options) => exclude(value, union([Type.Null(), Type.Undefined()]), options),
  Not: (value, options) => schema("Not", { not: value }, options),
  Const: constant,
  TemplateLiteral: templateLiteral,
  Unsafe: (fields, options) => schema("Unsafe", fields, options),
  Ref: (reference, options) => schema("Ref", { $ref: typeof reference === "string" ? reference : reference.$id }, options),
  This: (options) => schema("This", { $ref: "#" }, options),
  Recursive: recursion,
  Cyclic: (definitions, name, options) => schema("Cyclic", { $defs: definitions, $ref: name }, options),
  Module: moduleOf,
  Function: (parameters, returnType, options) => schema("Function", { type: "function", parameters, returnType }, options),
  Promise: (item, options) => schema("Promise", { type: "Promise", item }, options),
  Rest: (value) => (Array.isArray(value.items) ? value.items : [value]),
  Capitalize: (value) => changedText(value, (text) => text.charAt(0).toUpperCase() + text.slice(1)),
  Uncapitalize: (value) => changedText(value, (text) => text.charAt(0).toLowerCase() + text.slice(1)),
  Uppercase: (value) => changedText(value, (text) => text.toUpperCase()),
  Lowercase: (value) => changedText(value, (text) => text.toLowerCase()),
  Transform: (value) => ({ Decode: (Decode) => ({ Encode: (Encode) => mark(copy(value), TransformKind, { Decode, Encode }) }) }),
};

function changedText(value, change) {
  if (Array.isArray(value.anyOf)) return copy(value, { anyOf: value.anyOf.map((part) => changedText(part, change)) });
  return typeof value.const === "string" ? copy(value, { const: change(value.const) }) : value;
}

/** `IsString(schema)` and the others. */
export const KindGuard = {
  IsKind: (value) => kindOf(value) !== undefined,
  IsSchema: (value) => typeof value === "object" && value !== null,
  IsOptional: isOptional,
  IsReadonly: (value) => value?.[ReadonlyKind] === "Readonly",
};
for (const kind of Object.keys(Type)) KindGuard[`Is${kind}`] ??= (value) => kindOf(value) === kind;
for (const [name, guard] of Object.entries(KindGuard)) Type[name] ??= guard;
