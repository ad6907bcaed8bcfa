/** A list to choose from. */

import { visibleRange } from "omp:tui/component";
import { getKeybindings } from "omp:tui/keybindings";
import { truncateToWidth } from "omp:tui/slice";
import { padding, visibleWidth } from "omp:tui/width";

const PRIMARY_COLUMN = 32;
const COLUMN_GAP = 2;
// Narrower than these, descriptions say nothing.
const MIN_WIDTH_FOR_DESCRIPTIONS = 40;
const MIN_DESCRIPTION = 10;

export class SelectList {
  #items;
  #shown;
  #selected = 0;
  #maximum;
  #theme;
  #layout;
  #filter = "";
  #column;
  onSelect;
  onCancel;
  onSelectionChange;

  constructor(items, maximum, theme, layout = {}) {
    this.#items = [...items];
    this.#shown = this.#items;
    this.#maximum = maximum;
    this.#theme = theme;
    this.#layout = layout;
  }

  setItems(items) {
    this.#items = [...items];
    this.setFilter(this.#filter);
  }

  setMaxVisible(rows) {
    this.#maximum = rows;
  }

  setFilter(filter) {
    this.#filter = filter;
    const wanted = filter.toLowerCase();
    const text = (item) => (item.searchText ?? item.value ?? "").toLowerCase();
    this.#shown = this.#layout.filterItems
      ? [...this.#layout.filterItems(this.#items, filter)]
      : this.#items.filter((item) => text(item).startsWith(wanted));
    this.#selected = 0;
    this.#column = undefined;
  }

  getFilter() {
    return this.#filter;
  }

  setSelectedIndex(index) {
    this.#selected = Math.max(0, Math.min(index, this.#shown.length - 1));
  }

  setSelectedValue(value) {
    const at = this.#shown.findIndex((item) => item.value === value);
    if (at >= 0) this.#selected = at;
  }

  getSelectedItem() {
    return this.#shown[this.#selected] ?? null;
  }

  invalidate() {
    this.#column = undefined;
  }

  render(width) {
    if (this.#shown.length === 0) return [this.#theme.noMatch(`  ${this.#layout.noMatchText ?? "No matches"}`)];
    const { start, end } = visibleRange(this.#selected, this.#shown.length, this.#maximum);
    const column = this.#primaryColumn();
    const lines = [];
    for (let at = start; at < end; at++) lines.push(this.#row(this.#shown[at], at === this.#selected, width, column));
    if (start > 0 || end < this.#shown.length) {
      const info = `  (${this.#selected + 1}/${this.#shown.length})`;
      lines.push(this.#theme.scrollInfo(truncateToWidth(info, Math.max(1, width - 2), "")));
    }
    return lines;
  }

  /** Measured once for the items that are shown: lists can be long. */
  #primaryColumn() {
    this.#column ??= this.#measured();
    return this.#column;
  }

  #measured() {
    const { minPrimaryColumnWidth: low, maxPrimaryColumnWidth: high } = this.#layout;
    const minimum = Math.max(1, low ?? high ?? PRIMARY_COLUMN);
    const maximum = Math.max(minimum, high ?? low ?? PRIMARY_COLUMN);
    const widest = this.#shown.reduce((most, item) => Math.max(most, visibleWidth(display(item)) + COLUMN_GAP), 0);
    return Math.max(minimum, Math.min(widest, maximum));
  }

  #row(item, isSelected, width, column) {
    const prefix = isSelected ? `${this.#theme.symbols?.cursor ?? "→"} ` : "  ";
    const style = isSelected ? this.#theme.selectedText : (text) => text;
    const prefixWidth = visibleWidth(prefix);
    const description = item.description?.replace(/\s*[\r\n]+\s*/g, " ").trim();
    if (description && width > MIN_WIDTH_FOR_DESCRIPTIONS) {
      const columnWidth = Math.max(1, Math.min(column, width - prefixWidth - 4));
      const label = this.#label(item, isSelected, Math.max(1, columnWidth - COLUMN_GAP), columnWidth);
      const gap = padding(Math.max(1, columnWidth - visibleWidth(label)));
      const rest = width - prefixWidth - visibleWidth(label) - gap.length - 2;
      if (rest > MIN_DESCRIPTION) {
        const cut = gap + truncateToWidth(description, rest, "");
        return isSelected ? style(prefix + label + cut) : prefix + label + this.#theme.description(cut);
      }
    }
    const room = Math.max(1, width - prefixWidth - 2);
    return style(prefix + this.#label(item, isSelected, room, room));
  }

  #label(item, isSelected, maxWidth, columnWidth) {
    const text = display(item);
    const cut = this.#layout.truncatePrimary?.({ text, maxWidth, columnWidth, item, isSelected });
    return truncateToWidth(cut ?? text, maxWidth, "");
  }

  handleInput(data) {
    const keys = getKeybindings();
    const last = this.#shown.length - 1;
    if (keys.matches(data, "tui.select.cancel")) this.onCancel?.();
    else if (last < 0) return;
    else if (keys.matches(data, "tui.select.up")) this.#move(this.#selected === 0 ? last : this.#selected - 1);
    else if (keys.matches(data, "tui.select.down")) this.#move(this.#selected === last ? 0 : this.#selected + 1);
    else if (keys.matches(data, "tui.select.pageUp")) this.#move(Math.max(0, this.#selected - this.#maximum));
    else if (keys.matches(data, "tui.select.pageDown")) this.#move(Math.min(last, this.#selected + this.#maximum));
    else if (keys.matches(data, "tui.select.confirm")) this.#confirm();
  }

  #confirm() {
    const item = this.getSelectedItem();
    if (item && !item.disabled) this.onSelect?.(item);
  }

  #move(index) {
    this.#selected = index;
    this.onSelectionChange?.(this.#shown[index]);
  }
}

function display(item) {
  return item.label || item.value || "";
}
