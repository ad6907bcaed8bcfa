//! For tests and benchmarks only: a scripted model server that is stricter than the real services, a hermetic
//! home, and a view of process trees.
//!
//! ```no_run
//! use omp_testkit::{Home, ModelOptions, Reply, Scenario, Server, Wire, run};
//! use serde_json::json;
//! use std::time::Duration;
//!
//! // What the model will say, in a form that knows nothing of the wire.
//! let server = Server::start(
//!     Scenario::new()
//!         .reply(Reply::new().thinking("look first").tool_call("read", json!({"path": "a.txt"})))
//!         .reply(Reply::new().text("The file says hello.")),
//! );
//!
//! // A home with nothing of the developer's own in it.
//! let home = Home::new();
//! home.write("work/a.txt", "hello");
//! home.models_yml(&server, Wire::AnthropicMessages, ModelOptions::new().reasoning(true));
//!
//! let output = run(
//!     home.command(env!("CARGO")).args(["-p", "what is in a.txt?"]),
//!     None,
//!     Duration::from_secs(20),
//! );
//! assert_eq!(output.code, Some(0), "{}", output.stderr);
//! assert_eq!(server.requests().len(), 2);
//! server.finish(); // panics on a malformed request or a reply nobody asked for
//! ```
//!
//! # What the parts promise
//!
//! * [`Server`] answers the model requests of every [`Wire`], `GET …/models` and, if the scenario enables it,
//!   `GET /api/tags` and `POST /api/show`. The same [`Scenario`] serves all wires.
//! * Every model request is checked before the script is asked. A broken rule is answered with HTTP 400 in the
//!   wire's own error shape, kept in [`Server::violations`], and does not consume a reply.
//! * [`Home`] clears the environment of the programs it starts, so that a key or setting of the developer can
//!   neither help nor harm a test.
//! * [`process`] reads `/proc` and finds what a program left behind.
//!
//! # Scenario files
//!
//! [`Scenario::from_json_file`] reads this format; every field of a reply is optional:
//!
//! ```json
//! {
//!   "keyless": false, "expect_key": "test-key", "lenient": false, "repeat": false,
//!   "require_stable_prefix": true, "models": ["scripted"], "ollama": ["llama3"], "allow_fields": ["thinking"],
//!   "replies": [
//!     { "content": [
//!         {"thinking": "hmm"}, {"redacted_thinking": true}, {"text": "hello"},
//!         {"text_deltas": {"count": 20, "token": "tok "}},
//!         {"tool_call": {"name": "read", "arguments": {"path": "a.txt"}, "id": "optional"}},
//!         {"anthropic_block": {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}}
//!       ],
//!       "usage": {"input": 10, "output": 5, "cache_read": 0, "cache_write": 0},
//!       "stop": "tool_use", "stop_raw": "overrides stop",
//!       "split": "every_byte", "delta_size": 16, "interleave": true, "crlf": true, "comments": true,
//!       "delay_before_ms": 5,
//!       "stall": [{"after_bytes": 10, "ms": 50}, {"after_event": 2, "ms": 50}],
//!       "drop_after_event": 3, "error": {"type": "overloaded_error", "message": "Overloaded"} },
//!     { "text": "short for content: [{text}]", "split": {"chunks": 7} },
//!     { "tool_call": {"name": "bash", "arguments": {"command": "true"}}, "split": {"at": [3, 9]} },
//!     { "status": 429, "headers": {"retry-after": "2"}, "body": {"error": {"message": "slow down"}} },
//!     { "raw": {"content_type": "text/html", "body": "<html></html>"} }
//!   ]
//! }
//! ```
//!
//! `stop` is one of `stop`, `length`, `tool_use`, `stop_sequence`, `refusal`, `pause_turn`, `incomplete`. Unknown
//! fields are errors, so that a typing mistake cannot turn a test into a different one.

mod acceptor;
pub mod builtin;
pub mod cloud;
mod home;
pub mod language_server;
pub mod lists;
pub mod oauth;
pub mod pages;
pub mod process;
mod run;
mod server;
mod strict;
pub mod terminal;

pub use home::{Home, ModelOptions};
pub use language_server::LanguageServer;
pub use lists::{ListReply, ListRequest, ListServer};
pub use pages::{Page, PageRequest, PageServer};
pub use process::{Process, ProcessTree, survivors, wait_gone};
pub use run::{Output, Running, run, start};
pub use server::{
    Disconnect, OtherRequest, RecordedRequest, Reply, Scenario, ScenarioError, Server, ServerOptions,
    SocketCount, Split, Stop, Usage, Violation, Wire,
};

/// The script of an MCP server for tests; its first lines say what it can be made to do.
pub fn mcp_server() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("servers/mcp.py")
}

/// A script for `ssh` in tests; its first lines say what it can be made to do.
pub const FAKE_SSH: &str = include_str!("../servers/ssh.sh");

/// Without what a test needs, it passes only where somebody chose so: `OMP_TEST_WITHOUT` lists what this machine lacks.
pub fn assert_waived(tool: &str, why: &str) {
    let without = std::env::var("OMP_TEST_WITHOUT").unwrap_or_default();
    assert!(without.split(',').any(|listed| listed == tool), "{why}, OMP_TEST_WITHOUT={tool} goes without");
}
