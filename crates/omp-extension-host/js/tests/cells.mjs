// A line as a terminal would show it: characters with their styles, for comparing lines whose codes differ.

import { parts, StyleState } from "omp:tui/ansi";

export function plain(line) {
  return parts(line).map((part) => part.text ?? "").join("");
}

/** Each visible character with its style; spaces only with what is visible on them. */
export function cells(line) {
  const style = new StyleState();
  const found = [];
  for (const part of parts(line)) {
    if (part.code !== undefined) style.apply(part.code);
    else for (const character of part.text) found.push([character, [...style.attributes.keys()].sort().join(), [...style.colors].sort().join(), style.link]);
  }
  return found;
}
