//! Language servers, debuggers and syntax trees.

settings! {
    CodeIntelligence;
    LSP_ENABLED: Flag("lsp.enabled", true, "Use language servers.").flag("--no-lsp");
    LSP_LAZY: Flag("lsp.lazy", true, "Start language servers on first use.");
    LSP_DIAGNOSTICS_ON_WRITE: Flag("lsp.diagnosticsOnWrite", true, "Show diagnostics after writing a file.");
    LSP_DIAGNOSTICS_ON_EDIT: Flag("lsp.diagnosticsOnEdit", false, "Show diagnostics after an edit.");
    LSP_FORMAT_ON_WRITE: Flag("lsp.formatOnWrite", false, "Format files when writing them.");
    LSP_DIAGNOSTICS_DEDUPLICATE: Flag("lsp.diagnosticsDeduplicate", true, "Deduplicate diagnostics.");
    DEBUG_ENABLED: Flag("debug.enabled", true, "Enable the debugger tool.").waits_for("debugger tool");
    // Defaults: ours.
    AST_GREP_ENABLED: Flag("astGrep.enabled", true, "Enable structural (syntax-aware) search.");
    AST_EDIT_ENABLED: Flag("astEdit.enabled", true, "Enable structural (syntax-aware) edits.");
}
