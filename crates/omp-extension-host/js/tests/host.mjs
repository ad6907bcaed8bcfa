// A host for tests: it answers what the program answers, and keeps what it was told.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\u200d|.\ufe0f|\p{Regional_Indicator}{2}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}])/u;
const NONE = /^(?:\p{Default_Ignorable_Code_Point}|\p{Mark}|\p{Control}|\p{Format})+$/u;

function graphemes(text) {
  return [...segmenter.segment(text)].map((part) => part.segment);
}

function width(grapheme) {
  return NONE.test(grapheme) ? 0 : WIDE.test(grapheme) ? 2 : 1;
}

export const told = [];
export const answers = {
  "tui.width": ({ text }) => graphemes(text).reduce((sum, grapheme) => sum + width(grapheme), 0),
  "tui.graphemes": ({ text }) => graphemes(text),
  "tui.highlight": ({ code }) => code.split("\n"),
  "ui.keybindings": () => ({}),
  "ui.theme": () => theme,
  "ui.terminal": () => ({ columns: 80, rows: 24 }),
};

const theme = {
  name: "test",
  mode: "truecolor",
  fg: { accent: "\x1b[38;2;1;2;3m", muted: "\x1b[38;5;244m", dim: "\x1b[38;5;240m", error: "\x1b[31m", text: "\x1b[39m" },
  bg: { selectedBg: "\x1b[48;5;236m", toolPendingBg: "\x1b[48;5;235m" },
  symbols: { "status.success": "✔", "nav.cursor": "❯" },
};

export function callNow(operation, args) {
  told.push({ operation, args });
  const answer = answers[operation];
  return answer ? answer(args) : null;
}

export async function call(operation, args) {
  return callNow(operation, args);
}
