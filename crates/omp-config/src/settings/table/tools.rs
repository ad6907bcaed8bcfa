//! Which tools the model has, what they may do and how much they may say.

settings! {
    Tools;
    TOOLS_APPROVAL_MODE: Choice("tools.approvalMode", &["auto", "always-ask", "write", "yolo"], "Which tool calls run without approval: sandboxed to the workspace, read-only, writes in the workspace, or all.")
        .flag("--approval-mode, --auto-approve");
    TOOLS_APPROVAL: Record("tools.approval", "Policy per tool: `allow`, `deny` or `prompt`.");
    // Ours.
    TOOLS_APPROVAL_RULES: List("tools.approvalRules", &[], "Calls that run without approval: `git status *` with any arguments, `make test` as written, `edit(*)` for edits in the workspace.");
    // Ours.
    SANDBOX_MODE: Choice("sandbox.mode", &["auto", "required", "off"], "When commands run in a sandbox: in every approval mode except yolo, always (full sandbox only), or never.");
    // Ours.
    SANDBOX_NETWORK: Choice("sandbox.network", &["ask", "allow", "deny"], "Hosts sandboxed commands can reach: known ones plus those you approve (`ask`), all (`allow`), or only known ones (`deny`).");
    // Ours.
    SANDBOX_ALLOWED_HOSTS: List("sandbox.allowedHosts", &[], "Hosts that sandboxed commands can reach without approval, such as `api.example.com` or `*.example.com`.");
    // Ours.
    SANDBOX_RUNG: Choice("sandbox.rung", &["auto", "namespaces", "bubblewrap", "landlock", "none"], "What enforces the sandbox: the strongest available backend, or this one.");
    TRUST_PROJECTS: Choice("trust.projects", &["ask", "always"], "Whether projects may run code and read files outside themselves without approval. Read only from your user settings.")
        .flag("--trust-project");
    TOOLS_DISCOVERY_MODE: Choice("tools.discoveryMode", &["auto", "off", "mcp-only", "all"], "Tools that the model must search for before calling them.");
    TOOLS_ESSENTIAL_OVERRIDE: List("tools.essentialOverride", &[], "Tools that are always available without a search.");
    TOOLS_FORMAT: Choice("tools.format", &["auto", "native", "anthropic", "deepseek", "gemini", "gemma", "glm", "harmony", "kimi", "minimax", "qwen3", "xml"], "How tools are offered to the model: through the provider's API or as text in a dialect.")
        .variables(&[Variable { name: "PI_DIALECT", path: "tools.format" }]);
    TOOLS_MAX_TIMEOUT: Number("tools.maxTimeout", 0.0, "Timeout of a tool call in seconds; 0 means no limit.");
    TOOLS_INTENT_TRACING: Flag("tools.intentTracing", true, "Ask the model to state the purpose of each call.");
    TOOLS_OUTPUT_MAX_COLUMNS: Number("tools.outputMaxColumns", 768.0, "Bytes after which an output line is truncated; 0 never truncates.");
    TOOLS_ARTIFACT_SPILL_THRESHOLD: Number("tools.artifactSpillThreshold", 50.0, "Kilobytes of output above which the full output is saved to a file.");
    TOOLS_ARTIFACT_HEAD_BYTES: Number("tools.artifactHeadBytes", 20.0, "Kilobytes shown from the start of such output; 0 shows only the end.");
    TOOLS_ARTIFACT_TAIL_BYTES: Number("tools.artifactTailBytes", 20.0, "Kilobytes shown from the end of such output.");
    TOOLS_ARTIFACT_TAIL_LINES: Number("tools.artifactTailLines", 500.0, "Maximum lines shown from the end of such output.");
    FIND_ENABLED: Flag("find.enabled", true, "Enable the find tool.");
    SEARCH_ENABLED: Flag("search.enabled", true, "Enable the search tool.");
    SEARCH_CONTEXT_BEFORE: Number("search.contextBefore", 1.0, "Lines shown before a match.");
    SEARCH_CONTEXT_AFTER: Number("search.contextAfter", 3.0, "Lines shown after a match.");
    FETCH_ENABLED: Flag("fetch.enabled", true, "Let the read tool fetch URLs.");
    WEB_SEARCH_ENABLED: Flag("web_search.enabled", true, "Enable the web search tool.").waits_for("web search");
    // Default: ours.
    BROWSER_ENABLED: Flag("browser.enabled", true, "Enable the browser tool.").waits_for("browser tool");
    BROWSER_HEADLESS: Flag("browser.headless", true, "Run the browser headless.").waits_for("browser tool");
    BROWSER_SCREENSHOT_DIR: Text("browser.screenshotDir", None, "Directory for full-size screenshots.").waits_for("browser tool");
    // Default: ours, after the read tool, which shows images itself while this is off.
    INSPECT_IMAGE_ENABLED: Flag("inspect_image.enabled", false, "Enable a tool that has another model inspect an image.");
    RENDER_MERMAID_ENABLED: Flag("renderMermaid.enabled", false, "Enable a tool that draws Mermaid diagrams as text.").waits_for("mermaid tool");
    DEV_AUTOQA: Flag("dev.autoqa", false, "Let models record problems with tools (`omp grievances` shows them).");
    CHECKPOINT_ENABLED: Flag("checkpoint.enabled", false, "Enable the checkpoint and rewind tools.");
    GITHUB_ENABLED: Flag("github.enabled", false, "Enable the GitHub tool if `gh` is installed.").waits_for("github tool");
    // Default: ours.
    GITHUB_CACHE_ENABLED: Flag("github.cache.enabled", true, "Cache issues and pull requests.");
    GITHUB_CACHE_SOFT_TTL_SEC: Number("github.cache.softTtlSec", 300.0, "Seconds until a cached copy is refreshed in the background.");
    GITHUB_CACHE_HARD_TTL_SEC: Number("github.cache.hardTtlSec", 604_800.0, "Seconds until a cached copy expires.");
    // Default: ours.
    VAULT_ENABLED: Flag("vault.enabled", false, "Give `vault://` access to Obsidian notes.");
    // Default: ours, SEC-042.
    SECRETS_MASK: Flag("secrets.mask", true, "Mask known secrets in results, sessions, exports, recordings and errors.");
    SECRETS_ENABLED: Flag("secrets.enabled", false, "Replace secrets before sending anything to a model.");
    TOOLS_CODE_MODE_ENABLED: Flag("tools.codeMode.enabled", false, "Offer only `exec` and `wait`; code calls the other tools.").waits_for("code mode");
    TOOLS_CODE_MODE_RUNTIME: Choice("tools.codeMode.runtime", &["quickjs-wasi"], "Runtime for code mode.").waits_for("code mode");
    TOOLS_CODE_MODE_MODE: Choice("tools.codeMode.mode", &["only"], "Tools that stay visible in code mode.").waits_for("code mode");
    TOOLS_CODE_MODE_LANGUAGES: List("tools.codeMode.languages", &["javascript", "typescript"], "Languages allowed in code mode.").waits_for("code mode");
    TOOLS_CODE_MODE_TIMEOUT_MS: Number("tools.codeMode.timeoutMs", 10_000.0, "Timeout of one call in milliseconds, 100 to 60000.").waits_for("code mode");
    TOOLS_CODE_MODE_MEMORY_LIMIT_BYTES: Number("tools.codeMode.memoryLimitBytes", 67_108_864.0, "Memory limit of the code in bytes.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_OUTPUT_BYTES: Number("tools.codeMode.maxOutputBytes", 65_536.0, "Output limit of the code in bytes.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_SNAPSHOT_BYTES: Number("tools.codeMode.maxSnapshotBytes", 10_485_760.0, "Maximum size of a suspended program in bytes.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_PENDING_TOOL_CALLS: Number("tools.codeMode.maxPendingToolCalls", 16.0, "Maximum number of concurrent tool calls from code.").waits_for("code mode");
    TOOLS_CODE_MODE_SNAPSHOT_TTL_SECONDS: Number("tools.codeMode.snapshotTtlSeconds", 900.0, "Seconds during which a suspended program can be resumed.").waits_for("code mode");
    TOOLS_CODE_MODE_SEARCH_DEFAULT_LIMIT: Number("tools.codeMode.searchDefaultLimit", 8.0, "Default number of tool search results.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_SEARCH_LIMIT: Number("tools.codeMode.maxSearchLimit", 50.0, "Maximum number of tool search results.").waits_for("code mode");
}
