/** The parts of `pi-coding-agent` that draw, under whichever of its names it is imported. */

export { BorderedLoader } from "omp:ui/bordered-loader";
export {
  getEditorTheme, getMarkdownTheme, getSelectListTheme, getSettingsListTheme, getSymbolTheme, highlightCode,
} from "omp:ui/component-themes";
export { CustomEditor } from "omp:ui/custom-editor";
export { ExtensionEditorComponent, ExtensionInputComponent, ExtensionSelectorComponent } from "omp:ui/dialogs";
export { renderDiff } from "omp:ui/diff";
export { DynamicBorder } from "omp:ui/dynamic-border";
export { BashExecutionComponent, ToolExecutionComponent } from "omp:ui/executions";
export { appKeyHint, formatKeyText, keyDisplayText, keyHint, keyText, rawKeyHint } from "omp:ui/key-hints";
export { getLanguageFromPath } from "omp:ui/languages";
export {
  AssistantMessageComponent, BranchSummaryMessageComponent, CompactionSummaryMessageComponent, CustomMessageComponent,
  SkillInvocationMessageComponent, UserMessageComponent,
} from "omp:ui/messages";
export { initTheme, Theme, theme } from "omp:ui/theme";
export { truncateToVisualLines } from "omp:ui/visual-lines";
