import assert from "node:assert/strict";
import test from "node:test";
import TypeDefault, { Kind, OptionalKind, Type, TypeGuard } from "omp:lib/typebox";
import { Compile, TypeCompiler } from "omp:lib/typebox-compile";
import { Value } from "omp:lib/typebox-value";
import { cached, load, why } from "./cache.mjs";

const file = cached("node_modules/typebox/build/index.mjs");
const original = file && (await load(file));
const originalValue = file && (await load(cached("node_modules/typebox/build/value/index.mjs"))).Value;

const SCHEMAS = {
  union: (T) => T.Union([T.Literal("a"), T.Literal(1)]),
  enum: (T) => T.Enum({ A: "x", B: "y" }),
  list: (T) => T.Enum(["x", "y"]),
  record: (T) => T.Record(T.String(), T.Number()),
  "record of names": (T) => T.Record(T.Union([T.Literal("a"), T.Literal("b")]), T.Number()),
  tuple: (T) => T.Tuple([T.String(), T.Number()]),
  intersect: (T) => T.Intersect([T.Object({ a: T.String() }), T.Object({ b: T.Number() })]),
  any: (T) => T.Any(),
  never: (T) => T.Never(),
  null: (T) => T.Null(),
  partial: (T) => T.Partial(T.Object({ a: T.String() })),
  required: (T) => T.Required(T.Object({ a: T.Optional(T.String()) })),
  pick: (T) => T.Pick(T.Object({ a: T.String(), b: T.Null() }), ["a"]),
  omit: (T) => T.Omit(T.Object({ a: T.String(), b: T.Null() }), ["a"]),
  keys: (T) => T.KeyOf(T.Object({ a: T.String(), b: T.Null() })),
  integer: (T) => T.Integer({ minimum: 1, maximum: 5 }),
  array: (T) => T.Array(T.String({ minLength: 2, maxLength: 4, pattern: "^[a-z]+$" }), { minItems: 1, maxItems: 2, uniqueItems: true }),
  object: (T) => T.Object({ a: T.String(), o: T.Optional(T.Number({ default: 3 })) }, { additionalProperties: false, description: "d" }),
  template: (T) => T.TemplateLiteral("a${string}"),
  index: (T) => T.Index(T.Object({ a: T.String() }), ["a"]),
  extract: (T) => T.Extract(T.Union([T.Literal("a"), T.Literal("b")]), T.Literal("a")),
  exclude: (T) => T.Exclude(T.Union([T.Literal("a"), T.Literal("b")]), T.Literal("a")),
  unsafe: (T) => T.Unsafe({ type: "string", enum: ["a"] }),
  nested: (T) => T.Object({ l: T.Array(T.Object({ id: T.Integer(), tag: T.Optional(T.Union([T.String(), T.Null()])) })), m: T.Boolean() }),
  format: (T) => T.String({ format: "email" }),
  multiple: (T) => T.Number({ multipleOf: 0.5, exclusiveMinimum: 0 }),
};
const VALUES = [
  1, "a", "b", "x", "ab", "abcdef", "me@x.io", null, true, [], ["ab"], ["ab", "ab"], ["ab", "cd"], ["a", 1], {}, { a: "x" }, { a: 1 }, { b: 2 },
  { a: "x", b: 2 }, { a: "x", o: "y" }, { a: 1, b: 2 }, { l: [{ id: 1 }], m: true }, { l: [{ id: 1.5, tag: null }], m: true }, { l: "x" }, 2.5, 0, 6,
];

for (const [name, make] of Object.entries(SCHEMAS)) {
  test(`${name}: the schema and what fits it are those of TypeBox`, { skip: why(file) }, () => {
    const [theirs, ours] = [make(original.Type), make(Type)];
    assert.deepEqual(JSON.parse(JSON.stringify(ours)), JSON.parse(JSON.stringify(theirs)));
    for (const value of VALUES) {
      assert.equal(Value.Check(ours, value), originalValue.Check(theirs, value), JSON.stringify(value));
      assert.equal(Value.Errors(ours, value).length > 0, [...originalValue.Errors(theirs, value)].length > 0, JSON.stringify(value));
    }
  });
}

