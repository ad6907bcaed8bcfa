/** Settings with their values: Enter changes one or opens its submenu. */

import { visibleRange } from "omp:tui/component";
import { fuzzyFilter } from "omp:tui/fuzzy";
import { Input } from "omp:tui/input";
import { getKeybindings } from "omp:tui/keybindings";
import { truncateToWidth } from "omp:tui/slice";
import { padding, visibleWidth } from "omp:tui/width";
import { wrapTextWithAnsi } from "omp:tui/wrap";

const MAX_LABEL = 30;

export class SettingsList {
  #items;
  #shown;
  #selected = 0;
  #maximum;
  #theme;
  #onChange;
  #onCancel;
  #search;
  #submenu;
  onSelectionChange;

  constructor(items, maximum, theme, onChange, onCancel, options = {}) {
    this.#items = items;
    this.#shown = items;
    this.#maximum = maximum;
    this.#theme = theme;
    this.#onChange = onChange;
    this.#onCancel = onCancel;
    if (options.enableSearch || options.typeToSearch) this.#search = new Input();
  }

  setItems(items) {
    this.#items = items;
    this.#filter();
  }

  setMaxVisible(rows) {
    this.#maximum = rows;
  }

  updateValue(id, value) {
    const item = this.#items.find((item) => item.id === id);
    if (item) item.currentValue = value;
  }

  selectItem(id) {
    const at = this.#shown.findIndex((item) => item.id === id);
    if (at >= 0) this.#selected = at;
    return at >= 0;
  }

  getSelectedItem() {
    return this.#shown[this.#selected];
  }

  hasOpenSubmenu() {
    return this.#submenu !== undefined;
  }

  invalidate() {
    this.#submenu?.invalidate?.();
  }

  render(width) {
    if (this.#submenu) return this.#submenu.render(width);
    const lines = this.#search ? [...this.#search.render(width), ""] : [];
    if (this.#items.length === 0) lines.push(this.#theme.hint("  No settings available"));
    else if (this.#shown.length === 0) lines.push(this.#theme.hint("  No matching settings"));
    else lines.push(...this.#list(width));
    if (this.#items.length > 0) {
      const search = this.#search ? "Type: search · " : "";
      lines.push("", truncateToWidth(this.#theme.hint(`  ${search}Enter/Space: change · Esc: cancel`), width));
    }
    return lines;
  }

  #list(width) {
    const { start, end } = visibleRange(this.#selected, this.#shown.length, this.#maximum);
    const widest = Math.max(...this.#items.map((item) => visibleWidth(item.label)));
    const labelWidth = Math.min(MAX_LABEL, widest);
    const lines = [];
    for (let at = start; at < end; at++) lines.push(this.#row(this.#shown[at], at === this.#selected, labelWidth, width));
    if (start > 0 || end < this.#shown.length) {
      const info = `  (${this.#selected + 1}/${this.#shown.length})`;
      lines.push(this.#theme.hint(truncateToWidth(info, Math.max(1, width - 2), "")));
    }
    const { description } = this.#shown[this.#selected];
    if (description) {
      const wrapped = wrapTextWithAnsi(description, Math.max(1, width - 4));
      lines.push("", ...wrapped.map((line) => this.#theme.description(`  ${line}`)));
    }
    return lines;
  }

  #row(item, isSelected, labelWidth, width) {
    const prefix = isSelected ? this.#theme.cursor : "  ";
    const label = item.label + padding(labelWidth - visibleWidth(item.label));
    const used = visibleWidth(prefix) + labelWidth + 2;
    const value = truncateToWidth(String(item.currentValue), Math.max(0, width - used - 2), "");
    const changed = Boolean(item.changed);
    const row = prefix + this.#theme.label(label, isSelected, changed) + "  " + this.#theme.value(value, isSelected, changed);
    return truncateToWidth(row, width);
  }

  handleInput(data) {
    if (this.#submenu) return this.#submenu.handleInput?.(data);
    const keys = getKeybindings();
    const last = this.#shown.length - 1;
    if (keys.matches(data, "tui.select.cancel")) return this.#onCancel();
    if (keys.matches(data, "tui.select.up")) return this.#move(this.#selected === 0 ? last : this.#selected - 1);
    if (keys.matches(data, "tui.select.down")) return this.#move(this.#selected >= last ? 0 : this.#selected + 1);
    if (keys.matches(data, "tui.select.pageUp")) return this.#move(this.#selected - this.#maximum);
    if (keys.matches(data, "tui.select.pageDown")) return this.#move(this.#selected + this.#maximum);
    if (keys.matches(data, "tui.select.confirm") || data === " ") return this.#activate();
    if (!this.#search) return undefined;
    this.#search.handleInput(data);
    return this.#filter();
  }

  #move(index) {
    this.#selected = Math.max(0, Math.min(index, this.#shown.length - 1));
    this.onSelectionChange?.(this.#shown[this.#selected]);
  }

  #filter() {
    this.#shown = fuzzyFilter(this.#items, this.#search?.getValue() ?? "", (item) => item.label);
    this.#selected = 0;
  }

  #activate() {
    const item = this.#shown[this.#selected];
    if (!item) return;
    if (item.submenu) {
      let isDone = false;
      const submenu = item.submenu(item.currentValue, (value, options) => {
        isDone = true;
        this.#submenu = undefined;
        if (value !== undefined) this.#change(item, value);
        if (options?.navigateTo) this.selectItem(options.navigateTo);
      });
      if (!isDone) this.#submenu = submenu;
    } else if (item.values?.length > 0) {
      const next = (item.values.indexOf(item.currentValue) + 1) % item.values.length;
      this.#change(item, item.values[next]);
    }
  }

  #change(item, value) {
    item.currentValue = value;
    this.#onChange(item.id, value);
  }
}
