/** `typebox/value`: values against schemas, and values made to fit them. */

import { definitions, isRecord, isSame, schemaErrors } from "omp:lib/schema-check";
import { TransformKind } from "omp:lib/typebox-type";

export class ParseError extends Error {
  constructor(message, errors, value) {
    super(message);
    this.name = "ParseError";
    this.errors = errors;
    this.error = errors[0];
    this.value = value;
  }
}

// A table of definitions may stand between the schema and the value.
function args(list) {
  return list.length > 2 ? { schema: { $defs: list[0], ...list[1] }, value: list[2] } : { schema: list[0], value: list[1] };
}

/** Follows references while a value is changed. */
function walker(change) {
  return (...list) => {
    const { schema, value } = args(list);
    const known = definitions(schema);
    const walk = (part, inner, depth = 0) => {
      if (!isRecord(part) || depth > 100) return inner;
      if (part.$id) known.set(part.$id, part);
      for (const [name, definition] of Object.entries(part.$defs ?? {})) known.set(name, definition);
      const target = part.$ref === undefined ? part : known.get(part.$ref.replace(/^#\/(?:\$defs|definitions)\//, ""));
      return target ? change(target, inner, (next, item) => walk(next, item, depth + 1)) : inner;
    };
    return walk(schema, value);
  };
}

/** The part of a union that a value is meant for: one that fits, else one whose constants do. */
function variant(schema, value) {
  const parts = schema.anyOf ?? schema.oneOf;
  const fitting = parts.find((part) => schemaErrors(part, value).length === 0);
  const hasConstants = (part) => Object.entries(part.properties ?? {}).every(([name, property]) => property.const === undefined || isSame(property.const, value?.[name]));
  return fitting ?? (isRecord(value) ? parts.find((part) => part.properties && hasConstants(part)) : undefined);
}

function inside(schema, value, walk) {
  if (schema.anyOf ?? schema.oneOf) {
    const found = variant(schema, value);
    return found ? walk(found, value) : value;
  }
  if (schema.allOf) return schema.allOf.reduce((result, part) => walk(part, result), value);
  if (Array.isArray(value) && schema.items) {
    return value.map((item, at) => walk(Array.isArray(schema.items) ? schema.items[at] : schema.items, item));
  }
  if (!isRecord(value)) return value;
  const changed = { ...value };
  for (const name of Object.keys(value)) {
    const pattern = Object.keys(schema.patternProperties ?? {}).find((pattern) => new RegExp(pattern).test(name));
    const extra = isRecord(schema.additionalProperties) ? schema.additionalProperties : undefined;
    const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties[name] : (schema.patternProperties?.[pattern] ?? extra);
    if (property !== undefined) changed[name] = walk(property, value[name]);
  }
  return changed;
}

const Default = walker((schema, value, walk) => {
  const given = value === undefined && schema.default !== undefined ? Clone(valueOf(schema.default)) : value;
  if (!isRecord(given) || !schema.properties) return inside(schema, given, walk);
  const filled = { ...given };
  for (const [name, property] of Object.entries(schema.properties)) {
    const made = walk(property, filled[name]);
    if (made !== undefined) filled[name] = made;
  }
  return filled;
});

function valueOf(made) {
  return typeof made === "function" ? made() : made;
}

const TEXTS = { true: true, false: false, 1: true, 0: false };

const Convert = walker((schema, value, walk) => {
  const { type } = schema;
  if (schema.const !== undefined && String(schema.const) === String(value)) return schema.const;
  if (type === "string") return ["number", "boolean", "bigint"].includes(typeof value) ? String(value) : value;
  if (type === "number" || type === "integer") return converted(value, type);
  if (type === "boolean") return typeof value === "string" || typeof value === "number" ? (TEXTS[String(value).toLowerCase()] ?? value) : value;
  if (type === "null") return value === "null" ? null : value;
  if (type === "array" && value !== undefined && !Array.isArray(value) && !Array.isArray(schema.items)) return inside(schema, [value], walk);
  return inside(schema, value, walk);
});

function converted(value, type) {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : typeof value === "boolean" ? Number(value) : value;
  if (typeof number !== "number" || Number.isNaN(number)) return value;
  return type === "integer" ? Math.trunc(number) : number;
}

const Clean = walker((schema, value, walk) => {
  if (!isRecord(value) || schema.anyOf || schema.oneOf) return inside(schema, value, walk);
  const parts = schema.allOf ?? [schema];
  const isOpen = parts.some((part) => isRecord(part.additionalProperties) || (!part.properties && !part.patternProperties && !part.allOf));
  const known = parts.flatMap((part) => Object.keys(part.properties ?? {}));
  const patterns = parts.flatMap((part) => Object.keys(part.patternProperties ?? {})).map((pattern) => new RegExp(pattern));
  const isKnown = (name) => known.includes(name) || patterns.some((pattern) => pattern.test(name));
  const kept = isOpen ? value : Object.fromEntries(Object.entries(value).filter(([name]) => isKnown(name)));
  return schema.allOf ? kept : inside(schema, kept, walk);
});

const EMPTY = { string: "", number: 0, integer: 0, boolean: false, null: null };

const Create = walker((schema, _, walk) => {
  if (schema.default !== undefined) return Clone(valueOf(schema.default));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const parts = schema.anyOf ?? schema.oneOf;
  if (parts) return walk(parts[0]);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => walk(part)));
  if (schema.type === "number" || schema.type === "integer") return schema.minimum ?? 0;
  if (schema.type === "array") {
    const first = Array.isArray(schema.items) ? schema.items : Array(schema.minItems ?? 0).fill(schema.items);
    return first.map((item) => walk(item));
  }
  if (schema.type !== "object") return EMPTY[schema.type];
  return Object.fromEntries((schema.required ?? []).map((name) => [name, walk(schema.properties[name])]));
});

