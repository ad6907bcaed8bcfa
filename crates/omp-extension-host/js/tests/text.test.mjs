import assert from "node:assert/strict";
import test from "node:test";
import { stripTerminalSequences } from "omp:tui/ansi";
import { compositeTuiLine, Ellipsis, getOsc8LinkAtColumn, sliceByColumn, truncateToWidth } from "omp:tui/slice";
import { visibleWidth } from "omp:tui/width";
import { wrapTextWithAnsi } from "omp:tui/wrap";
import { originalTui, why } from "./cache.mjs";
import { cells, plain } from "./cells.mjs";

const original = await originalTui();

const PIECES = [
  "hello", "a", "foo", "world", "-", "日本", "語", " ", "  ", " ", "\x1b[31m", "\x1b[0m", "\x1b[1m", "\x1b[4m", "\x1b[24m", "\x1b[41m", "\x1b[49m",
  "é", "👍", "\x1b]8;;http://x\x07", "\x1b]8;;\x07", "longwordthatbreaks", "(x)", "…", "\n", ".", "한글", "\x1b[38;2;1;2;3m", "👩‍👩‍👧", "e\u0301",
];

/** The same texts on every run. */
function* texts(count, seed) {
  let state = seed;
  const next = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
  for (let at = 0; at < count; at++) {
    const text = Array.from({ length: 1 + next(12) }, () => PIECES[next(PIECES.length)]).join("");
    yield { text, width: 2 + next(24), start: next(8) };
  }
}

const seen = (lines) => JSON.stringify(lines.map((line) => cells(line).filter(([character]) => character !== " ")).filter((line) => line.length > 0));
const words = (lines) => lines.map((line) => plain(line).trim()).filter((line) => line !== "");

test("widths are those of the original", { skip: why(original) }, () => {
  for (const { text } of texts(2_000, 1)) assert.equal(visibleWidth(text), original.visibleWidth(text), JSON.stringify(text));
});

test("wrapping shows what the original shows", { skip: why(original) }, () => {
  for (const { text, width } of texts(3_000, 2)) {
    const [theirs, ours] = [original.wrapTextWithAnsi(text, width), wrapTextWithAnsi(text, width)];
    assert.deepEqual(words(ours), words(theirs), JSON.stringify([text, width]));
    assert.equal(seen(ours), seen(theirs), JSON.stringify([text, width]));
    for (const line of ours) assert.ok(visibleWidth(line) <= width, JSON.stringify([text, width, line]));
  }
});

test("cutting shows what the original shows", { skip: why(original) }, () => {
  for (const { text, width, start } of texts(3_000, 3)) {
    const line = text.replaceAll("\n", "");
    for (const end of ["...", "", "…"]) {
      const [theirs, ours] = [original.truncateToWidth(line, width, end), truncateToWidth(line, width, end)];
      assert.deepEqual(cells(ours), cells(theirs), JSON.stringify([line, width, end]));
    }
    for (const strict of [false, true]) {
      const [theirs, ours] = [original.sliceByColumn(line, start, width, strict), sliceByColumn(line, start, width, strict)];
      assert.equal(seen([ours]), seen([theirs]), JSON.stringify([line, start, width, strict]));
    }
  }
});

test("a style goes on in the next line, and lines under the text end with it", () => {
  assert.deepEqual(wrapTextWithAnsi("\x1b[31mhello world\x1b[0m foo", 7), ["\x1b[31mhello", "\x1b[31mworld\x1b[0m", "foo"]);
  assert.deepEqual(wrapTextWithAnsi("\x1b[4mone two\x1b[24m", 4), ["\x1b[4mone\x1b[24m", "\x1b[4mtwo\x1b[24m"]);
  const link = wrapTextWithAnsi("\x1b]8;;http://x\x07one two\x1b]8;;\x07", 4);
  assert.ok(link.every((line) => line.startsWith("\x1b]8;;http://x\x07") && line.endsWith("\x1b]8;;\x07")), JSON.stringify(link));
});

test("a cut ends the style before what follows it", () => {
  assert.deepEqual(truncateToWidth("\x1b[31mhello world", 8, "…"), "\x1b[31mhello w\x1b[0m…");
  assert.equal(truncateToWidth("hello world", 8), "hello...");
  assert.equal(truncateToWidth("hello world", 8, Ellipsis.Unicode, true), "hello w…");
  assert.equal(truncateToWidth("日本語", 4, "…", true), "日… ");
  assert.equal(truncateToWidth("hello", 2), "..");
  assert.equal(truncateToWidth("hi", 4, "", true), "hi  ");
});

test("what an overlay leaves of a line stays in its columns", () => {
  assert.equal(compositeTuiLine("abcdefghij", "XY", 3, 4, 10), "abcXY  hij");
  // The overlay cuts two wide characters in two.
  assert.equal(stripTerminalSequences(compositeTuiLine("日本語日本", "X", 1, 2, 10)), " X  語日本");
  assert.equal(visibleWidth(compositeTuiLine("日本語日本", "X", 1, 2, 10)), 10);
});

test("links are found by column", () => {
  const line = "ab\x1b]8;;http://x\x07link\x1b]8;;\x07cd";
  assert.deepEqual([1, 2, 5, 6, 99].map((column) => getOsc8LinkAtColumn(line, column)), [undefined, "http://x", "http://x", undefined, undefined]);
});

test("hostile text ends", () => {
  const texts = ["\x1b".repeat(20_000), "\x1b[".repeat(10_000), "\x1b]8;;".repeat(5_000), "\x1b[31m".repeat(10_000), "x".repeat(50_000), "\t".repeat(20_000)];
  for (const text of texts) {
    assert.ok(Array.isArray(wrapTextWithAnsi(text, 10)));
    truncateToWidth(text, 10);
    sliceByColumn(text, 3, 5);
  }
});
