/** What components need of the theme: functions that style each of their parts. */

import { callNow } from "omp:host";
import { theme } from "omp:ui/theme";

const fg = (token) => (text) => theme.fg(token, text);

function symbols() {
  return {
    get cursor() {
      return theme.nav.cursor || "→";
    },
    inputCursor: "▏",
    boxRound: theme.boxRound,
    boxSharp: theme.boxSharp,
    table: theme.boxSharp,
    get quoteBorder() {
      return theme.md.quoteBorder || "│";
    },
    hrChar: "─",
    get spinnerFrames() {
      return theme.spinnerFrames;
    },
  };
}

export function getSymbolTheme() {
  return symbols();
}

export function getMarkdownTheme() {
  return {
    heading: fg("mdHeading"),
    link: fg("mdLink"),
    linkUrl: fg("mdLinkUrl"),
    code: fg("mdCode"),
    codeBlock: fg("mdCodeBlock"),
    codeBlockBorder: fg("mdCodeBlockBorder"),
    quote: fg("mdQuote"),
    quoteBorder: fg("mdQuoteBorder"),
    hr: fg("mdHr"),
    listBullet: fg("mdListBullet"),
    bold: theme.bold,
    italic: theme.italic,
    underline: theme.underline,
    strikethrough: theme.strikethrough,
    highlightCode,
    symbols: symbols(),
  };
}

export function getSelectListTheme() {
  return {
    selectedPrefix: fg("accent"),
    selectedText: fg("accent"),
    description: fg("muted"),
    scrollInfo: fg("muted"),
    noMatch: fg("muted"),
    symbols: symbols(),
  };
}

export function getSettingsListTheme() {
  return {
    label: (text, isSelected) => (isSelected ? theme.fg("accent", text) : text),
    value: (text, isSelected) => theme.fg(isSelected ? "accent" : "muted", text),
    description: fg("dim"),
    get cursor() {
      return theme.fg("accent", `${theme.nav.cursor || "→"} `);
    },
    hint: fg("dim"),
  };
}

export function getEditorTheme() {
  return { borderColor: fg("borderMuted"), selectList: getSelectListTheme(), symbols: symbols() };
}

/** Lines of code in the colours of its language; without a language, as a code block. */
export function highlightCode(code, lang = undefined) {
  const lines = lang ? callNow("tui.highlight", { code, lang }) : null;
  return Array.isArray(lines) ? lines : code.split("\n").map(fg("mdCodeBlock"));
}