function Clone(value) {
  if (Array.isArray(value)) return value.map(Clone);
  if (!isRecord(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, Clone(item)]));
}

function Errors(...list) {
  const { schema, value } = args(list);
  const errors = schemaErrors(schema, value);
  // TypeBox 0 hands out an iterator with the first error.
  return Object.defineProperty(errors, "First", { value: () => errors[0], enumerable: false });
}

function Check(...list) {
  return Errors(...list).length === 0;
}

function Assert(...list) {
  const errors = Errors(...list);
  if (errors.length === 0) return;
  const [{ instancePath, message }] = errors;
  throw new ParseError(instancePath ? `${instancePath}: ${message}` : message, errors, args(list).value);
}

function Parse(...list) {
  const { schema, value } = args(list);
  if (Check(schema, value) && !hasCodec(schema)) return value;
  const made = Clean(schema, Convert(schema, Default(schema, Clone(value))));
  Assert(schema, made);
  return decoded(schema, made);
}

function hasCodec(schema) {
  return isRecord(schema) && (schema[TransformKind] !== undefined || Object.values(schema).some((part) => (Array.isArray(part) ? part.some(hasCodec) : hasCodec(part))));
}

const decoded = walker((schema, value, walk) => {
  const result = value === undefined ? value : inside(schema, value, walk);
  return schema[TransformKind] && value !== undefined ? schema[TransformKind].Decode(result) : result;
});

const encoded = walker((schema, value, walk) => {
  const result = schema[TransformKind] && value !== undefined ? schema[TransformKind].Encode(value) : value;
  return inside(schema, result, walk);
});

function Decode(...list) {
  const { schema, value } = args(list);
  Assert(schema, value);
  return decoded(schema, value);
}

function Encode(...list) {
  const { schema, value } = args(list);
  const result = encoded(schema, value);
  Assert(schema, result);
  return result;
}

export const Value = { Assert, Check, Clean, Clone, Convert, Create, Decode, Default, Encode, Equal: isSame, Errors, HasCodec: hasCodec, Parse };
export default Value;
export { Assert, Check, Clean, Clone, Convert, Create, Decode, Default, Encode, isSame as Equal, Errors, Parse };
