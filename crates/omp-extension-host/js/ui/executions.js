/** Tool calls and commands with their output as components. */

import { Box } from "omp:tui/box";
import { Container } from "omp:tui/component";
import { Spacer } from "omp:tui/spacer";
import { Text } from "omp:tui/text";
import { replaceControlCharacters } from "omp:tui/width";
import { textOf } from "omp:ui/messages";
import { theme } from "omp:ui/theme";
import { truncateToVisualLines } from "omp:ui/visual-lines";

const PREVIEW = 10;

/** Output of which a folded view shows the last rows only. */
class Output {
  #text;
  #isExpanded;
  #token;

  constructor(text, isExpanded, token) {
    this.#text = text;
    this.#isExpanded = isExpanded;
    this.#token = token;
  }

  invalidate() {}

  render(width) {
    const text = theme.fg(this.#token, replaceControlCharacters(this.#text).trimEnd());
    const { visualLines, skippedCount } = truncateToVisualLines(text, this.#isExpanded ? Infinity : PREVIEW, width);
    return skippedCount > 0 ? [theme.fg("muted", `… ${skippedCount} more lines`), ...visualLines] : visualLines;
  }
}

export class BashExecutionComponent extends Container {
  #command;
  #plainCommand;
  #output = "";
  #isExpanded = false;
  #status = "";

  constructor(command, _ui = undefined, isExcluded = false) {
    super();
    this.#command = `${isExcluded ? "!!" : "!"} ${command}`;
    this.#plainCommand = command;
    this.#fill();
  }

  appendOutput(chunk) {
    this.#output += chunk;
    this.#fill();
  }

  setComplete(exitCode, isCancelled) {
    this.#status = isCancelled ? "Cancelled" : exitCode ? `Exit code ${exitCode}` : "";
    this.#fill();
  }

  setExpanded(isExpanded) {
    this.#isExpanded = isExpanded;
    this.#fill();
  }

  setOutputPad() {}

  getOutput() {
    return this.#output;
  }

  getCommand() {
    return this.#plainCommand;
  }

  #fill() {
    this.clear();
    this.addChild(new Spacer());
    this.addChild(new Text(theme.bold(theme.fg("bashMode", this.#command)), 1, 0));
    const box = new Box(1, 0);
    box.addChild(new Output(this.#output, this.#isExpanded, "muted"));
    this.addChild(box);
    if (this.#status) this.addChild(new Text(theme.fg("error", this.#status), 1, 0));
  }
}

export class ToolExecutionComponent extends Container {
  #name;
  #args;
  #definition;
  #result;
  #isPartial = true;
  #isExpanded = false;
  #id;
  #cwd;
  #state = {};

  constructor(name, id, args, _options = undefined, definition = undefined, _ui = undefined, cwd = "") {
    super();
    this.#name = name;
    this.#id = id;
    this.#args = args ?? {};
    this.#definition = definition;
    this.#cwd = cwd;
    this.#fill();
  }

  updateArgs(args) {
    this.#args = args ?? {};
    this.#fill();
  }

  updateResult(result, isPartial = false) {
    this.#result = result;
    this.#isPartial = isPartial;
    this.#fill();
  }

  setExpanded(isExpanded) {
    this.#isExpanded = isExpanded;
    this.#fill();
  }

  invalidate() {
    this.#fill();
  }

  markExecutionStarted() {}
  setArgsComplete() {}
  setOutputPad() {}
  setShowImages() {}
  setImageWidthCells() {}

  #fill() {
    this.clear();
    const token = this.#isPartial ? "toolPendingBg" : this.#result?.isError ? "toolErrorBg" : "toolSuccessBg";
    const box = new Box(1, 1, (text) => theme.bg(token, text));
    box.addChild(this.#rendered("renderCall", this.#args) ?? this.#call());
    if (this.#result) {
      const options = { expanded: this.#isExpanded, isPartial: this.#isPartial };
      box.addChild(this.#rendered("renderResult", this.#result, options) ?? new Output(textOf(this.#result.content), this.#isExpanded, "toolOutput"));
    }
    this.addChild(new Spacer());
    this.addChild(box);
  }

  #call() {
    const args = Object.entries(this.#args).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
    const shown = args.map((arg) => replaceControlCharacters(arg).split("\n")[0]).join(", ");
    return new Text(`${theme.bold(theme.fg("toolTitle", this.#name))} ${theme.fg("toolOutput", shown)}`, 0, 0);
  }

  /** What a tool draws itself. A renderer that fails leaves the plain text. */
  #rendered(which, ...args) {
    const context = {
      args: this.#args, toolCallId: this.#id, cwd: this.#cwd, state: this.#state, expanded: this.#isExpanded, isPartial: this.#isPartial,
      isError: this.#result?.isError ?? false, invalidate: () => {},
    };
    try {
      const component = this.#definition?.[which]?.(...args, theme, context);
      return typeof component?.render === "function" ? component : undefined;
    } catch {
      return undefined;
    }
  }
}
