/** Checks values against JSON Schema, as far as tool parameters use it. */

const MAX_ERRORS = 100;
const MAX_DEPTH = 200;

const FORMATS = {
  email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/,
  uri: /^[a-z][a-z\d+.-]*:\S+$/i,
  url: /^https?:\/\/\S+$/i,
  uuid: /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  time: /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$/i,
  "date-time": /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i,
  ipv4: /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
};

export const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const TYPES = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
  undefined: (value) => value === undefined,
  void: (value) => value === undefined,
  bigint: (value) => typeof value === "bigint",
  symbol: (value) => typeof value === "symbol",
  function: (value) => typeof value === "function",
  Date: (value) => value instanceof Date,
  Uint8Array: (value) => value instanceof Uint8Array,
  RegExp: (value) => value instanceof RegExp || typeof value === "string",
  Promise: (value) => value instanceof Promise,
};

export function isSame(left, right) {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  return names.length === others.length && names.every((name) => name in right && isSame(left[name], right[name]));
}

/** What is wrong with a value: `{ keyword, instancePath, schemaPath, params, message, path, value, schema }` each. */
export function schemaErrors(schema, value) {
  const check = new Check(schema);
  check.value(schema, value, "", "#");
  return check.errors;
}

export function definitions(schema, found = new Map()) {
  for (const [name, value] of Object.entries({ ...schema?.$defs, ...schema?.definitions })) found.set(name, value);
  if (schema?.$id) found.set(schema.$id, schema);
  return found;
}

class Check {
  errors = [];
  #depth = 0;

  constructor(root) {
    this.root = root;
    this.definitions = definitions(root);
  }

  report(keyword, context, params, message) {
    if (this.errors.length >= MAX_ERRORS) return;
    const { instance: instancePath, path, value, schema } = context;
    this.errors.push({ keyword, schemaPath: path, instancePath, params, message, path: instancePath, value, schema });
  }

  /** Whether a value fits, without keeping what is wrong. */
  fits(schema, value, context) {
    const kept = this.errors;
    this.errors = [];
    this.value(schema, value, context.instance, context.path);
    const found = this.errors.length === 0;
    this.errors = kept;
    return found;
  }

  value(schema, value, instance, path) {
    if (schema === true || schema === undefined) return;
    const context = { schema, value, instance, path };
    if (schema === false) return this.report("boolean", context, {}, "must not be present");
    if (++this.#depth > MAX_DEPTH) this.report("depth", context, {}, "must not be nested this deeply");
    else this.#keywords(schema, value, context);
    this.#depth--;
    return undefined;
  }

  #keywords(schema, value, context) {
    if (schema.$id) this.definitions.set(schema.$id, schema);
    for (const [name, definition] of Object.entries(schema.$defs ?? {})) this.definitions.set(name, definition);
    if (schema.$ref !== undefined) this.#reference(schema.$ref, value, context);
    if (schema.type !== undefined && !this.#type(schema.type, value, context)) return;
    if ("const" in schema && !isSame(schema.const, value)) {
      this.report("const", context, { allowedValue: schema.const }, "must be equal to constant");
    }
    if (Array.isArray(schema.enum) && !schema.enum.some((one) => isSame(one, value))) {
      this.report("enum", context, { allowedValues: schema.enum }, "must be equal to one of the allowed values");
    }
    this.#combinations(schema, value, context);
    if (typeof value === "string") this.#string(schema, value, context);
    else if (typeof value === "number" || typeof value === "bigint") this.#number(schema, value, context);
    else if (Array.isArray(value)) this.#array(schema, value, context);
    else if (isRecord(value)) this.#object(schema, value, context);
  }

  #reference(reference, value, { instance, path }) {
    const name = reference.replace(/^#\/(?:\$defs|definitions)\//, "");
    const target = reference === "#" ? this.root : (this.definitions.get(reference) ?? this.definitions.get(name));
    if (target) this.value(target, value, instance, `${path}/$ref`);
  }

  #type(type, value, context) {
    const types = Array.isArray(type) ? type : [type];
    const fits = types.some((one) => TYPES[one] === undefined || TYPES[one](value));
    if (!fits) this.report("type", context, { type }, `must be ${types.join(" or ")}`);
    return fits;
  }

