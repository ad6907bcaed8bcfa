//! The agent loop.
//!
//! A prompt starts a run: messages go to the model, the answer streams back as events, tool calls run, their
//! results go back, until an answer asks for nothing and nothing is queued. Around each model call sits
//! recovery: retry with back-off, other accounts, other models, nudges for empty answers.
//!
//! **No I/O.** Models, tools, clock, randomness and listeners are traits handed in; given the same inputs the
//! loop makes the same decisions. It spawns nothing: everything happens inside the future of [`Agent::prompt`].

mod agent;
mod answer;
mod backlog;
mod batch;
mod conduct;
mod config;
mod control;
mod correct;
mod fallback;
mod intent;
mod leak;
mod origin;
mod parts;
mod prompt;
mod queue;
mod recover;
mod remind;
mod request;
mod retry;
mod run;
mod sticky;
mod tool;
mod upkeep;
mod validate;

pub use agent::{Agent, AgentError};
pub use backlog::Backlog;
pub use batch::call_tool;
pub use conduct::{Conduct, FreeConduct, Rewind, Then, Turn};
pub use config::{
    AgentConfig, Eager, Fallbacks, InterruptMode, QueueMode, RetryConfig, RevertPolicy, TodoConfig,
};
pub use control::Control;
pub use fallback::{Chain, parse_chains};
pub use intent::INTENT_FIELD;
pub use origin::{McpOrigin, ToolOrigin};
pub use parts::{
    AccountAnswer, Advice, Arguments, BatchStream, Beside, Clock, Decision, Gate, Listener, Model,
    ModelIdentity, Models, Note, OpenGate, Parts, Passed, PendingCall, Setup, Todos,
};
pub use prompt::{Outcome, Prompt, PromptForm};
pub use queue::{Aside, Delivery, Queued};
pub use request::definitions;
pub use tool::{Inspection, Invocation, LineInput, Patience, Scheduling, Tool, ToolError, Updates};
pub use upkeep::{Look, NoUpkeep, Occasion, Order, Shorter, Upkeep, UpkeepError, View};
pub use validate::{ArgumentError, Validators};
