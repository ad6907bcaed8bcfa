//! The other end of the protocol: a program that offers tools, resources and prompts to clients.
//!
//! - [`backend`] is what the program implements, in plain data.
//! - [`client`] is what a call may do with the client that made it: ask, report progress, log.
//! - `call` runs calls; `parked` keeps those that wait for answers in the revision without server requests.
//! - `handler` is the SDK's view of a backend, `wire` translates.
//! - `stdio` and `http` carry messages.
//!
//! The SDK has the revisions, the HTTP sessions and the checks of `Host` and `Origin`. Added are: bounded lines and answers to
//! lines that are no message, the bearer token, limits of connections, and calls that stay alive between the rounds of
//! a question.

pub mod backend;
mod call;
pub mod client;
mod handler;
mod http;
mod parked;
mod stdio;
mod wire;

pub use backend::{Backend, Change, Features, Identity, PromptText, Refusal, ResourcePage, ToolCall};
pub use client::{Answer, Client, LogLevel, Question, Unanswered};
pub use http::{HttpServer, new_token};
pub use stdio::serve_stdio;
