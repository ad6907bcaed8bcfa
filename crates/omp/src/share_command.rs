//! `omp share`: a session by link.

use omp_cli::CommandCall;
use serde_json::json;

use crate::output::{self, Stream};
use crate::session_command::saved;
use crate::world::World;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match share(call, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn share(call: &CommandCall, profile: Option<&str>) -> Result<u8, String> {
    let world = World::here(profile)?;
    let saved = saved(call, &world)?;
    let cwd =
        std::env::current_dir().map_err(|error| format!("the current directory cannot be used: {error}"))?;
    let settings = world.settings(&cwd)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("the program cannot start its event loop: {error}"))?;
    let session = call.args.text("session");
    let shared = saved.share(session, &world.directories, &settings, world.environment.as_ref());
    let shared = runtime.block_on(shared).map_err(|error| error.to_string())?;
    let left_out = shared.trim.to_string();
    if !left_out.is_empty() {
        output::warn(&left_out);
    }
    Ok(match call.values.has("json") {
        true => output::print_json(&json!({"url": shared.url, "gist": shared.gist, "leftOut": left_out})),
        false => output::print(Stream::Out, &format!("{}\n", shared.url)),
    })
}
