/** Everything that `pi-tui` offers, under whichever of its names it is imported. */

export { extractAnsiCode, stripTerminalSequences } from "omp:tui/ansi";
export { CombinedAutocompleteProvider } from "omp:tui/autocomplete";
export { Box } from "omp:tui/box";
export {
  backgroundAnsi, colorToHex, colorToRgb, foregroundAnsi, indexedColor, mixColors, parseColor, rgbColor, styleText, styleTextWithAnsi,
} from "omp:tui/colors";
export { Container, CURSOR_MARKER, isFocusable, renderFakeCursor } from "omp:tui/component";
export { Editor } from "omp:tui/editor";
export { fuzzyFilter, fuzzyMatch, fuzzyRank } from "omp:tui/fuzzy";
export {
  deleteAllKittyImages, deleteKittyImage, getGifDimensions, getImageDimensions, getJpegDimensions, getPngDimensions, getWebpDimensions, Image, imageFallback,
} from "omp:tui/image";
export { Input } from "omp:tui/input";
export { getKeybindings, KeybindingsManager, setKeybindings, TUI_KEYBINDINGS } from "omp:tui/keybindings";
export {
  decodeKittyPrintable, decodePrintableKey, extractPrintableText, isKeyRelease, isKeyRepeat, isKittyProtocolActive, Key, matchesKey,
  parseKey, setKittyProtocolActive,
} from "omp:tui/keys";
export { CancellableLoader, Loader } from "omp:tui/loader";
export { Markdown, renderInlineMarkdown } from "omp:tui/markdown";
export { SelectList } from "omp:tui/select-list";
export { SettingsList } from "omp:tui/settings-list";
export {
  compositeTuiLine, Ellipsis, extractSegments, getOsc8LinkAtColumn, sliceByColumn, sliceWithWidth, truncateToWidth,
} from "omp:tui/slice";
export { Spacer } from "omp:tui/spacer";
export {
  detectCapabilities, getCapabilities, getTerminalColorMode, hyperlink, resetCapabilitiesCache, setCapabilities, setCapabilityOverrides,
} from "omp:tui/terminal";
export { Text } from "omp:tui/text";
export { TruncatedText } from "omp:tui/truncated-text";
export { ExtensionTui, ExtensionTui as TUI } from "omp:tui/tui";
export {
  applyBackgroundToLine, centerLine, DEFAULT_TAB_WIDTH, getGraphemeSegmenter, getSegmenter, padding, replaceControlCharacters,
  replaceTabs, visibleWidth,
} from "omp:tui/width";
export { wordWrapLine, wrapTextWithAnsi } from "omp:tui/wrap";
