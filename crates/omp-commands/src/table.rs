//! All built-in commands: name, description, handler.
//!
//! A row is made by a constructor that takes the handler, so a command without one does not compile. The terminal and the
//! plain mode match on [`ScreenCommand`] without a wildcard, so neither does a screen command that one of them forgot.

use crate::builtin::Builtin;
use crate::handler::{ScreenCommand, TextCall};
use crate::text::{
    about, changelog, compacting, conversation, machines, moving, permissions, provider, rewinding, roots,
    sandbox, stats, todo, trust, upkeep, usage,
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
    Builtin::screen("setup", "Sign in to providers and set them up", ScreenCommand::Setup)
        .aliases(&["providers"])
        .hint("[providers]")
        .subcommands(&["providers"]),
    Builtin::screen("provider", "Describe a provider in the models file", ScreenCommand::Provider)
        .hint("add --preset <name>")
        .subcommands(&["add"]),
    Builtin::screen("plan", "Plan before anything is changed", ScreenCommand::Plan).hint("[prompt]"),
    Builtin::screen("plan-review", "Open the review of the newest plan", ScreenCommand::PlanReview),
    Builtin::screen("goal", "Work towards a goal until it is reached", ScreenCommand::Goal)
        .hint("[objective|set|show|pause|resume|drop|budget <N|off>]")
        .subcommands(&["set", "show", "pause", "resume", "drop", "budget"]),
    Builtin::screen("guided-goal", "Find a goal by answering a few questions", ScreenCommand::GuidedGoal)
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
    Builtin::unavailable("advisor", "A second model that watches")
        .hint("[on|off|status|dump [raw]]")
        .subcommands(&["on", "off", "status", "dump"]),
    Builtin::both(
        "export",
        "Write the conversation as a web page",
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
        "Make a link to an encrypted snapshot",
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
        "See and change the list of tasks",
        answers!(call => todo::run(&call.session(), call.arguments).await),
        ScreenCommand::Todo,
    )
    .hint("[edit|copy|export|import|append|start|done|drop|rm]")
    .subcommands(&["edit", "copy", "export", "import", "append", "start", "done", "drop", "rm"]),
    Builtin::both(
        "session",
        "About this session, or delete it",
        answers!(call => about::session(call.context, call.arguments).await),
        ScreenCommand::Session,
    )
    .hint("[info|delete]")
    .subcommands(&["info", "delete"]),
    Builtin::text("jobs", "Background jobs", answers!(call => about::jobs(&call.session()))),
    Builtin::text(
        "usage",
        "What accounts have left",
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
        "What is new",
        answers!(call => changelog::run(&call.session(), call.arguments).await),
    )
    .hint("[full]")
    .subcommands(&["full"]),
    Builtin::screen("hotkeys", "All keys", ScreenCommand::Hotkeys),
    Builtin::text("tools", "All tools and which are active", answers!(call => about::tools(&call.session()))),
    Builtin::text(
        "context",
        "What fills the context window",
        answers!(call => upkeep::context(&call.session()).await),
    ),
    Builtin::text(
        "cache",
        "What the prompt cache saved and missed, and why",
        answers!(call => upkeep::cache(&call.session())),
    ),
    Builtin::screen("extensions", "Everything that was found, by source", ScreenCommand::Extensions)
        .aliases(&["status"]),
    Builtin::unavailable("agents", "Task agents"),
    Builtin::screen("branch", "Go on before an earlier message, in a new session", ScreenCommand::Branch),
    Builtin::screen("fork", "Go on in a copy of this session", ScreenCommand::Fork),
    Builtin::screen("tree", "Go to another place in this conversation", ScreenCommand::Tree),
    Builtin::both(
        "rewind",
        "Go back before a prompt: files, conversation or both",
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
    Builtin::screen("resume", "Go on with an earlier session", ScreenCommand::Resume),
    Builtin::screen("login", "Sign in to a provider", ScreenCommand::Login).hint("[provider|redirect-url]"),
    Builtin::screen("logout", "Forget a provider's credentials", ScreenCommand::Logout).hint("[provider]"),
    Builtin::unavailable("mcp", "MCP servers").hint("<sub> ..."),
    Builtin::text(
        "ssh",
        "Hosts for the ssh tool",
        answers!(call => machines::run(&call.session(), call.arguments).await),
    )
    .hint("add|list|remove|help ...")
    .subcommands(&["add", "list", "remove", "help"]),
    Builtin::screen("new", "Begin a new session", ScreenCommand::New),
    Builtin::screen("clear", "Go on with an empty context, in the same session", ScreenCommand::Clear),
    Builtin::text(
        "fresh",
        "Begin anew with the provider, with the same conversation",
        answers!(call => provider::fresh(&call.session()).await),
    ),
    Builtin::text(
        "drop",
        "Delete this session and begin a new one",
        answers!(call => moving::drop_session(call.context).await),
    )
    .for_people(),
    Builtin::both(
        "compact",
        "Summarise the conversation to make room",
        answers!(call => compacting::compact(&call.session(), call.arguments).await),
        ScreenCommand::Compact,
    )
    .hint("[focus]"),
    Builtin::text(
        "shake",
        "Drop heavy results or images from the context",
        answers!(call => upkeep::shake(&call.session(), call.arguments).await),
    )
    .hint("[elide|images]")
    .subcommands(&["elide", "images"]),
    Builtin::screen("handoff", "Go on in a new session with a summary", ScreenCommand::Handoff)
        .hint("[focus]"),
    Builtin::screen("btw", "Ask something on the side", ScreenCommand::Btw).hint("<question>"),
    Builtin::unavailable("tan", "Do something on the side, in the background").hint("<work>"),
    Builtin::unavailable("omfg", "Turn a complaint into a rule").hint("<complaint>"),
    Builtin::screen("queue", "Say something when the turn is over", ScreenCommand::Queue).hint("<message>"),
    Builtin::screen("retry", "Try the last failed or stopped turn again", ScreenCommand::Retry),
    Builtin::both(
        "debug",
        "Look inside",
        answers!(call => provider::debug(&call.session(), call.arguments).await),
        ScreenCommand::Debug,
    )
    .hint("[dump-next-request <path>]")
    .subcommands(&["dump-next-request"]),
    Builtin::unavailable("memory", "What is remembered between sessions").hint("..."),
    Builtin::text(
        "rename",
        "Name this session",
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
        "What this project may run and read outside of itself",
        answers!(call => trust::run(&call.session(), call.arguments).await),
    )
    .hint("[add|revoke]")
    .subcommands(&["add", "revoke"]),
    Builtin::text(
        "add-dir",
        "Work in another directory, too",
        answers!(call => roots::add(&call.session(), call.arguments).await),
    )
    .hint("<directory>"),
    Builtin::text("dirs", "The directories of the workspace", answers!(call => roots::list(&call.session()))),
    Builtin::text(
        "sandbox",
        "Show the sandbox status of this session",
        answers!(call => sandbox::status(&call.session()).await),
    ),
    Builtin::text(
        "permissions",
        "Commands that run without a question, and why others are asked about",
        answers!(call => permissions::run(&call.session(), call.arguments).await),
    )
    .hint("[list|explain <command>|test <command>|remove <rule>]")
    .subcommands(&["list", "explain", "test", "remove"]),
    Builtin::text(
        "remove-dir",
        "Leave a further directory of the workspace",
        answers!(call => roots::remove(&call.session(), call.arguments).await),
    )
    .hint("<directory>"),
    Builtin::unavailable("marketplace", "Plugins of others").hint("..."),
    Builtin::unavailable("plugins", "Installed plugins").hint("..."),
    Builtin::text(
        "reload-plugins",
        "Look again for commands, skills and plugins",
        answers!(call => moving::reload(&call.session()).await),
    ),
    Builtin::text(
        "force",
        "Make the next turn call a tool",
        answers!(call => conversation::force(&call.session(), call.arguments).await),
    )
    .hint("<tool> [prompt]"),
    Builtin::screen("exit", "End the program", ScreenCommand::Exit).aliases(&["quit"]),
    Builtin::text("help", "All commands", answers!(call => about::help(&call.session()).await)),
    Builtin::screen("theme", "Choose colours", ScreenCommand::Theme),
];
