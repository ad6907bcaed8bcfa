//! What the terminal shows.

settings! {
    Appearance;
    THEME_DARK: Text("theme.dark", Some("titanium"), "Theme for dark terminals.");
    THEME_LIGHT: Text("theme.light", Some("light"), "Theme for light terminals.");
    SYMBOL_PRESET: Choice("symbolPreset", &["unicode", "nerd", "ascii"], "Symbol set.");
    COLOR_BLIND_MODE: Flag("colorBlindMode", false, "Show added lines in blue instead of green.");
    SHOW_HARDWARE_CURSOR: Flag("showHardwareCursor", true, "Show the terminal's cursor.");
    TERMINAL_SHOW_IMAGES: Flag("terminal.showImages", true, "Show images if the terminal supports them.");
    TUI_HYPERLINKS: Choice("tui.hyperlinks", &["auto", "off", "always"], "Make links in answers clickable; `off` shows their addresses.");
    TUI_MAX_INLINE_IMAGES: Number("tui.maxInlineImages", 8.0, "Maximum number of images kept on the screen; 0 means no limit.");
    TUI_TEXT_SIZING: Flag("tui.textSizing", false, "Draw larger headings if the terminal supports them.").waits_for("text of several sizes");
    // Ours: the documents name the group only.
    DISPLAY_TAB_WIDTH: Number("display.tabWidth", 4.0, "Tab width in columns.").waits_for("adjustable tab stops");
    STATUS_LINE_PRESET: Choice("statusLine.preset", &["default", "minimal", "compact", "full", "nerd", "ascii", "custom"], "What the status line shows.");
    STATUS_LINE_SEPARATOR: Choice("statusLine.separator", &["powerline-thin", "powerline", "slash", "pipe", "block", "none", "ascii"], "Separator between status line segments.");
    STATUS_LINE_SESSION_ACCENT: Flag("statusLine.sessionAccent", true, "Tint the editor with the session's colour.");
    STATUS_LINE_TRANSPARENT: Flag("statusLine.transparent", false, "Draw the status line without a background.");
    STATUS_LINE_SHOW_HOOK_STATUS: Flag("statusLine.showHookStatus", true, "Show hook status.");
    STATUS_LINE_LEFT_SEGMENTS: List("statusLine.leftSegments", &[], "Segments on the left of a custom status line.");
    STATUS_LINE_RIGHT_SEGMENTS: List("statusLine.rightSegments", &[], "Segments on the right of a custom status line.");
    STATUS_LINE_SEGMENT_OPTIONS: Record("statusLine.segmentOptions", "Options per segment.");
}
