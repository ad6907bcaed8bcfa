/** Tables of keys: their names, and the sequences that terminals send for them. */

const SPECIAL = [
  "escape", "esc", "enter", "return", "tab", "space", "backspace", "delete", "insert", "clear", "home", "end", "pageUp",
  "pageDown", "up", "down", "left", "right", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
];

const SYMBOL_NAMES = {
  backtick: "`", hyphen: "-", equals: "=", leftbracket: "[", rightbracket: "]", backslash: "\\", semicolon: ";", quote: "'",
  comma: ",", period: ".", slash: "/", exclamation: "!", at: "@", hash: "#", dollar: "$", percent: "%", caret: "^",
  ampersand: "&", asterisk: "*", leftparen: "(", rightparen: ")", underscore: "_", plus: "+", pipe: "|", tilde: "~",
  leftbrace: "{", rightbrace: "}", colon: ":", lessthan: "<", greaterthan: ">", question: "?",
};

export const SYMBOLS = Object.values(SYMBOL_NAMES);
export const NAMES = { ...Object.fromEntries(SPECIAL.map((name) => [name, name])), ...SYMBOL_NAMES };

/** Other spellings of a name, in lower case. */
export const ALIASES = { esc: "escape", return: "enter", pageup: "pageUp", pagedown: "pageDown", del: "delete", ins: "insert" };

/** Bytes with more than one meaning. */
export const CONTROLS = {
  "\r": ["enter", "ctrl+m"],
  "\n": ["enter", "ctrl+j"],
  "\t": ["tab", "ctrl+i"],
  "\x1b": ["escape", "ctrl+["],
  "\x7f": ["backspace"],
  "\b": ["backspace", "ctrl+h"],
  "\0": ["ctrl+space"],
  "\x1c": ["ctrl+\\"],
  "\x1d": ["ctrl+]"],
  "\x1f": ["ctrl+-", "ctrl+_"],
  " ": ["space"],
};

/** `CSI 1 ; modifiers FINAL` */
export const BY_FINAL = {
  A: "up", B: "down", C: "right", D: "left", E: "clear", F: "end", H: "home", P: "f1", Q: "f2", R: "f3", S: "f4",
};

/** `CSI NUMBER ; modifiers ~` */
export const BY_NUMBER = {
  1: "home", 2: "insert", 3: "delete", 4: "end", 5: "pageUp", 6: "pageDown", 7: "home", 8: "end", 11: "f1", 12: "f2", 13: "f3",
  14: "f4", 15: "f5", 17: "f6", 18: "f7", 19: "f8", 20: "f9", 21: "f10", 23: "f11", 24: "f12",
};

/** `CSI CODE u`, where the code is not a character. */
export const KITTY_KEYS = {
  9: "tab", 13: "enter", 27: "escape", 32: "space", 127: "backspace", 57409: ".", 57410: "/", 57411: "*", 57412: "-",
  57413: "+", 57414: "enter", 57415: "=", 57416: ",", 57417: "left", 57418: "right", 57419: "up", 57420: "down",
  57421: "pageUp", 57422: "pageDown", 57423: "home", 57424: "end", 57425: "insert", 57426: "delete",
};
for (let digit = 0; digit <= 9; digit++) KITTY_KEYS[57399 + digit] = String(digit);

/** Whole sequences: the application keypad, rxvt and the Linux console. */
export const LEGACY = { "\x1b[Z": "shift+tab", "\x1bOM": "enter" };
for (const [final, key] of Object.entries(BY_FINAL)) LEGACY[`\x1bO${final}`] = key;
for (const [final, key] of Object.entries({ a: "up", b: "down", c: "right", d: "left", e: "clear" })) {
  LEGACY[`\x1b[${final}`] = `shift+${key}`;
  LEGACY[`\x1bO${final}`] = `ctrl+${key}`;
}
for (const [final, key] of Object.entries({ A: "f1", B: "f2", C: "f3", D: "f4", E: "f5", "5~": "pageUp", "6~": "pageDown" })) {
  LEGACY[`\x1b[[${final}`] = key;
}
