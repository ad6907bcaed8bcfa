//! What runs a built-in command.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use omp_sdk::{Host, PageTheme, Session};

use crate::answer::Answer;
use crate::parse::Call;

/// What commands are answered with.
#[derive(Clone)]
pub struct CommandContext {
    /// The sessions, one at a time.
    pub host: Arc<Host>,
    /// The colours of pages.
    pub theme: PageTheme,
}

impl CommandContext {
    pub(crate) fn session(&self) -> Arc<Session> {
        self.host.session()
    }
}

/// A call of a command that answers with text.
#[derive(Clone, Copy)]
pub struct TextCall<'a> {
    pub(crate) context: &'a CommandContext,
    pub(crate) arguments: &'a str,
}

impl TextCall<'_> {
    pub(crate) fn session(&self) -> Arc<Session> {
        self.context.session()
    }
}

/// Does what a command asks for and answers with text.
pub type TextHandler = for<'a> fn(TextCall<'a>) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;

/// What runs a built-in command.
#[derive(Clone, Copy)]
pub enum Handler {
    /// It answers with text, with or without a screen.
    Text(TextHandler),
    /// It needs a screen and a person in front of it.
    Screen(ScreenCommand),
    /// It answers with text, and has a view of its own where there is a screen.
    Both(TextHandler, ScreenCommand),
    /// The part of the program that it needs does not exist yet.
    Unavailable,
}

impl fmt::Debug for Handler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => write!(out, "Text"),
            Self::Screen(screen) => write!(out, "Screen({screen:?})"),
            Self::Both(_, screen) => write!(out, "Both({screen:?})"),
            Self::Unavailable => write!(out, "Unavailable"),
        }
    }
}

/// Commands that a screen handles. Whoever has one matches on all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is the command of its name; the table says what it does")]
pub enum ScreenCommand {
    Settings,
    Setup,
    Provider,
    Plan,
    PlanReview,
    Goal,
    GuidedGoal,
    Loop,
    Model,
    Switch,
    Export,
    Share,
    Copy,
    Todo,
    Session,
    Hotkeys,
    Extensions,
    Branch,
    Fork,
    Tree,
    Rewind,
    Resume,
    Login,
    Logout,
    Mcp,
    Marketplace,
    New,
    Drop,
    Clear,
    Compact,
    Handoff,
    Btw,
    Queue,
    Retry,
    Debug,
    Exit,
    Theme,
}

/// Does what a built-in command asks for. Dropping the future stops what can be stopped.
pub async fn answer(context: &CommandContext, call: &Call<'_>) -> Answer {
    let Call { command, arguments } = *call;
    match command.handler {
        Handler::Text(handler) | Handler::Both(handler, _) => handler(TextCall { context, arguments }).await,
        Handler::Screen(_) => Answer::Screen,
        Handler::Unavailable => Answer::Refused(command.not_available()),
    }
}
