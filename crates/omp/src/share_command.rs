//! `omp share`: a session by link.

use omp_cli::CommandCall;
use serde_json::json;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::session_command::saved;
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match share(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn share(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let context = CommandContext::here(profile)?;
    let saved = saved(call, &context)?;
    let cwd = working_directory::current()?;
    let settings = context.settings(&cwd)?;
    let runtime = runtime::start()?;
    let session = call.args.text("session");
    let shared = saved.share(session, &context.directories, &settings, &context.environment);
    let shared = runtime.block_on(shared).map_err(|error| error.to_string())?;
    let left_out = shared.trim.to_string();
    if !left_out.is_empty() {
        output::warn(&left_out);
    }
    if let Some(message) = &shared.message {
        output::warn(message);
    }
    Ok(match call.values.has("json") {
        true => output::print_json(&json!({"url": shared.url, "gist": shared.gist, "leftOut": left_out})),
        false => output::print(Stream::Out, &format!("{}\n", shared.url)),
    })
}
