//! Language servers, debuggers and syntax trees.

settings! {
    CodeIntelligence;
    LSP_ENABLED: Flag("lsp.enabled", true, "Use language servers.").flag("--no-lsp");
    LSP_LAZY: Flag("lsp.lazy", true, "Start a language server when it is first needed.");
    LSP_DIAGNOSTICS_ON_WRITE: Flag("lsp.diagnosticsOnWrite", true, "Show diagnostics after a file was written.");
    LSP_DIAGNOSTICS_ON_EDIT: Flag("lsp.diagnosticsOnEdit", false, "Show diagnostics after an edit.");
    LSP_FORMAT_ON_WRITE: Flag("lsp.formatOnWrite", false, "Format files that are written.");
    LSP_DIAGNOSTICS_DEDUPLICATE: Flag("lsp.diagnosticsDeduplicate", true, "Show equal diagnostics once.");
    DEBUG_ENABLED: Flag("debug.enabled", true, "Offer the debugger tool.").waits_for("debugger tool");
    // Defaults: ours.
    AST_GREP_ENABLED: Flag("astGrep.enabled", true, "Offer search by syntax.");
    AST_EDIT_ENABLED: Flag("astEdit.enabled", true, "Offer edits by syntax.");
}
