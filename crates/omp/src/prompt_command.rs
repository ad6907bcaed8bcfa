//! `omp prompt`: what a session here would tell the model, and what it costs.

use omp_cli::CommandCall;
use omp_sdk::{Listener, Persistence, PromptReport, Session, SessionOptions};
use omp_types::AgentEvent;

use crate::command_context::CommandContext;
use crate::output;
use crate::runtime;
use crate::working_directory;

struct Nobody;

impl Listener for Nobody {
    fn event(&mut self, _event: AgentEvent) {}
}

pub(crate) fn run(call: &CommandCall, profile: Option<&str>) -> u8 {
    match report(profile) {
        Ok(report) if call.values.has("json") => {
            let text = serde_json::to_string_pretty(&report).unwrap_or_default();
            output::print_json_text(&text)
        }
        Ok(report) => output::print_prose(&render(&report)),
        Err(message) => output::fail(&message, &[]),
    }
}

fn report(profile: Option<&str>) -> Result<PromptReport, String> {
    let CommandContext { directories, environment } = CommandContext::here(profile)?;
    let cwd = working_directory::current()?;
    let options = SessionOptions {
        persistence: Persistence::Off,
        ..SessionOptions::new(cwd, directories, environment)
    };
    let runtime = runtime::start()?;
    let session = runtime.block_on(Session::open(options, Box::new(Nobody)));
    let session = session.map_err(|error| error.to_string())?;
    session.warnings().iter().for_each(|warning| output::warn(warning));
    Ok(session.prompt_report().clone())
}

/// The blocks, then a table of what fills them.
fn render(report: &PromptReport) -> String {
    let mut text = String::new();
    for (number, block) in report.blocks.iter().enumerate() {
        text.push_str(&format!("=== block {number} ===\n{block}\n\n"));
    }
    text.push_str("=== sizes ===\n");
    let mut row = |name: &str, bytes: usize, tokens: usize| {
        text.push_str(&format!("{name:<32} {bytes:>8} bytes {tokens:>7} tokens\n"));
    };
    for section in &report.sections {
        row(&format!("block {}: {}", section.block, section.name), section.bytes, section.tokens);
    }
    for tool in &report.tools {
        row(&format!("tool: {}", tool.name), tool.bytes, tool.tokens);
    }
    row("all", report.bytes, report.tokens);
    text.push_str("Token counts are estimates; actual counts depend on the model's tokenizer.\n");
    text
}
