//! `omp mcp`.

mod approvals;
mod backend;
mod run_tool;
mod serve;
mod session_resources;

use omp_cli::CommandCall;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match call.args.text("action") {
        Some("serve") => serve::run(call, profile),
        // The table knows no other action.
        _ => 2,
    }
}
