//! What the terminal shows.

settings! {
    Appearance;
    THEME_DARK: Text("theme.dark", Some("titanium"), "Theme on a dark terminal.");
    THEME_LIGHT: Text("theme.light", Some("light"), "Theme on a light terminal.");
    SYMBOL_PRESET: Choice("symbolPreset", &["unicode", "nerd", "ascii"], "Symbols to draw with.");
    COLOR_BLIND_MODE: Flag("colorBlindMode", false, "Mark added lines blue instead of green.");
    SHOW_HARDWARE_CURSOR: Flag("showHardwareCursor", true, "Show the cursor of the terminal.");
    TERMINAL_SHOW_IMAGES: Flag("terminal.showImages", true, "Show pictures where the terminal can.");
    TUI_HYPERLINKS: Choice("tui.hyperlinks", &["auto", "off", "always"], "Make paths and addresses clickable.").waits_for("terminal");
    TUI_MAX_INLINE_IMAGES: Number("tui.maxInlineImages", 8.0, "Most pictures kept on the screen; 0 sets no limit.");
    TUI_TEXT_SIZING: Flag("tui.textSizing", false, "Draw headings larger where the terminal can.").waits_for("terminal");
    // Ours: the documents name the group only.
    DISPLAY_TAB_WIDTH: Number("display.tabWidth", 4.0, "Columns of a tab.").waits_for("terminal");
    STATUS_LINE_PRESET: Choice("statusLine.preset", &["default", "minimal", "compact", "full", "nerd", "ascii", "custom"], "What the status line shows.");
    STATUS_LINE_SEPARATOR: Choice("statusLine.separator", &["powerline-thin", "powerline", "slash", "pipe", "block", "none", "ascii"], "What stands between its segments.");
    STATUS_LINE_SESSION_ACCENT: Flag("statusLine.sessionAccent", true, "Tint the editor with the colour of the session.");
    STATUS_LINE_TRANSPARENT: Flag("statusLine.transparent", false, "Leave the background of the status line alone.");
    STATUS_LINE_SHOW_HOOK_STATUS: Flag("statusLine.showHookStatus", true, "Show what hooks report.");
    STATUS_LINE_LEFT_SEGMENTS: List("statusLine.leftSegments", &[], "Segments on the left of a custom status line.");
    STATUS_LINE_RIGHT_SEGMENTS: List("statusLine.rightSegments", &[], "Segments on the right of a custom status line.");
    STATUS_LINE_SEGMENT_OPTIONS: Record("statusLine.segmentOptions", "Options of single segments.");
}
