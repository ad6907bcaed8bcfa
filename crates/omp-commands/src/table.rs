//! All built-in commands: name, description, handler.
//!
//! A row is made by a constructor that takes the handler, so a command without one does not compile. The terminal and the
//! plain mode match on [`ScreenCommand`] without a wildcard, so neither does a screen command that one of them forgot.

use crate::builtin::Builtin;
use crate::handler::{ScreenCommand, TextCall};
use crate::text::{
    about, approval, changelog, compacting, conversation, extensions, hooks, machines, mcp, moving,
    permissions, plugins, provider, rewinding, roots, sandbox, stats, todo, trust, upkeep, usage,
};

/// A handler that answers with text.
macro_rules! answers {
    ($call:ident => $answer:expr) => {
        |$call: TextCall<'_>| Box::pin(async move { $answer })
    };
}

/// All built-in commands, in the order in which they are listed.
pub const BUILTINS: &[Builtin] = &[
    Builtin::screen("settings", "Change settings", ScreenCommand::Settings),
    Builtin::screen("setup", "Sign in and choose providers", ScreenCommand::Setup)
        .aliases(&["providers"])
        .hint("[providers]")
        .subcommands(&["providers"]),
    Builtin::screen("provider", "Add a provider to the models file", ScreenCommand::Provider)
        .hint("add --preset <name>")
        .subcommands(&["add"]),
    Builtin::screen("plan", "Plan before changing anything", ScreenCommand::Plan).hint("[prompt]"),
    Builtin::screen("plan-review", "Review the latest plan", ScreenCommand::PlanReview),
    Builtin::screen("goal", "Work until a goal is reached", ScreenCommand::Goal)
        .hint("[objective|set|show|pause|resume|drop|budget <N|off>]")
        .subcommands(&["set", "show", "pause", "resume", "drop", "budget"]),
    Builtin::screen("guided-goal", "Define a goal by answering a few questions", ScreenCommand::GuidedGoal)
        .hint("[rough objective]"),
    Builtin::screen("loop", "Repeat the next prompt after every turn", ScreenCommand::Loop)
        .hint("[count|duration]"),
    Builtin::both(
        "model",
        "Choose the model",
        answers!(call => provider::model(&call.session(), call.arguments).await),
        ScreenCommand::Model,
    )
    .aliases(&["models"])
    .hint("[id]"),
    Builtin::screen("switch", "Choose a model for this session only", ScreenCommand::Switch),
    Builtin::text(
        "fast",
        "Use the faster service tier",
        answers!(call => provider::fast(&call.session(), call.arguments)),
    )
    .hint("[on|off|status]")
    .subcommands(&["on", "off", "status"]),
    Builtin::unavailable("advisor", "A second model that reviews the work")
        .hint("[on|off|status|dump [raw]]")
        .subcommands(&["on", "off", "status", "dump"]),
    Builtin::both(
        "export",
        "Export the conversation as HTML",
        answers!(call => conversation::export(call.context, call.arguments).await),
        ScreenCommand::Export,
    )
    .hint("[path]"),
    Builtin::text(
        "dump",
        "Copy the conversation as text",
        answers!(call => conversation::dump(&call.session(), call.arguments).await),
    )
    .hint("[raw]")
    .subcommands(&["raw"]),
    Builtin::both(
        "share",
        "Create a link to an encrypted snapshot",
        answers!(call => conversation::share(&call.session()).await),
        ScreenCommand::Share,
    ),
    Builtin::unavailable("collab", "Let others join this session")
        .hint("[start|view|status|stop] [relay]")
        .subcommands(&["start", "view", "status", "stop"]),
    Builtin::unavailable("join", "Join a shared session").hint("<link>"),
    Builtin::unavailable("leave", "Leave a shared session"),
    Builtin::unavailable("browser", "Show or hide the browser")
        .hint("[headless|visible]")
        .subcommands(&["headless", "visible"]),
    Builtin::screen("copy", "Copy a message, a code block or a command", ScreenCommand::Copy),
    Builtin::both(
        "todo",
        "View and edit the todo list",
        answers!(call => todo::run(&call.session(), call.arguments).await),
        ScreenCommand::Todo,
    )
    .hint("[edit|copy|export|import|append|start|done|drop|rm]")
    .subcommands(&["edit", "copy", "export", "import", "append", "start", "done", "drop", "rm"]),
    Builtin::both(
        "session",
        "Session details, or delete it",
        answers!(call => about::session(call.context, call.arguments).await),
        ScreenCommand::Session,
    )
    .hint("[info|delete]")
    .subcommands(&["info", "delete"]),
    Builtin::text("jobs", "Background jobs", answers!(call => about::jobs(&call.session()))),
    Builtin::text(
        "usage",
        "Quota of your accounts",
        answers!(call => usage::run(&call.session(), call.arguments).await),
    )
    .hint("[show|reset [account|active]]")
    .subcommands(&["show", "reset"]),
    Builtin::text(
        "stats",
        "Usage and cost in a browser",
        answers!(call => stats::run(&call.context.host, call.arguments).await),
    )
    .hint("[--port n]"),
    Builtin::text(
        "changelog",
        "What's new",
        answers!(call => changelog::run(&call.session(), call.arguments).await),
    )
    .hint("[full]")
    .subcommands(&["full"]),
    Builtin::screen("hotkeys", "Keyboard shortcuts", ScreenCommand::Hotkeys),
    Builtin::text(
        "tools",
        "All tools, with the active ones marked",
        answers!(call => about::tools(&call.session())),
    ),
    Builtin::text(
        "context",
        "Context window usage",
        answers!(call => upkeep::context(&call.session()).await),
    ),
    Builtin::text(
        "cache",
        "Prompt cache hits and misses, and why",
        answers!(call => upkeep::cache(&call.session())),
    ),
    Builtin::both(
        "extensions",
        "Extensions, skills, rules, commands and settings by source",
        answers!(call => extensions::run(&call.session(), call.arguments).await),
        ScreenCommand::Extensions,
    )
    .hint("[list|log]")
    .subcommands(&["list", "log"])
    .aliases(&["status"]),
    Builtin::unavailable("agents", "Task agents"),
    Builtin::screen("branch", "Branch from an earlier message into a new session", ScreenCommand::Branch),
    Builtin::screen("fork", "Continue in a copy of this session", ScreenCommand::Fork),
    Builtin::screen("tree", "Navigate the session tree", ScreenCommand::Tree),
    Builtin::both(
        "rewind",
        "Rewind to before a prompt: files, conversation or both",
        answers!(call => rewinding::rewind(&call.session(), call.arguments).await),
        ScreenCommand::Rewind,
    )
    .hint("[list|<number> [both|conversation|files] [all]|on|off|clear]")
    .subcommands(&["list", "on", "off", "clear"]),
    Builtin::text(
        "redo",
        "Undo the last /rewind",
        answers!(call => rewinding::redo(&call.session(), call.arguments).await),
    )
    .hint("[all]")
    .subcommands(&["all"]),
    Builtin::screen("resume", "Resume an earlier session", ScreenCommand::Resume),
    Builtin::screen("login", "Sign in to a provider", ScreenCommand::Login).hint("[provider|redirect-url]"),
    Builtin::screen("logout", "Remove a provider's credentials", ScreenCommand::Logout).hint("[provider]"),
    Builtin::both("mcp", "MCP servers", answers!(call => mcp::run(call).await), ScreenCommand::Mcp)
        .hint("[add|list|remove|enable|disable|trust|test|tools|reauth|...]")
        .subcommands(&[
            "add",
            "list",
            "remove",
            "enable",
            "disable",
            "trust",
            "test",
            "tools",
            "call",
            "logs",
            "reauth",
            "unauth",
            "reconnect",
            "reload",
            "resources",
            "prompts",
            "notifications",
            "help",
        ]),
    Builtin::text(
        "ssh",
        "Hosts for the ssh tool",
        answers!(call => machines::run(&call.session(), call.arguments).await),
    )
    .hint("add|list|remove|help ...")
    .subcommands(&["add", "list", "remove", "help"]),
    Builtin::screen("new", "Start a new session", ScreenCommand::New),
    Builtin::screen("clear", "Clear the context, keep the session", ScreenCommand::Clear),
    Builtin::text(
        "fresh",
        "Reset the provider's state, keep the conversation",
        answers!(call => provider::fresh(&call.session()).await),
    ),
    Builtin::both(
        "drop",
        "Delete this session and start a new one",
        answers!(call => moving::drop_session(call.context).await),
        ScreenCommand::Drop,
    )
    .for_people(),
    Builtin::both(
        "compact",
        "Summarize the conversation to free context",
        answers!(call => compacting::compact(&call.session(), call.arguments).await),
        ScreenCommand::Compact,
    )
    .hint("[focus]"),
    Builtin::text(
        "shake",
        "Trim large results or images from the context",
        answers!(call => upkeep::shake(&call.session(), call.arguments).await),
    )
    .hint("[elide|images]")
    .subcommands(&["elide", "images"]),
    Builtin::screen("handoff", "Continue in a new session with a summary", ScreenCommand::Handoff)
        .hint("[focus]"),
    Builtin::screen("btw", "Ask a side question", ScreenCommand::Btw).hint("<question>"),
    Builtin::unavailable("tan", "Run a side task in the background").hint("<work>"),
    Builtin::unavailable("omfg", "Turn a complaint into a rule").hint("<complaint>"),
    Builtin::screen("queue", "Queue a message for the end of the turn", ScreenCommand::Queue)
        .hint("<message>"),
    Builtin::screen("retry", "Retry the last failed or stopped turn", ScreenCommand::Retry),
    Builtin::both(
        "debug",
        "Debug tools",
        answers!(call => provider::debug(&call.session(), call.arguments).await),
        ScreenCommand::Debug,
    )
    .hint("[dump-next-request <path>]")
    .subcommands(&["dump-next-request"]),
    Builtin::unavailable("memory", "Memory across sessions").hint("..."),
    Builtin::text(
        "rename",
        "Rename this session",
        answers!(call => conversation::rename(&call.session(), call.arguments).await),
    )
    .hint("<title>"),
    Builtin::text(
        "move",
        "Move this session to another directory",
        answers!(call => moving::run(call.context, call.arguments).await),
    )
    .hint("<path>"),
    Builtin::text(
        "trust",
        "What this project may run, and read outside its directory",
        answers!(call => trust::run(&call.session(), call.arguments).await),
    )
    .hint("[add|revoke]")
    .subcommands(&["add", "revoke"]),
    Builtin::text(
        "hooks",
        "Programs that run before and after tool calls",
        answers!(call => hooks::run(&call.session()).await),
    ),
    Builtin::text(
        "add-dir",
        "Add a directory to the workspace",
        answers!(call => roots::add(&call.session(), call.arguments).await),
    )
    .hint("<directory>"),
    Builtin::text("dirs", "List the workspace directories", answers!(call => roots::list(&call.session()))),
    Builtin::text(
        "sandbox",
        "Show the sandbox status of this session",
        answers!(call => sandbox::status(&call.session()).await),
    ),
    Builtin::text(
        "approval",
        "Show or change the approval mode of this session",
        answers!(call => approval::run(&call.session(), call.arguments)),
    )
    .hint("[auto|always-ask|write|yolo]")
    .subcommands(&["auto", "always-ask", "write", "yolo"]),
    Builtin::text(
        "permissions",
        "Calls allowed without asking, and why others ask",
        answers!(call => permissions::run(&call.session(), call.arguments).await),
    )
    .hint("[list|explain <command>|test <command>|remove <rule>]")
    .subcommands(&["list", "explain", "test", "remove"]),
    Builtin::text(
        "remove-dir",
        "Remove a directory from the workspace",
        answers!(call => roots::remove(&call.session(), call.arguments).await),
    )
    .hint("<directory>"),
    Builtin::both(
        "marketplace",
        "Browse, install and upgrade plugins",
        answers!(call => plugins::marketplace(call).await),
        ScreenCommand::Marketplace,
    )
    .hint("[list|add|remove|update|discover|install|uninstall|upgrade|rollback|installed|doctor]")
    .subcommands(&[
        "list",
        "add",
        "remove",
        "update",
        "discover",
        "install",
        "uninstall",
        "enable",
        "disable",
        "upgrade",
        "rollback",
        "installed",
        "doctor",
    ]),
    Builtin::text("plugins", "Installed plugins", answers!(call => plugins::plugins(call).await))
        .hint("[list|enable|disable|uninstall|upgrade|doctor]")
        .subcommands(&["list", "enable", "disable", "uninstall", "upgrade", "doctor"]),
    Builtin::text(
        "reload-plugins",
        "Reload commands, skills, plugins and extensions",
        answers!(call => moving::reload(call.context).await),
    )
    .aliases(&["reload"]),
    Builtin::text(
        "force",
        "Force the next turn to call a tool",
        answers!(call => conversation::force(&call.session(), call.arguments).await),
    )
    .hint("<tool> [prompt]"),
    Builtin::screen("exit", "Exit omp", ScreenCommand::Exit).aliases(&["quit"]),
    Builtin::text("help", "List all commands", answers!(call => about::help(&call.session()).await)),
    Builtin::screen("theme", "Choose a theme", ScreenCommand::Theme),
];
