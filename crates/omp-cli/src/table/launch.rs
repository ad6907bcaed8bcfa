//! Every flag that starts a session, in the order and under the headings of `omp --help`.

use super::{Flag, Group, HELP, Kind};
use crate::words::{ApprovalMode, LogLevel, OutputMode, ServiceTier, ThinkingArg};

const MODE: Kind = Kind::OneOf(OutputMode::WORDS);
/// A level that is not in the list is a warning, so that a script for a newer release still runs.
const LEVEL: Kind = Kind::Suggested(ThinkingArg::WORDS);
const TIER: Kind = Kind::OneOf(ServiceTier::WORDS);
const APPROVAL: Kind = Kind::OneOf(ApprovalMode::WORDS);
const LOG_LEVEL: Kind = Kind::OneOf(LogLevel::WORDS);

pub static LAUNCH: &[Group] = &[
    Group {
        title: "Output flags",
        flags: &[
            Flag::switch("print", "Answer the prompt on standard output and exit").short('p'),
            Flag::value("mode", MODE, "Output of a run without a terminal interface").metavar("mode"),
            Flag::switch("print-thoughts", "Also print the model's thinking in text output"),
            Flag::switch("hide-thinking", "Do not show thinking; the request stays the same"),
            Flag::value("max-time", Kind::Duration, "Stop the run after this time: 600, 90s, 10m, 1h30m"),
            Flag::switch("plain-ui", "Talk in plain lines: for screen readers and simple terminals"),
            Flag::switch("no-ui", "Run without the terminal interface, also at a terminal"),
            Flag::value("log-level", LOG_LEVEL, "Least severity that reaches the log file")
                .metavar("level")
                .waits_for("logging"),
        ],
    },
    Group {
        title: "Model flags",
        flags: &[
            Flag::value("model", Kind::Model, "Model to use: provider/id, or a part of a name")
                .metavar("pattern"),
            Flag::value("provider", Kind::Text, "Provider to look for --model in").metavar("name"),
            Flag::value("api-key", Kind::Text, "Key for this run; it is never stored").metavar("key"),
            Flag::value("thinking", LEVEL, "How long the model may think").metavar("level"),
            Flag::value("models", Kind::ModelList, "Models to work with; the first that can be used begins"),
            Flag::value("smol", Kind::Model, "Model for small tasks"),
            Flag::value("slow", Kind::Model, "Model for hard tasks"),
            Flag::value("plan", Kind::Model, "Model for planning"),
            Flag::value("service-tier", TIER, "Service tier to ask the provider for").metavar("tier"),
            Flag::value("prompt-cache-key", Kind::Text, "Key under which the provider caches the prompt")
                .metavar("key"),
            Flag::value(
                "provider-session-id",
                Kind::Text,
                "Reuse this provider-side session, and so its account and cache",
            )
            .metavar("id"),
            Flag::switch("list-models", "List the models and exit, like `omp models`"),
            Flag::value("mpreset", Kind::Text, "Model profile for this session; see `omp models profiles`")
                .metavar("name"),
            Flag::switch("default", "Keep the --mpreset profile as the default"),
        ],
    },
    Group {
        title: "Prompt flags",
        flags: &[
            Flag::value(
                "system-prompt",
                Kind::Text,
                "Text, or a file with it, in place of the system prompt",
            )
            .metavar("text|file"),
            Flag::value(
                "append-system-prompt",
                Kind::Text,
                "Text, or a file with it, after the system prompt",
            )
            .metavar("text|file"),
            Flag::value("system-prompt-template", Kind::File, "Template to build the system prompt from")
                .waits_for("prompt templates"),
            Flag::value("skills", Kind::TextList, "Load only the skills these globs match").metavar("globs"),
            Flag::switch("no-skills", "Load no skills"),
            Flag::switch("no-rules", "Load no rules"),
        ],
    },
    Group {
        title: "Tool flags",
        flags: &[
            Flag::value("tools", Kind::ToolList, "Offer only these built-in tools: read,bash"),
            Flag::switch("no-tools", "Offer no built-in tools, except those that --tools names"),
            Flag::switch("no-lsp", "No language servers: no lsp tool, diagnostics or formatting"),
            Flag::switch("no-pty", "Never run commands in a pseudo-terminal"),
            Flag::value("approval-mode", APPROVAL, "Which tool calls run without a question").metavar("mode"),
            Flag::switch("auto-approve", "Run every tool call without a question").alias(&["yolo"]),
            Flag::switch(
                "trust-project",
                "Let this project run its code and read outside of it, for this run",
            ),
        ],
    },
    Group {
        title: "Session flags",
        flags: &[
            Flag::switch("continue", "Continue the last session of this terminal or directory").short('c'),
            Flag::optional("resume", Kind::Session, "Resume a session; choose from a list without a value")
                .short('r')
                .alias(&["session"]),
            Flag::value("fork", Kind::Session, "Start from a copy of a session"),
            Flag::switch("no-session", "Write no session file"),
            Flag::value("session-dir", Kind::Dir, "Keep and look for sessions here"),
            Flag::switch("take-over", "Take the session away from another process that has it open"),
            Flag::value("export", Kind::File, "Write a session as HTML, to the path that follows, and exit"),
            Flag::switch("from-claude", "Go on with the last Claude Code session of this directory"),
            Flag::switch("from-codex", "Go on with the last Codex session of this directory"),
            Flag::switch("no-title", "Do not ask a model for a session title"),
            Flag::value("record", Kind::File, "Record what happens, for omp replay, in this new file"),
            Flag::value(
                "title-spinner-interval",
                Kind::Integer,
                "Milliseconds between title animation steps",
            )
            .metavar("ms")
            .waits_for("terminal"),
        ],
    },
    Group {
        title: "Goal and plan flags",
        flags: &[
            Flag::value("goal", Kind::Text, "Begin a session that works towards this objective")
                .metavar("objective"),
            Flag::switch("plan-yolo", "Plan without writing, approve the plan, carry it out"),
            Flag::value("plan-yolo-into", Kind::Model, "The same, and this model carries the plan out"),
            Flag::switch("prewalk", "Go on with the model for small tasks at the first edit"),
            Flag::value("prewalk-into", Kind::Model, "Go on with this model at the first edit"),
        ],
    },
    Group {
        title: "Extension flags",
        flags: &[
            Flag::value("extension", Kind::File, "Load this extension (repeatable)")
                .short('e')
                .alias(&["hook"])
                .many()
                .waits_for("extensions"),
            Flag::value("trusted-extension", Kind::File, "Load this extension without asking (repeatable)")
                .many()
                .waits_for("extensions"),
            Flag::switch("no-extensions", "Look for no extensions; those given with -e still load"),
            Flag::value("plugin-dir", Kind::Dir, "Also load the plugin in this directory (repeatable)")
                .many()
                .waits_for("plugins"),
        ],
    },
    Group {
        title: "Directory and settings flags",
        flags: &[
            Flag::value("cwd", Kind::Dir, "Work in this directory"),
            Flag::switch("allow-home", "Stay in the home directory instead of a temporary one"),
            Flag::value("add-dir", Kind::Dir, "Also work in this directory (repeatable)").many(),
            Flag::value("config", Kind::File, "Settings file over all others for this run (repeatable)")
                .many(),
            Flag::value("profile", Kind::Text, "Use the agent directory of this profile").metavar("name"),
            Flag::value("alias", Kind::Text, "Make a shell command that starts omp with --profile")
                .metavar("command"),
        ],
    },
    Group {
        title: "Other flags",
        flags: &[HELP, Flag::switch("version", "Show the version and exit").short('v')],
    },
];
