//! Every command, sorted by name.

use super::{Command, Flag, Positional, ValueKind, mcp, sessions};
use crate::words::{CompletionSource, ModelsAction, Shell};

const SCOPES: ValueKind = ValueKind::OneOf(&["user", "project"]);
pub(super) const JSON: Flag = Flag::switch("json", "Print JSON");
const JSON_J: Flag = JSON.short('j');
pub(super) const DRY_RUN: Flag = Flag::switch("dry-run", "Show what would happen without changing anything");
const FORCE: Flag = Flag::switch("force", "Overwrite what already exists");
const BIND: Flag = Flag::value("bind", ValueKind::Text, "Address to listen on").metavar("host:port");
const REGENERATE: Flag = Flag::switch("regenerate", "Generate a new token and revoke the old one");

/// Providers that `omp setup provider` can describe.
const PROVIDER_PRESETS: &[&str] = &["minimax", "minimax-cn", "glm", "zai", "z-ai"];

pub static COMMANDS: &[Command] = &[
    Command::new("__complete", "Print completion candidates for a shell script")
        .args(&[
            Positional::optional(
                "source",
                ValueKind::Suggested(CompletionSource::WORDS),
                "Kind of candidates",
            ),
            Positional::any("prefix", ValueKind::Text, "Text typed so far"),
        ])
        .hidden(),
    Command::new("acp", "Serve an editor over the Agent Client Protocol on standard input and output")
        .launch_flags()
        .examples(&["omp acp", "omp acp --model opus"])
        .waits_for("acp"),
    Command::new("agents", "Write the bundled sub-agents to editable files")
        .args(&[Positional::one("action", ValueKind::OneOf(&["unpack"]), "Action")])
        .flags(&[
            Flag::switch("user", "Write to your user agents (default)"),
            Flag::switch("project", "Write to this project's agents"),
            Flag::value("dir", ValueKind::Dir, "Write to this directory"),
            FORCE.short('f'),
            JSON,
        ])
        .examples(&["omp agents unpack --project"])
        .waits_for("sub-agents"),
    Command::new("auth-broker", "Share credentials with other machines from one place")
        .args(&[
            Positional::one(
                "action",
                ValueKind::OneOf(&[
                    "serve", "token", "login", "logout", "list", "import", "migrate", "status",
                ]),
                "Action",
            ),
            Positional::optional("target", ValueKind::Text, "Provider (login, logout) or path (import)"),
        ])
        .flags(&[
            BIND,
            REGENERATE,
            Flag::value("via", ValueKind::Text, "Log in on this host over ssh").metavar("user@host"),
            Flag::value("provider", ValueKind::Text, "Provider of the imported files").metavar("id"),
            Flag::switch("include-disabled", "Also import files marked as disabled"),
            Flag::switch("from-local", "Upload this machine's credentials"),
            Flag::switch("include-oauth", "Also upload OAuth credentials"),
            Flag::switch("include-env", "Also upload keys from the environment"),
            DRY_RUN,
            JSON,
        ])
        .examples(&[
            "omp auth-broker serve --bind=127.0.0.1:8765",
            "omp auth-broker login anthropic --via=me@server",
        ])
        .waits_for("the auth broker"),
    Command::new("auth-gateway", "Serve provider APIs locally with the broker's credentials")
        .args(&[Positional::one(
            "action",
            ValueKind::OneOf(&["serve", "token", "status", "check"]),
            "Action",
        )])
        .flags(&[
            BIND,
            Flag::switch("no-auth", "Do not require a bearer token"),
            REGENERATE,
            Flag::switch("strict", "Test each credential with a small request"),
            JSON,
        ])
        .examples(&["omp auth-gateway serve", "omp auth-gateway check --strict"])
        .waits_for("the auth gateway"),
    Command::new("bench", "Measure models: time to first token and tokens per second")
        .args(&[Positional::some("models", ValueKind::Model, "Models to benchmark")])
        .flags(&[
            Flag::value("runs", ValueKind::Integer, "Requests per model (default: 3)"),
            Flag::value("max-tokens", ValueKind::Integer, "Maximum tokens per answer (default: 512)"),
            Flag::value("prompt", ValueKind::Text, "Prompt to send"),
            JSON,
        ])
        .details("Every run is a real request and is billed as one.")
        .examples(&["omp bench opus gpt --runs 5"]),
    Command::new("commit", "Commit your changes with a generated conventional commit message")
        .details(
            "Stages all changes if nothing is staged. The model of the commit role writes the message, and \
             entries for every CHANGELOG.md that has an unreleased section. Hooks run as usual. If the \
             commit fails, the index and the changelogs are restored.",
        )
        .flags(&[
            Flag::switch("push", "Push after committing"),
            DRY_RUN,
            Flag::switch("no-changelog", "Do not update changelogs"),
            Flag::switch("legacy", "Use a single request instead of an agent"),
            Flag::value("context", ValueKind::Text, "Additional context for the model").short('c'),
            Flag::value("model", ValueKind::Model, "Model to use").short('m'),
        ])
        .examples(&["omp commit --dry-run", "omp commit --push -c \"closes #12\""]),
    Command::new("completions", "Print a completion script for a shell")
        .args(&[Positional::one("shell", ValueKind::OneOf(Shell::WORDS), "Shell")])
        .examples(&[
            "source <(omp completions bash)",
            "source <(omp completions zsh)",
            "omp completions fish > ~/.config/fish/completions/omp.fish",
        ]),
    Command::new("config", "Show and change settings")
        .args(&[
            Positional::optional(
                "action",
                ValueKind::OneOf(&["list", "get", "set", "reset", "path", "sources", "init-xdg"]),
                "Action",
            ),
            Positional::optional("key", ValueKind::Setting, "Name of the setting"),
            Positional::any("value", ValueKind::Text, "New value; several words are joined"),
        ])
        .flags(&[
            JSON,
            Flag::value("config", ValueKind::File, "Settings file that overrides all others (repeatable)")
                .many(),
        ])
        .examples(&[
            "omp config list",
            "omp config get theme.dark",
            "omp config set tools.approvalMode write",
        ]),
    Command::new("dry-balance", "Show how sessions would be balanced across accounts")
        .args(&[Positional::optional("model", ValueKind::Model, "Model to choose accounts for")])
        .flags(&[
            Flag::value("count", ValueKind::Integer, "Sessions to simulate"),
            Flag::value("concurrency", ValueKind::Integer, "Concurrent requests"),
            Flag::switch("bench", "Make real requests and time them"),
            JSON,
        ])
        .examples(&["omp dry-balance opus --count 20"])
        .waits_for("a balance over accounts"),
    sessions::DU,
    Command::new("extensions", "List and check extensions, or write a new one")
        .args(&[
            Positional::optional(
                "action",
                ValueKind::OneOf(&["list", "doctor", "new"]),
                "Action (default: list)",
            ),
            Positional::optional("name", ValueKind::Text, "new: name of the extension"),
        ])
        .flags(&[
            Flag::value("extension", ValueKind::File, "Also this file or directory").short('e').many(),
            Flag::value(
                "kind",
                ValueKind::OneOf(&["extension", "tool", "hook", "command"]),
                "new: what to write (default: extension); a hook is named after the tool that it guards",
            ),
            Flag::switch("project", "new: write it into this project"),
            JSON,
        ])
        .details(
            "`list` reads extensions without running them. `doctor` also loads those that may be loaded, and says what each of \
             them imports that omp does not offer; it exits with 1 if one cannot be loaded. `new` writes a working example with \
             types for editors, and never over an existing file.",
        )
        .examples(&[
            "omp extensions",
            "omp extensions doctor --json",
            "omp extensions new word-count --kind tool",
        ]),
    Command::new("gallery", "Render every tool view in each state")
        .flags(&[
            Flag::value("tool", ValueKind::Text, "Only this tool").short('t'),
            Flag::value("state", ValueKind::Text, "Only this state").short('s'),
            Flag::value("width", ValueKind::Integer, "Width in columns").short('w'),
            Flag::switch("expanded", "Render expanded views").short('e'),
            Flag::switch("plain", "Disable colours"),
        ])
        .examples(&["omp gallery -t bash -w 80"]),
    sessions::GC,
    Command::new("grep", "Search files like the search tool")
        .args(&[
            Positional::one("pattern", ValueKind::Text, "Regular expression"),
            Positional::optional("path", ValueKind::File, "File or directory to search"),
        ])
        .flags(&[
            Flag::value("glob", ValueKind::Text, "Only files that match this glob").short('g'),
            Flag::value("limit", ValueKind::Integer, "Maximum number of matches (default: 20)").short('l'),
            Flag::value("context", ValueKind::Integer, "Lines of context around a match (default: 2)")
                .short('C'),
            Flag::switch("files", "Print file names only").short('f'),
            Flag::switch("count", "Print counts only").short('c'),
            Flag::switch("no-gitignore", "Also search ignored files"),
        ])
        .examples(&["omp grep 'fn main' src -g '*.rs'"]),
    Command::new("grievances", "Show problems that models reported with tools")
        .details(
            "Models record them where the setting dev.autoqa is on. The list stays on this machine. `clean` needs to know \
             what to delete: --id, --tool or --all.",
        )
        .args(&[Positional::optional("action", ValueKind::OneOf(&["list", "clean"]), "Action")])
        .flags(&[
            Flag::value("limit", ValueKind::Integer, "Maximum number of rows (default: 20)").short('n'),
            Flag::value("tool", ValueKind::Text, "Only this tool").short('t'),
            Flag::value("id", ValueKind::Integer, "Only this row"),
            Flag::switch("all", "All rows"),
            JSON_J,
        ])
        .examples(&["omp grievances -n 5", "omp grievances clean --tool lsp"]),
    Command::new("help", "Show help for omp or a command")
        .args(&[Positional::optional("command", ValueKind::Text, "Command to explain")])
        .examples(&["omp help", "omp help completions"]),
    sessions::HISTORY,
    Command::new("install", "Install plugins from a path, a marketplace, git or a registry")
        .args(&[Positional::some("targets", ValueKind::Text, "Plugins to install; local paths are linked")])
        .flags(&[FORCE, DRY_RUN, Flag::value("scope", SCOPES, "Where to install").metavar("scope"), JSON])
        .examples(&["omp install ./my-plugin", "omp install review@team --scope project"]),
    Command::new("join", "Join a shared session")
        .args(&[Positional::one("link", ValueKind::Text, "Link from the session's host")])
        .examples(&["omp join \"<link>\""])
        .waits_for("shared sessions"),
    Command::new("keys", "Show what the terminal sends for each key").examples(&["omp keys"]),
    Command::new("launch", "Start a session (the default command)")
        .args(&[Positional::any("messages", ValueKind::File, "Prompts, and files to attach as @path")])
        .launch_flags()
        .examples(&["omp launch \"fix the build\"", "omp launch -p -- --not-a-flag"]),
    Command::new("login", "Log in to a provider")
        .args(&[Positional::optional("provider", ValueKind::Text, "Provider (omit to choose from a list)")])
        .flags(&[Flag::switch("with-key", "Store an API key, read from standard input without echo")])
        .examples(&["omp login anthropic", "omp login anthropic --with-key < key.txt"]),
    Command::new("logout", "Remove a provider's stored credentials")
        .args(&[Positional::optional("provider", ValueKind::Text, "Provider (omit to choose from a list)")])
        .examples(&["omp logout anthropic"]),
    mcp::MCP,
    Command::new("models", "List available models")
        .args(&[
            Positional::optional(
                "action",
                ValueKind::Suggested(ModelsAction::WORDS),
                "list (default), find, canonical, profiles or refresh; anything else is a pattern",
            ),
            Positional::optional("pattern", ValueKind::Text, "Part of a provider or model name"),
        ])
        .flags(&[JSON])
        .examples(&["omp models", "omp models anthropic", "omp models find opus --json"]),
    Command::new("permissions", "List, explain, test and remove command permissions")
        .args(&[
            Positional::optional(
                "action",
                ValueKind::OneOf(&["list", "explain", "test", "remove"]),
                "Action (default: list)",
            ),
            Positional::optional("text", ValueKind::Text, "Command to explain or test, or rule to remove"),
        ])
        .flags(&[JSON])
        .details("`test` exits with 1 if the command would need approval.")
        .examples(&[
            "omp permissions",
            "omp permissions explain \"git diff --output=x\"",
            "omp permissions test \"git status\"",
            "omp permissions remove \"git status *\"",
        ]),
    Command::new("plugin", "Manage plugins and marketplaces")
        .args(&[
            Positional::one(
                "action",
                ValueKind::OneOf(&[
                    "list",
                    "install",
                    "link",
                    "uninstall",
                    "enable",
                    "disable",
                    "upgrade",
                    "rollback",
                    "discover",
                    "features",
                    "config",
                    "marketplace",
                    "doctor",
                ]),
                "Action",
            ),
            Positional::any(
                "args",
                ValueKind::Text,
                "Plugins, marketplaces or other arguments of the action",
            ),
        ])
        .flags(&[
            FORCE,
            DRY_RUN,
            Flag::value("scope", SCOPES, "Scope of the installation").metavar("scope"),
            Flag::value("enable", ValueKind::TextList, "Features to enable").metavar("features"),
            Flag::value("disable", ValueKind::TextList, "Features to disable").metavar("features"),
            Flag::value("set", ValueKind::TextList, "Enable exactly these features").metavar("features"),
            Flag::switch("fix", "Fix the problems that doctor finds"),
            JSON,
        ])
        .examples(&["omp plugin marketplace add owner/repo", "omp plugin doctor --fix"]),
    Command::new("prompt", "Print the system prompt a session would start with")
        .flags(&[JSON])
        .examples(&["omp prompt", "omp prompt --json"]),
    Command::new("ps", "List running sessions and their background jobs")
        .flags(&[JSON])
        .examples(&["omp ps"])
        .waits_for("a list of running sessions"),
    Command::new("read", "Print what the read tool returns to the model")
        .args(&[Positional::one("path", ValueKind::File, "Path, URL or internal URL, with selectors")])
        .examples(&["omp read src/main.rs:10-40", "omp read https://example.com", "omp read data.db:users"]),
    Command::new("replay", "Replay a recorded session offline and report differences")
        .args(&[Positional::one("file", ValueKind::File, "Recording made with `omp --record`")])
        .flags(&[JSON])
        .examples(&["omp --record bug.jsonl", "omp replay bug.jsonl", "omp replay --json bug.jsonl"]),
    Command::new("sandbox", "Show the sandbox status, or run a command in the sandbox")
        .args(&[
            Positional::optional("action", ValueKind::OneOf(&["status", "run"]), "Action (default: status)"),
            Positional::any("command", ValueKind::Text, "Command to run"),
        ])
        .flags(&[Flag::switch("plan", "Read-only, as in plan mode"), JSON])
        .examples(&["omp sandbox status", "omp sandbox run -- cargo test"]),
    Command::new("say", "Speak text aloud")
        .args(&[Positional::some("text", ValueKind::Text, "Text to speak")])
        .flags(&[
            Flag::value("voice", ValueKind::Text, "Voice to use").metavar("name"),
            Flag::value("model", ValueKind::Text, "Speech model to use").metavar("name"),
            Flag::value("output", ValueKind::File, "Write a WAV file instead").short('o'),
        ])
        .examples(&["omp say \"the build is green\" -o done.wav"])
        .waits_for("speech"),
    Command::new("search", "Search the web and print the results")
        .alias(&["q"])
        .args(&[Positional::some("words", ValueKind::Text, "Search terms")])
        .flags(&[
            Flag::value("provider", ValueKind::Text, "Search provider").metavar("name"),
            Flag::value(
                "recency",
                ValueKind::OneOf(&["day", "week", "month", "year"]),
                "Maximum age of results",
            )
            .metavar("age"),
            Flag::value("limit", ValueKind::Integer, "Maximum number of results").short('l'),
            Flag::switch("compact", "Shorter output"),
        ])
        .examples(&["omp q rust 1.95 release notes --recency month"])
        .waits_for("web search"),
    sessions::SESSION,
    Command::new("setup", "Run setup, or install an optional component")
        .args(&[Positional::optional(
            "component",
            ValueKind::OneOf(&["provider", "python", "speech"]),
            "Component to install, or `provider` to add a model provider",
        )])
        .flags(&[
            Flag::value("preset", ValueKind::OneOf(PROVIDER_PRESETS), "Provider to add to models.yml")
                .metavar("name"),
            Flag::switch("check", "Only check whether it is set up: exit 0 or 1").short('c'),
            JSON,
        ])
        .examples(&["omp setup provider --preset glm", "omp setup python --check"]),
    sessions::SHARE,
    Command::new("shell", "Open an interactive console for the bash tool's shell")
        .flags(&[
            Flag::value("cwd", ValueKind::Dir, "Start in this directory").short('C'),
            Flag::value("timeout", ValueKind::Integer, "Timeout per command").short('t').metavar("ms"),
            Flag::switch("no-snapshot", "Do not load your shell configuration"),
        ])
        .examples(&["omp shell -C src"]),
    Command::new("ssh", "Manage the hosts of the ssh tool")
        .args(&[
            Positional::one("action", ValueKind::OneOf(&["add", "list", "remove"]), "Action"),
            Positional::optional("name", ValueKind::Text, "Name of the host"),
        ])
        .flags(&[
            Flag::value("host", ValueKind::Text, "Address").metavar("address"),
            Flag::value("user", ValueKind::Text, "User name").metavar("name"),
            Flag::value("port", ValueKind::Integer, "Port, 1 to 65535"),
            Flag::value("key", ValueKind::File, "Private key"),
            Flag::value("desc", ValueKind::Text, "Description of the host for the model"),
            Flag::switch("compat", "The host has no POSIX shell"),
            Flag::value("scope", SCOPES, "Host list to change (default: project)").metavar("scope"),
            JSON,
        ])
        .examples(&["omp ssh add build --host 10.0.0.5 --user ci --port 2222"]),
    Command::new("stats", "Show requests, tokens and cost across all sessions")
        .flags(&[
            JSON_J,
            Flag::switch("summary", "Print a summary").short('s'),
            Flag::value("port", ValueKind::Integer, "Dashboard port (default: 3847)").short('p'),
        ])
        .examples(&["omp stats --summary"]),
    Command::new("tiny-models", "Manage local models")
        .args(&[
            Positional::optional("action", ValueKind::OneOf(&["download", "list"]), "Action"),
            Positional::optional("model", ValueKind::Text, "Model, or all"),
        ])
        .flags(&[JSON])
        .examples(&["omp tiny-models download all"])
        .waits_for("local models"),
    Command::new("token", "Print a provider's API key or access token")
        .args(&[Positional::one("provider", ValueKind::Text, "Provider")])
        .flags(&[
            Flag::switch("raw", "Print stored JSON credentials unchanged"),
            Flag::switch("force-refresh", "Refresh the access token first"),
        ])
        .examples(&["omp token anthropic"]),
    Command::new("trust", "Manage what projects may run, and read outside their directory")
        .args(&[
            Positional::optional(
                "action",
                ValueKind::OneOf(&["list", "show", "add", "revoke"]),
                "Action \
                 (default: show)",
            ),
            Positional::optional(
                "directory",
                ValueKind::Dir,
                "Project directory (default: current directory)",
            ),
        ])
        .flags(&[JSON])
        .examples(&["omp trust show", "omp trust add", "omp trust list", "omp trust revoke ~/clone"]),
    Command::new("ttsr", "List and test stream rules")
        .args(&[
            Positional::optional("action", ValueKind::OneOf(&["list", "test"]), "Action"),
            Positional::any("text", ValueKind::Text, "Text to test the rules against"),
        ])
        .flags(&[JSON])
        .examples(&["omp ttsr list"])
        .waits_for("stream rules"),
    Command::new("update", "Show how to update omp")
        .details("Update omp with the package manager that installed it.")
        .examples(&["omp update"]),
    Command::new("usage", "Show the quota of each account")
        .flags(&[
            JSON_J,
            Flag::value("provider", ValueKind::Text, "Only this provider").short('p').metavar("name"),
            Flag::switch("redact", "Redact account names").short('r'),
            Flag::switch("history", "Show usage history"),
            Flag::value("days", ValueKind::Integer, "Days of history (default: 7)").short('d'),
        ])
        .details("Queries Anthropic, ChatGPT and Kimi for each logged-in account and records the results.")
        .examples(&["omp usage --redact", "omp usage --history -d 30"]),
    Command::new("worktree", "List and remove worktrees created by agents")
        .alias(&["wt"])
        .args(&[Positional::optional("action", ValueKind::OneOf(&["list", "clear"]), "Action")])
        .flags(&[Flag::switch("all", "Include worktrees in use"), DRY_RUN.short('n'), JSON_J])
        .examples(&["omp wt", "omp wt clear --dry-run"])
        .waits_for("worktrees"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(COMMANDS.is_sorted_by_key(|command| command.name));
    }
}
