// Assertions.
const { inspect, types } = require("util");
class AssertionError extends Error {
  constructor({ message, actual, expected, operator } = {}) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    Object.assign(this, { name: "AssertionError", code: "ERR_ASSERTION", generatedMessage: message === undefined, actual, expected, operator });
  }
}
const fail = (details, message) => {
  if (message instanceof Error) throw message;
  throw new AssertionError({ ...details, message: message ?? details.message });
};
const titles = { strictEqual: "Expected values to be strictly equal:", deepStrictEqual: "Expected values to be strictly deep-equal:", deepEqual: "Expected values to be loosely deep-equal:" };
const differ = (operator, actual, expected, message) => fail({ actual, expected, operator, message: titles[operator] ? `${titles[operator]}\n\n${inspect(actual)} !== ${inspect(expected)}\n` : undefined }, message);

const same = (one, two, strict, seen = []) => {
  if (strict ? Object.is(one, two) : one == two || (Number.isNaN(one) && Number.isNaN(two))) return true;
  if (one === null || two === null || typeof one !== "object" || typeof two !== "object") return false;
  if (strict && Object.getPrototypeOf(one) !== Object.getPrototypeOf(two)) return false;
  if (Array.isArray(one) !== Array.isArray(two)) return false;
  if (seen.some(([left, right]) => left === one && right === two)) return true;
  const inner = [...seen, [one, two]];
  if (types.isDate(one) !== types.isDate(two) || (types.isDate(one) && one.getTime() !== two.getTime())) return false;
  if (types.isRegExp(one) !== types.isRegExp(two) || (types.isRegExp(one) && String(one) !== String(two))) return false;
  if (one instanceof Error && two instanceof Error && (one.message !== two.message || one.name !== two.name)) return false;
  if (types.isBoxedPrimitive(one) && types.isBoxedPrimitive(two) && !Object.is(one.valueOf(), two.valueOf())) return false;
  if (ArrayBuffer.isView(one) && ArrayBuffer.isView(two)) { if (one.byteLength !== two.byteLength) return false; if (one.length !== undefined) for (let at = 0; at < one.length; at += 1) if (!Object.is(one[at], two[at])) return false; return true; }
  if (types.isSet(one) && types.isSet(two)) return one.size === two.size && [...one].every((value) => two.has(value) || [...two].some((other) => same(value, other, strict, inner)));
  if (types.isMap(one) && types.isMap(two)) return one.size === two.size && [...one].every(([key, value]) => (two.has(key) ? same(value, two.get(key), strict, inner) : [...two].some(([other, own]) => same(key, other, strict, inner) && same(value, own, strict, inner))));
  const keys = (value) => [...Object.keys(value), ...(strict ? Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)) : [])];
  const [left, right] = [keys(one), keys(two)];
  return left.length === right.length && left.every((key) => Object.hasOwn(two, key) && same(one[key], two[key], strict, inner));
};
const matches = (error, expected, message) => {
  if (expected === undefined) return;
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) return;
    if (Object.prototype.isPrototypeOf.call(Error, expected)) throw error;
    if (expected.call({}, error) === true) return;
    fail({ actual: error, expected, operator: "throws", message: "The validation function is expected to return \"true\"." }, message);
  }
  if (types.isRegExp(expected)) { if (!expected.test(String(error))) fail({ actual: error, expected, operator: "throws", message: `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(error))}\n` }, message); return; }
  for (const [key, value] of Object.entries(expected instanceof Error ? { ...expected, name: expected.name, message: expected.message } : expected)) {
    if (!(types.isRegExp(value) && typeof error[key] === "string" ? value.test(error[key]) : same(error[key], value, true))) differ("throws", error[key], value, message);
  }
};
const assert = (value, message) => { if (!value) fail({ actual: value, expected: true, operator: "==", message: "The expression evaluated to a falsy value" }, message); };
Object.assign(assert, {
  AssertionError, ok: assert,
  fail: (message = "Failed") => fail({ operator: "fail" }, message),
  equal: (a, b, m) => { if (!(a == b || (Number.isNaN(a) && Number.isNaN(b)))) differ("==", a, b, m); }, notEqual: (a, b, m) => { if (a == b) differ("!=", a, b, m); },
  strictEqual: (a, b, m) => { if (!Object.is(a, b)) differ("strictEqual", a, b, m); }, notStrictEqual: (a, b, m) => { if (Object.is(a, b)) fail({ actual: a, expected: b, operator: "notStrictEqual", message: `Expected "actual" to be strictly unequal to: ${inspect(b)}` }, m); },
  deepEqual: (a, b, m) => { if (!same(a, b, false)) differ("deepEqual", a, b, m); }, notDeepEqual: (a, b, m) => { if (same(a, b, false)) differ("notDeepEqual", a, b, m); },
  deepStrictEqual: (a, b, m) => { if (!same(a, b, true)) differ("deepStrictEqual", a, b, m); }, notDeepStrictEqual: (a, b, m) => { if (same(a, b, true)) differ("notDeepStrictEqual", a, b, m); },
  throws: (work, expected, message) => {
    const [wanted, words] = typeof expected === "string" ? [undefined, expected] : [expected, message];
    let error;
    try { work(); } catch (caught) { error = caught; matches(error, wanted, words); return; }
    fail({ operator: "throws", message: "Missing expected exception." }, words);
  },
  doesNotThrow: (work, ...rest) => { try { work(); } catch (error) { fail({ actual: error, operator: "doesNotThrow", message: `Got unwanted exception.\nActual message: "${error?.message}"` }, rest.find((one) => typeof one === "string")); } },
  rejects: async (work, expected, message) => {
    try { await (typeof work === "function" ? work() : work); } catch (error) { matches(error, typeof expected === "string" ? undefined : expected, message); return; }
    fail({ operator: "rejects", message: "Missing expected rejection." }, typeof expected === "string" ? expected : message);
  },
  doesNotReject: async (work) => { try { await (typeof work === "function" ? work() : work); } catch (error) { fail({ actual: error, operator: "doesNotReject", message: `Got unwanted rejection.\nActual message: "${error?.message}"` }); } },
  match: (text, pattern, m) => { if (!pattern.test(text)) fail({ actual: text, expected: pattern, operator: "match", message: `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n` }, m); },
  doesNotMatch: (text, pattern, m) => { if (pattern.test(text)) fail({ actual: text, expected: pattern, operator: "doesNotMatch" }, m); },
  ifError: (value) => { if (value !== null && value !== undefined) throw value instanceof Error ? value : new AssertionError({ actual: value, expected: null, operator: "ifError" }); },
  isDeepStrictEqual: (a, b) => same(a, b, true),
});
const strict = (...args) => assert(...args);
assert.strict = Object.assign(strict, assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
assert.strict.strict = assert.strict;
module.exports = assert;
