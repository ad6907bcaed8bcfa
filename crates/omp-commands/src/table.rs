//! All built-in commands.

use crate::call::{Builtin, Place};

/// What most commands are: without other names, arguments or conditions, and for a person at a screen.
const PLAIN: Builtin = Builtin {
    name: "",
    aliases: &[],
    description: "",
    hint: "",
    subcommands: &[],
    place: Place::Terminal,
    waits_for: None,
};

/// All built-in commands, in the order in which they are listed.
pub const BUILTINS: &[Builtin] = &[
    Builtin { name: "settings", description: "Change settings", ..PLAIN },
    Builtin {
        name: "setup",
        aliases: &["providers"],
        description: "Sign in to providers and set them up",
        hint: "[providers]",
        subcommands: &["providers"],
        ..PLAIN
    },
    Builtin {
        name: "provider",
        description: "Describe a provider in the models file",
        hint: "add --preset <name>",
        subcommands: &["add"],
        ..PLAIN
    },
    Builtin { name: "plan", description: "Plan before anything is changed", hint: "[prompt]", ..PLAIN },
    Builtin { name: "plan-review", description: "Open the review of the newest plan", ..PLAIN },
    Builtin {
        name: "goal",
        description: "Work towards a goal until it is reached",
        hint: "[objective|set|show|pause|resume|drop|budget <N|off>]",
        subcommands: &["set", "show", "pause", "resume", "drop", "budget"],
        ..PLAIN
    },
    Builtin {
        name: "guided-goal",
        description: "Find a goal by answering a few questions",
        hint: "[rough objective]",
        ..PLAIN
    },
    Builtin {
        name: "loop",
        description: "Repeat the next prompt after every turn",
        hint: "[count|duration]",
        ..PLAIN
    },
    Builtin {
        name: "model",
        aliases: &["models"],
        description: "Choose the model",
        hint: "[id]",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "switch", description: "Choose a model for this session only", ..PLAIN },
    Builtin {
        name: "fast",
        description: "Use the faster service tier",
        hint: "[on|off|status]",
        subcommands: &["on", "off", "status"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "advisor",
        description: "A second model that watches",
        hint: "[on|off|status|dump [raw]]",
        subcommands: &["on", "off", "status", "dump"],
        waits_for: Some("the advisor"),
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "export",
        description: "Write the conversation as a web page",
        hint: "[path]",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "dump",
        description: "Copy the conversation as text",
        hint: "[raw]",
        subcommands: &["raw"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "share",
        description: "Make a link to an encrypted snapshot",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "collab",
        description: "Let others join this session",
        hint: "[start|view|status|stop] [relay]",
        subcommands: &["start", "view", "status", "stop"],
        waits_for: Some("collaboration"),
        ..PLAIN
    },
    Builtin {
        name: "join",
        description: "Join a shared session",
        hint: "<link>",
        waits_for: Some("collaboration"),
        ..PLAIN
    },
    Builtin {
        name: "leave",
        description: "Leave a shared session",
        waits_for: Some("collaboration"),
        ..PLAIN
    },
    Builtin {
        name: "browser",
        description: "Show or hide the browser",
        hint: "[headless|visible]",
        subcommands: &["headless", "visible"],
        waits_for: Some("the browser tool"),
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "copy", description: "Copy a message, a code block or a command", ..PLAIN },
    Builtin {
        name: "todo",
        description: "See and change the list of tasks",
        hint: "[edit|copy|export|import|append|start|done|drop|rm]",
        subcommands: &["edit", "copy", "export", "import", "append", "start", "done", "drop", "rm"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "session",
        description: "About this session, or delete it",
        hint: "[info|delete]",
        subcommands: &["info", "delete"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "jobs", description: "Background jobs", place: Place::Everywhere, ..PLAIN },
    Builtin {
        name: "usage",
        description: "What accounts have left",
        hint: "[show|reset [account|active]]",
        subcommands: &["show", "reset"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "stats",
        description: "Usage and cost in a browser",
        hint: "[--port n]",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "changelog",
        description: "What is new",
        hint: "[full]",
        subcommands: &["full"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "hotkeys", description: "All keys", ..PLAIN },
    Builtin {
        name: "tools",
        description: "All tools and which are active",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "context",
        description: "What fills the context window",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "cache",
        description: "What the prompt cache saved and missed, and why",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "extensions",
        aliases: &["status"],
        description: "Everything that was found, by source",
        ..PLAIN
    },
    Builtin { name: "agents", description: "Task agents", waits_for: Some("sub-agents"), ..PLAIN },
    Builtin { name: "branch", description: "Go on before an earlier message, in a new session", ..PLAIN },
    Builtin { name: "fork", description: "Go on in a copy of this session", ..PLAIN },
    Builtin { name: "tree", description: "Go to another place in this conversation", ..PLAIN },
    Builtin {
        name: "rewind",
        description: "Go back before a prompt: files, conversation or both",
        hint: "[list|<number> [both|conversation|files] [all]|on|off|clear]",
        subcommands: &["list", "on", "off", "clear"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "redo",
        description: "Undo the last /rewind",
        hint: "[all]",
        subcommands: &["all"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "resume", description: "Go on with an earlier session", ..PLAIN },
    Builtin { name: "login", description: "Sign in to a provider", hint: "[provider|redirect-url]", ..PLAIN },
    Builtin { name: "logout", description: "Forget a provider's credentials", hint: "[provider]", ..PLAIN },
    Builtin {
        name: "mcp",
        description: "MCP servers",
        hint: "<sub> ...",
        waits_for: Some("MCP"),
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "ssh",
        description: "Hosts for the ssh tool",
        hint: "add|list|remove|help ...",
        subcommands: &["add", "list", "remove", "help"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "new", description: "Begin a new session", ..PLAIN },
    Builtin { name: "clear", description: "Go on with an empty context, in the same session", ..PLAIN },
    Builtin {
        name: "fresh",
        description: "Begin anew with the provider, with the same conversation",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "drop", description: "Delete this session and begin a new one", ..PLAIN },
    Builtin {
        name: "compact",
        description: "Summarise the conversation to make room",
        hint: "[focus]",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "shake",
        description: "Drop heavy results or images from the context",
        hint: "[elide|images]",
        subcommands: &["elide", "images"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "handoff",
        description: "Go on in a new session with a summary",
        hint: "[focus]",
        ..PLAIN
    },
    Builtin { name: "btw", description: "Ask something on the side", hint: "<question>", ..PLAIN },
    Builtin {
        name: "tan",
        description: "Do something on the side, in the background",
        hint: "<work>",
        waits_for: Some("sub-agents"),
        ..PLAIN
    },
    Builtin {
        name: "omfg",
        description: "Turn a complaint into a rule",
        hint: "<complaint>",
        waits_for: Some("stream rules"),
        ..PLAIN
    },
    Builtin { name: "queue", description: "Say something when the turn is over", hint: "<message>", ..PLAIN },
    Builtin { name: "retry", description: "Try the last failed or stopped turn again", ..PLAIN },
    Builtin {
        name: "debug",
        description: "Look inside",
        hint: "[dump-next-request <path>]",
        subcommands: &["dump-next-request"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "memory",
        description: "What is remembered between sessions",
        hint: "...",
        waits_for: Some("memory"),
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "rename",
        description: "Name this session",
        hint: "<title>",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "move",
        description: "Move this session to another directory",
        hint: "<path>",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "trust",
        description: "What this project may run and read outside of itself",
        hint: "[add|revoke]",
        subcommands: &["add", "revoke"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "add-dir",
        description: "Work in another directory, too",
        hint: "<directory>",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "dirs",
        description: "The directories of the workspace",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "sandbox",
        description: "Show the sandbox status of this session",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "permissions",
        description: "Commands that run without a question, and why others are asked about",
        hint: "[list|explain <command>|test <command>|remove <rule>]",
        subcommands: &["list", "explain", "test", "remove"],
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "remove-dir",
        description: "Leave a further directory of the workspace",
        hint: "<directory>",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "marketplace",
        description: "Plugins of others",
        hint: "...",
        waits_for: Some("plugins"),
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "plugins",
        description: "Installed plugins",
        hint: "...",
        waits_for: Some("plugins"),
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "reload-plugins",
        description: "Look again for commands, skills and plugins",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin {
        name: "force",
        description: "Make the next turn call a tool",
        hint: "<tool> [prompt]",
        place: Place::Everywhere,
        ..PLAIN
    },
    Builtin { name: "exit", aliases: &["quit"], description: "End the program", ..PLAIN },
    Builtin { name: "help", description: "All commands", place: Place::Everywhere, ..PLAIN },
    Builtin { name: "theme", description: "Choose colours", ..PLAIN },
];
