// `ctx.ui`: dialogs, the status line, widgets, the editor. Without an interface dialogs answer with nothing.
import { Surfaces } from "omp:tui/surfaces";
import { ExtensionTui } from "omp:tui/tui";
import { getKeybindings } from "omp:tui/keybindings";
import { getEditorTheme } from "omp:ui/component-themes";
import { reloadTheme, Theme, theme } from "omp:ui/theme";
import { callNow } from "omp:host";
import { report, unit } from "omp:api/unit";

export const surfaces = new Surfaces();
/** What waits for keys that the terminal has not used yet. */
export const inputHandlers = new Set();
/** Providers of completions, in the order in which they wrapped each other. */
export const completionFactories = [];

let mounted = 0;
const newSurface = (kind) => `${kind}-${++mounted}`;

export function makeUi(session, now, later) {
  const has = session.hasUI;
  const dialog = async (operation, values, options, otherwise) => {
    if (!has) return otherwise;
    const { signal, timeout, onTimeout } = options ?? {};
    if (signal?.aborted) return otherwise;
    const id = newSurface("dialog");
    const stop = () => void now("ui.closeDialog", { id });
    signal?.addEventListener?.("abort", stop, { once: true });
    try {
      const answer = await later(operation, { id, ...values, timeout });
      if (answer?.timedOut === true) onTimeout?.();
      return answer?.value ?? otherwise;
    } finally {
      signal?.removeEventListener?.("abort", stop);
    }
  };
  const show = (operation, values = {}) => void (has && now(operation, values));
  const mount = (kind, factory) => {
    const id = newSurface(kind);
    const tui = new ExtensionTui(id, surfaces);
    surfaces.mount(id, factory(tui, theme), { tui });
    return id;
  };
  const places = {};
  /** A factory takes the place of what stood there; nothing gives the place back. */
  const occupy = (place, factory, values = {}) => {
    if (!has) return;
    const old = places[place];
    delete places[place];
    if (factory == null) {
      now("ui.unmount", { place, ...values });
    } else {
      places[place] = mount(place, factory);
      now("ui.mount", { place, surface: places[place], ...values });
    }
    if (old !== undefined) surfaces.unmount(old);
  };
  return {
    select: (title, options, dialogOptions) => {
      const items = options.map((option) => (typeof option === "string" ? { label: option } : plainItem(option)));
      const { initialIndex, helpText } = dialogOptions ?? {};
      return dialog("ui.select", { title, items, initialIndex, helpText }, dialogOptions, undefined);
    },
    confirm: (title, message, options) => dialog("ui.confirm", { title, message }, options, false),
    input: (title, placeholder, options) => dialog("ui.input", { title, placeholder }, options, undefined),
    editor: (title, prefill, options, editorOptions) =>
      dialog("ui.editor", { title, prefill, promptStyle: editorOptions?.promptStyle === true }, options, undefined),
    askDialog: undefined,
    notify: (message, type) => show("ui.notify", { message: String(message), type: type ?? "info" }),
    setStatus: (key, text) => show("ui.setStatus", { key: String(key), text: text ?? null }),
    setWorkingMessage: (message) => show("ui.setWorkingMessage", { message: message ?? null }),
    setWorkingVisible: (visible) => show("ui.setWorkingVisible", { visible: visible !== false }),
    setWorkingIndicator: (options) =>
      show("ui.setWorkingIndicator", { frames: options?.frames ?? null, intervalMs: options?.intervalMs ?? null }),
    setHiddenThinkingLabel: (label) => show("ui.setHiddenThinkingLabel", { label: label ?? null }),
    setWidget: (key, content, options) => {
      const placement = options?.placement === "belowEditor" ? "belowEditor" : "aboveEditor";
      if (typeof content === "function") return occupy(`widget:${key}`, content, { key, placement });
      occupy(`widget:${key}`, undefined, { key, placement });
      if (content != null) show("ui.setWidget", { key, lines: content.map(String), placement });
    },
    setFooter: (factory) => occupy("footer", factory && ((tui, theme) => factory(tui, theme, footerData(now)))),
    setHeader: (factory) => occupy("header", factory),
    setTitle: (title) => show("ui.setTitle", { title: String(title) }),
    setEditorComponent: (factory) => {
      occupy("editor", factory && ((tui, theme) => editorComponent(factory(tui, getEditorTheme(), getKeybindings()), now)));
    },
    getEditorComponent: () => undefined,
    custom: (factory, options) => (has ? custom(factory, options, now, later) : Promise.resolve(undefined)),
    onTerminalInput: (handler) => {
      inputHandlers.add(handler);
      show("ui.wantInput", { wanted: true });
      return () => {
        inputHandlers.delete(handler);
        if (inputHandlers.size === 0) show("ui.wantInput", { wanted: false });
      };
    },
    addAutocompleteProvider: (factory) => {
      completionFactories.push(factory);
      show("ui.wantCompletions");
    },
    setEditorText: (text) => show("ui.setEditorText", { text: String(text) }),
    pasteToEditor: (text) => show("ui.pasteToEditor", { text: String(text) }),
    getEditorText: () => (has ? (now("ui.editorText") ?? "") : ""),
    get theme() {
      return theme;
    },
    getAllThemes: () => now("ui.themes") ?? [],
    getTheme: (name) => {
      const data = now("ui.namedTheme", { name: String(name) });
      return data == null ? undefined : new Theme(data);
    },
    setTheme: (theme) => {
      if (!has) return { success: false, error: "no interface" };
      const name = typeof theme === "string" ? theme : theme?.name;
      const changed = now("ui.setTheme", { name }) ?? { success: false, error: "no interface" };
      if (changed.success === true) reloadTheme();
      return changed;
    },
    getToolsExpanded: () => now("ui.toolsExpanded") === true,
    setToolsExpanded: (expanded) => show("ui.setToolsExpanded", { expanded: expanded === true }),
  };
}

