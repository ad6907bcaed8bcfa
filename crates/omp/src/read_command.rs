//! `omp read`: what the read tool gives the model.

use std::io::IsTerminal;

use omp_cli::CommandCall;
use omp_types::UserBlock;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::command_context::CommandContext;
use crate::output::{self, Stream};
use crate::runtime;
use crate::signals::Signals;
use crate::working_directory;

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    let path = call.args.path("path").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    match read(&path, profile) {
        Ok(code) => code,
        Err(message) => output::fail(&message, &[]),
    }
}

fn read(path: &str, profile: Option<&str>) -> Result<u8, String> {
    let bench = CommandContext::here(profile)?.workbench(working_directory::current()?)?;
    let runtime = runtime::start()?;
    let code = runtime.block_on(async {
        let cancel = CancellationToken::new();
        let signals = Signals::watch(cancel.clone());
        let arguments = Map::from_iter([("path".to_owned(), Value::from(path))]);
        let given = bench.run("read", arguments, cancel).await;
        bench.close().await;
        match (signals.exit_code(), given) {
            (Some(code), _) => Ok(code),
            (None, Ok(given)) => Ok(shown(&text(&given.content))),
            (None, Err(error)) => Err(error.message),
        }
    });
    runtime.shutdown_background();
    code
}

/// On a terminal nothing of it is hidden; in a pipe emoji and other scripts stay as they are.
fn shown(text: &str) -> u8 {
    match std::io::stdout().is_terminal() {
        true => output::print(Stream::Out, text),
        false => output::print_prose(text),
    }
}

/// Text as it is, pictures by what they are.
fn text(content: &[UserBlock]) -> String {
    let mut text = String::new();
    for block in content {
        let shown = match block {
            UserBlock::Text(block) => block.text.clone(),
            UserBlock::Image(image) => {
                let bytes = image.data.trim_end_matches('=').len() * 3 / 4;
                format!("[image content: {}, {bytes} bytes not shown]", image.mime_type)
            }
        };
        text.push_str(&shown);
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    text
}
