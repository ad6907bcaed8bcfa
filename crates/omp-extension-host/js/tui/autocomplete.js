/** Completion of commands, their arguments, and paths. */

import { fuzzyFilter } from "omp:tui/fuzzy";

const MAXIMUM = 20;

export class CombinedAutocompleteProvider {
  #commands;
  #base;

  /** The path of a program that lists files, the third argument of the original, is not needed. */
  constructor(commands = [], basePath = ".") {
    this.#commands = commands;
    this.#base = basePath;
  }

  async getSuggestions(lines, row, column, options = {}) {
    const before = (lines[row] ?? "").slice(0, column);
    const mention = /(?:^|[\s"'=])(@[^\s]*)$/.exec(before);
    if (mention) return this.#paths(mention[1], mention[1].slice(1), options);
    if (before.startsWith("/") && row === 0) {
      const space = before.indexOf(" ");
      if (space >= 0) return this.#argument(before.slice(1, space), before.slice(space + 1));
      if (!options.force || !before.slice(1).includes("/")) return this.#command(before);
    }
    const path = /(?:^|[\s"'=])([^\s"'=]*)$/.exec(before)?.[1] ?? "";
    const isPath = options.force || /^(?:\.{0,2}\/|~\/)/.test(path);
    return isPath ? this.#paths(path, path, options) : null;
  }

  #command(before) {
    const named = this.#commands.map((command) => ({ command, name: command.name ?? command.value }));
    const found = fuzzyFilter(named, before.slice(1), ({ name }) => name).map(({ command, name }) => {
      const description = [command.argumentHint, command.description].filter(Boolean).join(" — ");
      return { value: name, label: command.label ?? name, ...(description ? { description } : {}) };
    });
    return found.length > 0 ? { items: found, prefix: before } : null;
  }

  async #argument(name, prefix) {
    const command = this.#commands.find((command) => (command.name ?? command.value) === name);
    const items = await command?.getArgumentCompletions?.(prefix);
    return Array.isArray(items) && items.length > 0 ? { items, prefix } : null;
  }

  /** Entries of the directory that `path` names whose names begin like the rest of it. */
  async #paths(prefix, path, { signal } = {}) {
    const slash = path.lastIndexOf("/") + 1;
    const [directory, wanted] = [path.slice(0, slash), path.slice(slash).toLowerCase()];
    // Only completion of paths needs the file system.
    const [{ readdir }, { homedir }] = await Promise.all([import("node:fs/promises"), import("node:os")]);
    const home = directory.startsWith("~/") ? homedir() + directory.slice(1) : directory;
    const target = home.startsWith("/") ? home : `${this.#base}/${home}`;
    const entries = await readdir(target, { withFileTypes: true }).catch(() => []);
    if (signal?.aborted) return null;
    const shown = entries.filter(({ name }) => name !== ".git" && name.toLowerCase().startsWith(wanted));
    const items = shown.map((entry) => item(entry, directory, prefix.startsWith("@")));
    items.sort((left, right) => Number(right.label.endsWith("/")) - Number(left.label.endsWith("/")) || (left.label < right.label ? -1 : 1));
    return items.length > 0 ? { items: items.slice(0, MAXIMUM), prefix } : null;
  }

  applyCompletion(lines, row, column, item, prefix) {
    const line = lines[row] ?? "";
    const start = column - prefix.length;
    const isCommand = prefix.startsWith("/") && line.slice(0, start).trim() === "" && !prefix.slice(1).includes("/");
    const isDirectory = item.label.endsWith("/");
    const inserted = isCommand ? `/${item.value} ` : prefix.startsWith("@") && !isDirectory ? `${item.value} ` : item.value;
    const changed = [...lines];
    changed[row] = line.slice(0, start) + inserted + line.slice(column);
    return { lines: changed, cursorLine: row, cursorCol: start + inserted.length };
  }

  shouldTriggerFileCompletion(lines, row, column) {
    const before = (lines[row] ?? "").slice(0, column).trimStart();
    return !before.startsWith("/") || before.includes(" ");
  }
}

function item(entry, directory, isMention) {
  const label = entry.isDirectory() ? `${entry.name}/` : entry.name;
  const path = directory + label;
  const value = path.includes(" ") ? `"${path}"` : path;
  return { value: isMention ? `@${value}` : value, label };
}