/** Draws an entry, once, as a part of the conversation. */
export function showEntry(customType, data) {
  const renderer = unit.entryRenderers.get(customType);
  if (renderer === undefined || callNow("session.hasUI", {}) !== true) return;
  try {
    const id = newSurface("entry");
    const component = renderer({ type: "custom", customType, data }, { expanded: false }, theme);
    if (component == null) return;
    surfaces.mount(id, component, { tui: new ExtensionTui(id, surfaces) });
    callNow("ui.mount", { place: "entry", surface: id });
  } catch (error) {
    report(`drawing an entry "${customType}"`, error);
  }
}

function plainItem({ label, description }) {
  return { label: String(label), description: description === undefined ? undefined : String(description) };
}

/** What a footer may say. */
function footerData(now) {
  return {
    getGitBranch: () => now("ui.gitBranch") ?? null,
    getExtensionStatuses: () => new Map(Object.entries(now("ui.statuses") ?? {})),
    getAvailableProviderCount: () => now("models.providerCount") ?? 0,
    onBranchChange: () => () => {},
  };
}

let mountedEditor;

/** What is in the program's editor goes into the one that stands in its place. */
export function replaceEditorText(text) {
  if (mountedEditor?.getText?.() !== text) mountedEditor?.setText?.(text);
}

/** The editor sends what it holds through the program, like the built-in one. */
function editorComponent(editor, now) {
  mountedEditor = editor;
  const submit = (text) => now("ui.submit", { text });
  const change = (text) => now("ui.editorChanged", { text });
  editor.onSubmit ??= submit;
  editor.onChange ??= change;
  return editor;
}

/** A component in the place of the editor, or over the conversation, until it says that it is done. */
async function custom(factory, options, now, later) {
  const id = newSurface("custom");
  const tui = new ExtensionTui(id, surfaces);
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  let ended = false;
  const done = (result) => {
    if (ended) return;
    ended = true;
    now("ui.closeDialog", { id });
    finish(result);
  };
  // Hooks have an older form of the factory, without keys.
  const given = factory.length === 3 ? [done] : [getKeybindings(), done];
  const component = await factory(tui, theme, ...given);
  if (ended) {
    component?.dispose?.();
    return finished;
  }
  surfaces.mount(id, component, { tui });
  const over = options?.overlay === true;
  const overlay = typeof options?.overlayOptions === "function" ? options.overlayOptions() : options?.overlayOptions;
  options?.onHandle?.(overlayHandle(id, now));
  options?.signal?.addEventListener?.("abort", () => done(undefined), { once: true });
  const shown = later("ui.custom", { surface: id, overlay: over, options: overlayOptions(overlay) });
  // Whoever closes the panel for the extension ends the wait with nothing.
  shown.then(() => done(undefined), (error) => {
    report("ui.custom", error);
    done(undefined);
  });
  try {
    return await finished;
  } finally {
    surfaces.unmount(id);
  }
}

function overlayOptions(options) {
  if (options == null) return undefined;
  const { width, minWidth, maxHeight, anchor, offsetX, offsetY, row, col, margin } = options;
  return { width, minWidth, maxHeight, anchor, offsetX, offsetY, row, col, margin };
}

function overlayHandle(id, now) {
  let hidden = false;
  return {
    hide: () => void now("ui.closeDialog", { id }),
    setHidden: (value) => {
      hidden = value === true;
      now("ui.setHidden", { id, hidden });
    },
    isHidden: () => hidden,
    focus: () => void now("ui.focus", { id, focused: true }),
    unfocus: () => void now("ui.focus", { id, focused: false }),
    isFocused: () => !hidden,
  };
}
