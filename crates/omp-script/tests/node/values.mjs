import util, { inspect, format } from "node:util";
class Point { constructor() { this.x = 1; this.y = { z: [1, 2, { deep: { deeper: 1 } }] }; } get sum() { return 1; } static s = 1; }
class Named extends Map {}
const circle = { name: "c" }; circle.self = circle; circle.list = [circle];
const error = new TypeError("no"); error.code = "E_NO";
const samples = [
  1, -0, 1n, "it's", 'say "x"', "both ' and \"", "line\nbreak", true, null, undefined, Symbol("s"), [], {}, [1, , 3], [undefined, null], { a: 1, "b-c": 2, [Symbol("k")]: 3 },
  new Point(), new Map([["a", { b: 1 }], [{ k: 1 }, [2]]]), new Set([1, "x", [2]]), new Named([[1, 2]]), new Date(0), /re+/gi, () => {}, function named() {}, class A {}, class B extends Point {},
  async () => {}, function* gen() {}, Object.create(null), Object.assign(Object.create({ inherited: 1 }), { own: 1 }), new Uint8Array([1, 2, 3]), new ArrayBuffer(4), Buffer.from("hi"), new Error("boom").message,
  circle, [[[[[1]]]]], { a: { b: { c: { d: 1 } } } }, "x".repeat(30), Array.from({ length: 120 }, (_, i) => i), Array.from({ length: 20 }, (_, i) => "item" + i), { get a() { return 1; }, set b(v) {}, get c() { return 1; }, set c(v) {} },
  { long: "x".repeat(50), other: "y".repeat(40) }, { f() {}, g: () => {}, h: class {} }, [new Date(NaN), [], {}, [[]], [{}]], new Number(3), new String("s"), Object(Symbol("q")), Promise.resolve(1).then && 1, [1.5, -2.25, 1e21, NaN, Infinity],
  { a: [{ b: { c: {} } }] }, new (class extends Array {})(3), { undefined: undefined, null: null }, new WeakMap(), [..."ab"].entries().toString(), Object.assign(() => {}, { prop: 1 }), { "": 1, 1: 2, "a b": 3 }, "\x1b[31m", "\u{1f389}",
];
for (const one of samples) console.log(inspect(one));
console.log(inspect({ a: { b: { c: { d: 1 } } } }, { depth: 0 }), inspect({ a: { b: { c: { d: 1 } } } }, { depth: null }), inspect({ b: 1, a: 2 }, { sorted: true }), inspect("s", { colors: true }), inspect({ n: 1, s: "x", u: undefined, z: null, d: new Date(0) }, { colors: true }), inspect([1, 2, 3], { maxArrayLength: 1 }), inspect({ a: 1, b: [1, 2] }, { compact: false }));
console.log(inspect({ [inspect.custom](depth, options) { return `custom ${depth}`; } }), inspect({ inner: { [inspect.custom]: () => ({ shown: 1 }) } }), inspect(new Proxy({ a: 1 }, {})));
console.log(format("%s %d %i %f %j %o %O %% %x", "a", "4.5", "4.5", "4.5", { a: 1 }, [1], { b: { c: {} } }, "extra", { x: 1 }), format("a", "b", 3), format(1, 2), format("%s", null, undefined, Symbol("z"), 5n, -0), format("%s", { a: 1 }, [1], () => 1, class Q {}), format("100%", 1), format("%d", "x"));
console.log("plain", { a: 1 }, [1, "two"], "after"); console.log(); console.log("%c styled", "color: red"); console.info([["a", 1], ["b", 2]]);
console.log(util.isDeepStrictEqual({ a: [1, new Map([[1, 2]])] }, { a: [1, new Map([[1, 2]])] }), util.types.isDate(new Date()), util.types.isRegExp(/x/), util.types.isPromise(Promise.resolve()), util.types.isTypedArray(new Int8Array(1)), util.types.isUint8Array(Buffer.alloc(1)), util.types.isAsyncFunction(async () => {}));
console.log(util.stripVTControlCharacters("\x1b[31mred\x1b[0m \x1b]8;;x\x07link"), util.inspect(util.parseArgs({ args: ["-f", "--bar", "b", "pos", "--no=x"].slice(0, 4), options: { foo: { type: "boolean", short: "f" }, bar: { type: "string" } }, allowPositionals: true }).values));
const nested = util.promisify((value, done) => setTimeout(() => done(null, value * 2), 1)); console.log(await nested(4)); try { await util.promisify((done) => done(new Error("bad")))(); } catch (caught) { console.log(caught.message); }
console.log(structuredClone({ d: new Date(0), m: new Map([[1, { a: 1 }]]), s: new Set([1]), a: [1, , 2], r: /x/g, b: new Uint8Array([1, 2]) })); try { structuredClone(() => {}); } catch (caught) { console.log(caught.name); }
console.log(error.code, String(error), Object.prototype.toString.call(error), error instanceof Error, new Error("a", { cause: 1 }).cause, [3, 1, 2].toSorted());
