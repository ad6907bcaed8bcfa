/** Where words begin and end: for moving and deleting by word. */

const SPACE = /\s/;
const WORD = /[\p{L}\p{N}\p{M}_]/u;
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function kind(text, at, isAtom) {
  if (isAtom?.(at)) return "atom";
  const character = String.fromCodePoint(text.codePointAt(at));
  if (SPACE.test(character)) return "space";
  if (IDEOGRAPH.test(character)) return "ideograph";
  if (WORD.test(character)) return "word";
  // The apostrophe of "don't" and the point of "3.5" are inside a word.
  const isJoint = /['’.]/.test(character) && isInside(text, at, character);
  return isJoint ? "word" : "other";
}

function isInside(text, at, character) {
  const [before, after] = [text[at - 1] ?? "", text[at + 1] ?? ""];
  return character === "." ? /\d/.test(before) && /\d/.test(after) : /\p{L}/u.test(before) && /\p{L}/u.test(after);
}

/** The position after moving back over spaces and one run of the same kind. */
export function findWordBackward(text, cursor, segments) {
  const before = segments.filter((segment) => segment.index < cursor);
  let at = before.length;
  const kindAt = (index) => segmentKind(text, before[index]);
  while (at > 0 && kindAt(at - 1) === "space") at--;
  if (at === 0) return 0;
  const run = kindAt(--at);
  while (run !== "atom" && at > 0 && kindAt(at - 1) === run) at--;
  return before[at].index;
}

export function findWordForward(text, cursor, segments) {
  const after = segments.filter((segment) => segment.index >= cursor);
  let at = 0;
  const kindAt = (index) => segmentKind(text, after[index]);
  while (at < after.length && kindAt(at) === "space") at++;
  if (at === after.length) return text.length;
  const run = kindAt(at++);
  while (run !== "atom" && at < after.length && kindAt(at) === run) at++;
  return after[at]?.index ?? text.length;
}

function segmentKind(text, segment) {
  return segment.isAtom ? "atom" : kind(text, segment.index);
}
