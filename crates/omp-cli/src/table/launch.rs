//! Every flag that starts a session, in the order and under the headings of `omp --help`.

use super::{Flag, Group, HELP, ValueKind};
use crate::words::{ApprovalMode, LogLevel, OutputMode, ServiceTier, ThinkingArg};

const MODE: ValueKind = ValueKind::OneOf(OutputMode::WORDS);
/// A level that is not in the list is a warning, so that a script for a newer release still runs.
const LEVEL: ValueKind = ValueKind::OneOf(ThinkingArg::WORDS);
const TIER: ValueKind = ValueKind::OneOf(ServiceTier::WORDS);
const APPROVAL: ValueKind = ValueKind::OneOf(ApprovalMode::WORDS);
const LOG_LEVEL: ValueKind = ValueKind::OneOf(LogLevel::WORDS);

pub static LAUNCH: &[Group] = &[
    Group {
        title: "Output flags",
        flags: &[
            Flag::switch("print", "Print the answer to standard output and exit").short('p'),
            Flag::value("mode", MODE, "Output mode without the terminal UI").metavar("mode"),
            Flag::switch("print-thoughts", "Also print the model's thinking in text output"),
            Flag::switch("hide-thinking", "Hide thinking (the request is unchanged)"),
            Flag::value(
                "max-time",
                ValueKind::Duration,
                "Stop the run after this time: 600, 90s, 10m, 1h30m",
            ),
            Flag::switch("plain-ui", "Plain line output, for screen readers and simple terminals"),
            Flag::switch("no-ui", "Run without the terminal UI, even in a terminal"),
            Flag::value("log-level", LOG_LEVEL, "Minimum severity to log")
                .metavar("level")
                .waits_for("logging"),
        ],
    },
    Group {
        title: "Model flags",
        flags: &[
            Flag::value("model", ValueKind::Model, "Model to use: provider/id, or part of a name")
                .metavar("pattern"),
            Flag::switch("demo", "Use the built-in demo model: no API key, no network"),
            Flag::value("provider", ValueKind::Text, "Provider to search for --model").metavar("name"),
            Flag::value("api-key", ValueKind::Text, "API key for this run; never stored").metavar("key"),
            Flag::value("thinking", LEVEL, "Thinking level").metavar("level"),
            Flag::value("models", ValueKind::ModelList, "Models to use; starts with the first available one"),
            Flag::value("smol", ValueKind::Model, "Model for small tasks"),
            Flag::value("slow", ValueKind::Model, "Model for hard tasks"),
            Flag::value("plan", ValueKind::Model, "Model for planning"),
            Flag::value("service-tier", TIER, "Service tier to request").metavar("tier"),
            Flag::value("prompt-cache-key", ValueKind::Text, "Prompt cache key to send to the provider")
                .metavar("key"),
            Flag::value(
                "provider-session-id",
                ValueKind::Text,
                "Reuse this provider-side session, with its account and cache",
            )
            .metavar("id"),
            Flag::switch("list-models", "List available models and exit, like `omp models`"),
            Flag::value(
                "mpreset",
                ValueKind::Text,
                "Model profile for this session; see `omp models profiles`",
            )
            .metavar("name"),
            Flag::switch("default", "Save the --mpreset profile as the default"),
        ],
    },
    Group {
        title: "Prompt flags",
        flags: &[
            Flag::value("system-prompt", ValueKind::Text, "Replace the system prompt with this text or file")
                .metavar("text|file"),
            Flag::value(
                "append-system-prompt",
                ValueKind::Text,
                "Append this text or file to the system prompt",
            )
            .metavar("text|file"),
            Flag::value(
                "system-prompt-template",
                ValueKind::File,
                "Template to build the system prompt from",
            )
            .waits_for("system prompt templates"),
            Flag::value("skills", ValueKind::TextList, "Load only skills that match these globs")
                .metavar("globs"),
            Flag::switch("no-skills", "Do not load skills"),
            Flag::switch("no-rules", "Do not load rules"),
        ],
    },
    Group {
        title: "Tool flags",
        flags: &[
            Flag::value("tools", ValueKind::ToolList, "Enable only these built-in tools: read,bash"),
            Flag::switch("no-tools", "Disable built-in tools, except those named by --tools"),
            Flag::switch("no-lsp", "Disable language servers: no lsp tool, diagnostics or formatting"),
            Flag::switch("no-pty", "Never run commands in a pseudo-terminal"),
            Flag::value("approval-mode", APPROVAL, "Which tool calls run without approval").metavar("mode"),
            Flag::switch("auto-approve", "Run all tool calls without approval").alias(&["yolo"]),
            Flag::switch("trust-project", "Trust this project to run code and read outside it, for this run"),
        ],
    },
    Group {
        title: "Session flags",
        flags: &[
            Flag::switch("continue", "Continue the most recent session of this terminal or directory")
                .short('c'),
            Flag::optional(
                "resume",
                ValueKind::Session,
                "Resume a session (omit the value to choose from a \
                 list)",
            )
            .short('r')
            .alias(&["session"]),
            Flag::value("fork", ValueKind::Session, "Start from a copy of a session"),
            Flag::switch("no-session", "Do not save the session"),
            Flag::value("session-dir", ValueKind::Dir, "Directory for sessions"),
            Flag::switch("take-over", "Take over a session that another process has open"),
            Flag::value(
                "export",
                ValueKind::File,
                "Export a session as HTML to the path that follows, and exit",
            ),
            Flag::switch("from-claude", "Continue the most recent Claude Code session of this directory"),
            Flag::switch("from-codex", "Continue the most recent Codex session of this directory"),
            Flag::switch("no-title", "Do not generate a session title"),
            Flag::value("record", ValueKind::File, "Record the session to this new file, for omp replay"),
            Flag::value(
                "title-spinner-interval",
                ValueKind::Integer,
                "Milliseconds between title animation steps",
            )
            .metavar("ms")
            .waits_for("an animated title"),
        ],
    },
    Group {
        title: "Goal and plan flags",
        flags: &[
            Flag::value("goal", ValueKind::Text, "Start a session that works towards this objective")
                .metavar("objective"),
            Flag::switch("plan-yolo", "Plan read-only, approve the plan automatically, execute it"),
            Flag::value(
                "plan-yolo-into",
                ValueKind::Model,
                "Like --plan-yolo, but execute the plan with this \
                 model",
            ),
            Flag::switch("prewalk", "Switch to the model for small tasks at the first edit"),
            Flag::value("prewalk-into", ValueKind::Model, "Switch to this model at the first edit"),
        ],
    },
    Group {
        title: "Extension flags",
        flags: &[
            Flag::value("extension", ValueKind::File, "Load this extension (repeatable)")
                .short('e')
                .alias(&["hook"])
                .many(),
            Flag::value(
                "trusted-extension",
                ValueKind::File,
                "Load this extension without asking (repeatable)",
            )
            .many(),
            Flag::switch("no-extensions", "Do not discover extensions; those given with -e still load"),
            Flag::value("plugin-dir", ValueKind::Dir, "Also load the plugin in this directory (repeatable)")
                .many(),
        ],
    },
    Group {
        title: "Directory and settings flags",
        flags: &[
            Flag::value("cwd", ValueKind::Dir, "Work in this directory"),
            Flag::switch("allow-home", "Work in the home directory instead of a temporary one"),
            Flag::value("add-dir", ValueKind::Dir, "Additional working directory (repeatable)").many(),
            Flag::value(
                "config",
                ValueKind::File,
                "Settings file that overrides all others for this run \
                 (repeatable)",
            )
            .many(),
            Flag::value("profile", ValueKind::Text, "Use the agent directory of this profile")
                .metavar("name"),
            Flag::value("alias", ValueKind::Text, "Create a shell command that starts omp with --profile")
                .metavar("command"),
        ],
    },
    Group {
        title: "Other flags",
        flags: &[HELP, Flag::switch("version", "Show the version and exit").short('v')],
    },
];