test("values are made to fit", { skip: why(file) }, () => {
  const schemas = [original.Type, Type].map((T) => T.Object({ a: T.String(), n: T.Optional(T.Number({ default: 3 })), l: T.Array(T.Integer()), b: T.Optional(T.Boolean()) }));
  const values = [{ a: "x", l: [] }, { a: 1, n: "4", l: ["3"], b: "true" }, { a: "x", l: [], z: 1 }, {}];
  for (const value of values) {
    for (const operation of ["Default", "Convert", "Clean"]) {
      const [theirs, ours] = [originalValue, Value].map((library, at) => library[operation](schemas[at], structuredClone(value)));
      assert.deepEqual(ours, theirs, `${operation} ${JSON.stringify(value)}`);
    }
  }
  assert.deepEqual(Value.Create(schemas[1]), originalValue.Create(schemas[0]));
});

test("kinds are marked as both major versions mark them", () => {
  const schema = Type.Object({ a: Type.Optional(Type.String()) });
  assert.deepEqual([schema[Kind], schema["~kind"], Object.keys(schema)], ["Object", "Object", ["type", "properties"]]);
  assert.equal(schema.properties.a[OptionalKind], "Optional");
  // A copy is still optional.
  assert.equal(Type.Object({ a: { ...schema.properties.a, description: "d" } }).required, undefined);
  assert.ok(TypeGuard.IsObject(schema) && TypeGuard.IsOptional(schema.properties.a) && !TypeGuard.IsString(schema));
  assert.equal(TypeDefault, Type);
  // `Optional` marks a copy: the schema itself may be used elsewhere.
  const text = Type.String();
  Type.Optional(text);
  assert.equal(text[OptionalKind], undefined);
});

test("errors say where", () => {
  const schema = Type.Object({ a: Type.String(), l: Type.Array(Type.Integer()) });
  const errors = Value.Errors(schema, { a: 1, l: [1, "x"] });
  assert.deepEqual(errors.map((error) => [error.instancePath, error.path, error.message]), [
    ["/a", "/a", "must be string"],
    ["/l/1", "/l/1", "must be integer"],
  ]);
  assert.equal(errors.First().path, "/a");
  assert.throws(() => Value.Parse(schema, {}), /must have required properties a, l/);
  assert.throws(() => Value.Assert(schema, { a: "x", l: [null] }), /\/l\/0: must be integer/);
});

test("compiled schemas answer the same", () => {
  for (const compiled of [Compile(Type.Integer()), TypeCompiler.Compile(Type.Integer())]) {
    assert.deepEqual([compiled.Check(1), compiled.Check(1.5), compiled.Parse("3"), compiled.Errors("x").length], [true, false, 3, 1]);
  }
});

test("schemas may refer to themselves", () => {
  const tree = Type.Recursive((This) => Type.Object({ name: Type.String(), nodes: Type.Array(This) }));
  assert.ok(Value.Check(tree, { name: "a", nodes: [{ name: "b", nodes: [] }] }));
  assert.ok(!Value.Check(tree, { name: "a", nodes: [{ name: 1, nodes: [] }] }));
  const endless = { $id: "E", anyOf: [{ $ref: "E" }] };
  assert.equal(Value.Check(endless, 1), false);
});

test("a transform decodes and encodes", () => {
  const schema = Type.Object({ at: Type.Transform(Type.String()).Decode((text) => text.length).Encode((length) => "x".repeat(length)) });
  assert.deepEqual(Value.Decode(schema, { at: "abc" }), { at: 3 });
  assert.deepEqual(Value.Encode(schema, { at: 2 }), { at: "xx" });
});

test("names of objects are names only", () => {
  assert.ok(!Value.Check(Type.Object({ constructor: Type.String() }), {}));
  assert.ok(Value.Check(Type.Record(Type.String(), Type.Number()), JSON.parse('{"__proto__": 1}')));
});
