import assert from "node:assert/strict";
import test from "node:test";
import * as keys from "omp:tui/keys";
import { originalTui, why } from "./cache.mjs";

const original = await originalTui();

const INPUTS = [
  "a", "A", "1", "!", " ", "\r", "\n", "\t", "\x1b", "\x7f", "\b", "\0", "\x01", "\x1c", "\x1d", "\x1e", "\x1f", "é", "日", "ab", "",
  "\x1b[Z", "\x1b[A", "\x1bOA", "\x1b[1;2A", "\x1b[1;5A", "\x1b[1;3D", "\x1b[1;9C", "\x1b[a", "\x1bOa", "\x1b[H", "\x1bOH", "\x1b[7~",
  "\x1b[8~", "\x1b[F", "\x1b[2~", "\x1b[3~", "\x1b[3;5~", "\x1b[3$", "\x1b[3^", "\x1b[5~", "\x1b[[5~", "\x1b[6~", "\x1bOP", "\x1b[11~",
  "\x1b[[A", "\x1b[15~", "\x1b[24~", "\x1b[1;5P", "\x1b[E", "\x1bOE", "\x1b\r", "\x1b\t", "\x1b ", "\x1ba", "\x1bA", "\x1b\x01", "\x1b\x03",
  "\x1bb", "\x1bf", "\x1bB", "\x1bF", "\x1bp", "\x1bn", "\x1b\x7f", "\x1b\b", "\x1b1", "\x1b.", "\x1bOM", "\x1b[13u", "\x1b[13;2u",
  "\x1b[97u", "\x1b[97;2u", "\x1b[97:65;2u", "\x1b[97;5u", "\x1b[97;6u", "\x1b[97;3u", "\x1b[97;9u", "\x1b[97;5:3u", "\x1b[97;5:2u",
  "\x1b[27u", "\x1b[9u", "\x1b[9;2u", "\x1b[32u", "\x1b[32;5u", "\x1b[127;3u", "\x1b[57399u", "\x1b[57400;5u", "\x1b[57414u", "\x1b[57417u",
  "\x1b[57423u", "\x1b[57427u", "\x1b[1089::99;5u", "\x1b[1089:1057:99;6u", "\x1b[1089u", "\x1b[1;1:3A", "\x1b[3;1:3~", "\x1b[27;5;97~",
  "\x1b[27;2;13~", "\x1b[27;6;97~", "\x1b[97;65u", "\x1b[97;69u", "\x1b[57358u", "\x1b[200~x\x1b[201~", "\x1b[47;5u", "\x1b[45;5u",
  "\x1b[95;5u", "\x1b[228;5u", "\x1b[33;2u", "\x1b[49:33;2u", "\x1b[91;5u", "\x1b\x1b[A", "\x1b[7$", "\x1b[8^", "\x1b[M", "\x1b[<0;1;1M",
];
const MODIFIERS = ["", "ctrl+", "shift+", "alt+", "super+", "ctrl+shift+", "shift+ctrl+", "ctrl+alt+", "shift+alt+"];
const KEYS = [
  ..."abcfhijmpnA1!-_[]\\/@é", "escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end",
  "pageUp", "pageDown", "up", "down", "left", "right", "f1", "f5", "f12",
];

// The original answers nothing here, or loses the key: ours is meant.
const MEANT = new Set(["false parseKey \\u001b[1~"]);

test("keys are read as by the original", { skip: why(original) }, () => {
  const different = [];
  for (const isKitty of [false, true]) {
    original.setKittyProtocolActive(isKitty);
    keys.setKittyProtocolActive(isKitty);
    for (const input of INPUTS) {
      const name = JSON.stringify(input).slice(1, -1);
      for (const ask of ["parseKey", "decodeKittyPrintable", "isKeyRelease", "isKeyRepeat"]) {
        const answers = [original[ask](input), keys[ask](input)];
        if (answers[0] !== answers[1]) different.push(`${isKitty} ${ask} ${name}: ${answers}`);
      }
      for (const id of MODIFIERS.flatMap((modifier) => KEYS.map((key) => modifier + key))) {
        const answers = [original.matchesKey(input, id), keys.matchesKey(input, id)];
        if (answers[0] !== answers[1]) different.push(`${isKitty} ${name} ${id}: ${answers}`);
      }
    }
  }
  keys.setKittyProtocolActive(false);
  // With the kitty protocol, a terminal sends neither of these: the original forgets what they were.
  const known = different.filter((line) => /^true \\u0000 ctrl\+space|^true (?:parseKey )?\\u001b\\u001b/.test(line));
  assert.deepEqual(different.filter((line) => !known.includes(line) && !MEANT.has(line)), []);
});

test("names of keys are those of the original", { skip: why(original) }, () => {
  const called = (value) => (typeof value === "function" ? value("x") : value);
  for (const [name, value] of Object.entries(original.Key)) assert.equal(called(keys.Key[name]), called(value), name);
});

test("one input can be several keys", () => {
  assert.ok(keys.matchesKey("\r", "enter") && keys.matchesKey("\r", "return") && keys.matchesKey("\r", "ctrl+m"));
  assert.ok(keys.matchesKey("\x1b[97;6u", "Ctrl+Shift+A") && keys.matchesKey("\x1b[97;6u", "shift+ctrl+a"));
  assert.ok(keys.matchesKey("\x1b[1~", "home") && !keys.matchesKey("\x1b[1~", "end"));
  assert.ok(keys.matchesKey("A", "shift+a") && !keys.matchesKey("a", "shift+a"));
});

test("a release is not a press", () => {
  assert.ok(keys.isKeyRelease("\x1b[97;1:3u") && !keys.isKeyRelease("\x1b[97;1:1u") && !keys.isKeyRelease("a"));
  assert.ok(!keys.isKeyRelease("\x1b[200~text with :3F\x1b[201~"));
});

test("hostile input is no key", () => {
  for (const input of ["\x1b[99999999999999u", "\x1b[1;99999999999A", "\x1b[-1u", "\x1b[;;;u", `\x1b[${"1;".repeat(5000)}u`, "\x1b[1114112u"]) {
    assert.equal(keys.parseKey(input), undefined, JSON.stringify(input.slice(0, 30)));
    keys.decodePrintableKey(input);
  }
});
