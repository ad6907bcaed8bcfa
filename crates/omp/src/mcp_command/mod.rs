//! `omp mcp`: the servers that sessions use ([`servers`]), and omp as a server ([`serve`]).

mod approvals;
mod backend;
mod run_tool;
mod serve;
mod servers;
mod session_resources;

use omp_cli::CommandCall;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match call.args.text("action") {
        Some("serve") => serve::run(call, profile),
        _ => servers::run(call, profile),
    }
}