  #combinations(schema, value, context) {
    const { instance, path } = context;
    schema.allOf?.forEach((part, at) => this.value(part, value, instance, `${path}/allOf/${at}`));
    if (schema.anyOf && !schema.anyOf.some((part) => this.fits(part, value, context))) {
      this.report("anyOf", context, {}, "must match a schema in anyOf");
    }
    if (schema.oneOf && schema.oneOf.filter((part) => this.fits(part, value, context)).length !== 1) {
      this.report("oneOf", context, {}, "must match exactly one schema in oneOf");
    }
    if (schema.not !== undefined && this.fits(schema.not, value, context)) this.report("not", context, {}, "must not be valid");
  }

  #limit(keyword, context, limit, isMet, message) {
    if (limit !== undefined && !isMet(limit)) this.report(keyword, context, { limit }, message(limit));
  }

  #string(schema, value, context) {
    const length = [...value].length;
    this.#limit("minLength", context, schema.minLength, (limit) => length >= limit, (limit) => `must not have fewer than ${limit} characters`);
    this.#limit("maxLength", context, schema.maxLength, (limit) => length <= limit, (limit) => `must not have more than ${limit} characters`);
    this.#limit("pattern", context, schema.pattern, (pattern) => matches(pattern, value), (pattern) => `must match pattern "${pattern}"`);
    const known = (format) => FORMATS[format] === undefined || FORMATS[format].test(value);
    this.#limit("format", context, schema.format, known, (format) => `must match format "${format}"`);
  }

  #number(schema, value, context) {
    this.#limit("minimum", context, schema.minimum, (limit) => value >= limit, (limit) => `must be >= ${limit}`);
    this.#limit("maximum", context, schema.maximum, (limit) => value <= limit, (limit) => `must be <= ${limit}`);
    this.#limit("exclusiveMinimum", context, schema.exclusiveMinimum, (limit) => value > limit, (limit) => `must be > ${limit}`);
    this.#limit("exclusiveMaximum", context, schema.exclusiveMaximum, (limit) => value < limit, (limit) => `must be < ${limit}`);
    const isMultiple = (step) => Math.abs(Number(value) / step - Math.round(Number(value) / step)) < 1e-9;
    this.#limit("multipleOf", context, schema.multipleOf, isMultiple, (step) => `must be a multiple of ${step}`);
  }

  #array(schema, value, context) {
    const { instance, path } = context;
    const { length } = value;
    this.#limit("minItems", context, schema.minItems, (limit) => length >= limit, (limit) => `must not have fewer than ${limit} items`);
    this.#limit("maxItems", context, schema.maxItems, (limit) => length <= limit, (limit) => `must not have more than ${limit} items`);
    if (schema.uniqueItems && value.some((item, at) => value.slice(0, at).some((other) => isSame(item, other)))) {
      this.report("uniqueItems", context, {}, "must not have duplicate items");
    }
    if (schema.contains !== undefined && !value.some((item) => this.fits(schema.contains, item, context))) {
      this.report("contains", context, {}, "must contain a valid item");
    }
    const first = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    if (rest === false && length > first.length) this.report("items", context, {}, `must not have more than ${first.length} items`);
    value.forEach((item, at) => {
      const isFirst = at < first.length;
      if (!isFirst && rest === false) return;
      this.value(isFirst ? first[at] : rest, item, `${instance}/${at}`, `${path}/items${isFirst ? `/${at}` : ""}`);
    });
  }

  #object(schema, value, context) {
    const { instance, path } = context;
    const names = Object.keys(value);
    const missing = (schema.required ?? []).filter((name) => !Object.hasOwn(value, name));
    if (missing.length > 0) {
      this.report("required", context, { requiredProperties: missing }, `must have required properties ${missing.join(", ")}`);
    }
    this.#limit("minProperties", context, schema.minProperties, (limit) => names.length >= limit, (limit) => `must not have fewer than ${limit} properties`);
    this.#limit("maxProperties", context, schema.maxProperties, (limit) => names.length <= limit, (limit) => `must not have more than ${limit} properties`);
    const extra = [];
    for (const name of names) {
      const at = `${instance}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (schema.propertyNames !== undefined) this.value(schema.propertyNames, name, at, `${path}/propertyNames`);
      const isOwn = Object.hasOwn(schema.properties ?? {}, name);
      const patterns = Object.entries(schema.patternProperties ?? {}).filter(([pattern]) => matches(pattern, name));
      const isAbsent = isOwn && value[name] === undefined && !schema.required?.includes(name);
      if (isOwn && !isAbsent) this.value(schema.properties[name], value[name], at, `${path}/properties/${name}`);
      for (const [pattern, inner] of patterns) this.value(inner, value[name], at, `${path}/patternProperties/${pattern}`);
      if (isOwn || patterns.length > 0) continue;
      if (schema.additionalProperties === false) extra.push(name);
      else this.value(schema.additionalProperties, value[name], at, `${path}/additionalProperties`);
    }
    if (extra.length > 0) {
      this.report("additionalProperties", context, { additionalProperties: extra }, "must not have additional properties");
    }
  }
}

function matches(pattern, text) {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}
