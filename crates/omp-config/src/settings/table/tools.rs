//! Which tools the model has, what they may do and how much they may say.

settings! {
    Tools;
    TOOLS_APPROVAL_MODE: Choice("tools.approvalMode", &["auto", "always-ask", "write", "yolo"], "Which calls run without asking: what a sandbox keeps inside the workspace, what only reads, what writes in the workspace, or everything.")
        .flag("--approval-mode, --auto-approve");
    TOOLS_APPROVAL: Record("tools.approval", "Policy per tool: `allow`, `deny` or `prompt`.");
    // Ours.
    TOOLS_APPROVAL_RULES: List("tools.approvalRules", &[], "Commands that run without a question: `git status *` with any arguments, `make test` just as written.");
    // Ours.
    SANDBOX_MODE: Choice("sandbox.mode", &["auto", "required", "off"], "When commands run in a sandbox: in every approval mode but yolo, always (and only in a full one), or never.");
    // Ours.
    SANDBOX_NETWORK: Choice("sandbox.network", &["ask", "allow", "deny"], "Which hosts sandboxed commands reach: known ones plus those you approve (`ask`), all (`allow`), or only known ones (`deny`).");
    // Ours.
    SANDBOX_ALLOWED_HOSTS: List("sandbox.allowedHosts", &[], "Hosts that sandboxed commands can connect to without a question, such as `api.example.com` or `*.example.com`.");
    // Ours.
    SANDBOX_RUNG: Choice("sandbox.rung", &["auto", "namespaces", "bubblewrap", "landlock", "none"], "What enforces the sandbox: the strongest there is, or this one.");
    TRUST_PROJECTS: Choice("trust.projects", &["ask", "always"], "Whether a project may run its code and read files outside of it without being asked about first. Taken only from your own settings.")
        .flag("--trust-project");
    TOOLS_DISCOVERY_MODE: Choice("tools.discoveryMode", &["auto", "off", "mcp-only", "all"], "Which tools the model has to search for before it can call them.");
    TOOLS_ESSENTIAL_OVERRIDE: List("tools.essentialOverride", &[], "Tools that never have to be searched for.");
    TOOLS_FORMAT: Choice("tools.format", &["auto", "native", "anthropic", "deepseek", "gemini", "gemma", "glm", "harmony", "kimi", "minimax", "qwen3", "xml"], "How tools are offered to the model: by the provider's interface or in the text of a dialect.")
        .variables(&[Variable { name: "PI_DIALECT", path: "tools.format" }]);
    TOOLS_MAX_TIMEOUT: Number("tools.maxTimeout", 0.0, "Longest time of a tool call in seconds; 0 sets no limit.");
    TOOLS_INTENT_TRACING: Flag("tools.intentTracing", true, "Let the model say in a few words what each call is for.");
    TOOLS_OUTPUT_MAX_COLUMNS: Number("tools.outputMaxColumns", 768.0, "Bytes after which a line of output is cut; 0 never cuts.");
    TOOLS_ARTIFACT_SPILL_THRESHOLD: Number("tools.artifactSpillThreshold", 50.0, "Kilobytes of output above which the whole of it goes to a file.");
    TOOLS_ARTIFACT_HEAD_BYTES: Number("tools.artifactHeadBytes", 20.0, "Kilobytes shown from the beginning of such output; 0 shows only the end.");
    TOOLS_ARTIFACT_TAIL_BYTES: Number("tools.artifactTailBytes", 20.0, "Kilobytes shown from the end of such output.");
    TOOLS_ARTIFACT_TAIL_LINES: Number("tools.artifactTailLines", 500.0, "Most lines shown from the end of such output.");
    FIND_ENABLED: Flag("find.enabled", true, "Offer the find tool.");
    SEARCH_ENABLED: Flag("search.enabled", true, "Offer the search tool.");
    SEARCH_CONTEXT_BEFORE: Number("search.contextBefore", 1.0, "Lines shown before a match.");
    SEARCH_CONTEXT_AFTER: Number("search.contextAfter", 3.0, "Lines shown after a match.");
    FETCH_ENABLED: Flag("fetch.enabled", true, "Let the read tool fetch URLs.");
    WEB_SEARCH_ENABLED: Flag("web_search.enabled", true, "Offer the web search tool.").waits_for("web search");
    // Default: ours.
    BROWSER_ENABLED: Flag("browser.enabled", true, "Offer the browser tool.").waits_for("browser tool");
    BROWSER_HEADLESS: Flag("browser.headless", true, "Run the browser without a window.").waits_for("browser tool");
    BROWSER_SCREENSHOT_DIR: Text("browser.screenshotDir", None, "Directory for full-size screenshots.").waits_for("browser tool");
    // Default: ours, after the read tool, which shows images itself while this is off.
    INSPECT_IMAGE_ENABLED: Flag("inspect_image.enabled", false, "Offer a tool that lets another model look at an image.");
    RENDER_MERMAID_ENABLED: Flag("renderMermaid.enabled", false, "Offer a tool that draws Mermaid diagrams as text.").waits_for("mermaid tool");
    CHECKPOINT_ENABLED: Flag("checkpoint.enabled", false, "Offer the checkpoint and rewind tools.");
    GITHUB_ENABLED: Flag("github.enabled", false, "Offer the GitHub tool where `gh` is installed.").waits_for("github tool");
    // Default: ours.
    GITHUB_CACHE_ENABLED: Flag("github.cache.enabled", true, "Keep issues and pull requests that were read.");
    GITHUB_CACHE_SOFT_TTL_SEC: Number("github.cache.softTtlSec", 300.0, "Seconds until a kept copy is refreshed in the background.");
    GITHUB_CACHE_HARD_TTL_SEC: Number("github.cache.hardTtlSec", 604_800.0, "Seconds until a kept copy is dropped.");
    // Default: ours.
    VAULT_ENABLED: Flag("vault.enabled", false, "Let `vault://` reach the notes of Obsidian.");
    // Default: ours, SEC-042.
    SECRETS_MASK: Flag("secrets.mask", true, "Mask values that are known as secrets in results, sessions, exports, recordings and errors.");
    SECRETS_ENABLED: Flag("secrets.enabled", false, "Replace secrets before anything is sent to a model.");
    TOOLS_CODE_MODE_ENABLED: Flag("tools.codeMode.enabled", false, "Offer only `exec` and `wait`; code calls the other tools.").waits_for("code mode");
    TOOLS_CODE_MODE_RUNTIME: Choice("tools.codeMode.runtime", &["quickjs-wasi"], "What runs the code.").waits_for("code mode");
    TOOLS_CODE_MODE_MODE: Choice("tools.codeMode.mode", &["only"], "Which tools stay visible beside code mode.").waits_for("code mode");
    TOOLS_CODE_MODE_LANGUAGES: List("tools.codeMode.languages", &["javascript", "typescript"], "Languages the code may be in.").waits_for("code mode");
    TOOLS_CODE_MODE_TIMEOUT_MS: Number("tools.codeMode.timeoutMs", 10_000.0, "Longest time of one call, 100 to 60000 milliseconds.").waits_for("code mode");
    TOOLS_CODE_MODE_MEMORY_LIMIT_BYTES: Number("tools.codeMode.memoryLimitBytes", 67_108_864.0, "Most memory of the code in bytes.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_OUTPUT_BYTES: Number("tools.codeMode.maxOutputBytes", 65_536.0, "Most output of the code in bytes.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_SNAPSHOT_BYTES: Number("tools.codeMode.maxSnapshotBytes", 10_485_760.0, "Most bytes of a suspended program.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_PENDING_TOOL_CALLS: Number("tools.codeMode.maxPendingToolCalls", 16.0, "Most tool calls of the code at a time.").waits_for("code mode");
    TOOLS_CODE_MODE_SNAPSHOT_TTL_SECONDS: Number("tools.codeMode.snapshotTtlSeconds", 900.0, "Seconds a suspended program can be resumed.").waits_for("code mode");
    TOOLS_CODE_MODE_SEARCH_DEFAULT_LIMIT: Number("tools.codeMode.searchDefaultLimit", 8.0, "Results of a search for tools.").waits_for("code mode");
    TOOLS_CODE_MODE_MAX_SEARCH_LIMIT: Number("tools.codeMode.maxSearchLimit", 50.0, "Most results of a search for tools.").waits_for("code mode");
}
