//! `omp gallery`: how everything looks. `omp keys`: what the terminal sends.

use std::io::IsTerminal;

use omp_cli::{CommandCall, ExitStatus};
use omp_interactive::{End, Exhibition};
use omp_sdk::{Environment, ProcessEnvironment};

use crate::command_context::CommandContext;
use crate::output;
use crate::working_directory;

/// The widest drawing; nobody has a wider terminal.
const WIDEST: usize = 1000;

/// Prints the views that were asked for.
pub(crate) fn gallery(call: &CommandCall, profile: Option<&str>) -> u8 {
    let rendered = CommandContext::here(profile).and_then(|context| {
        let cwd = working_directory::current()?;
        let settings = context.settings(&cwd)?;
        let text = |name: &str| call.values.text(name).map(str::to_owned);
        let wish = Exhibition {
            tool: text("tool"),
            state: text("state"),
            width: width(call)?,
            expanded: call.values.has("expanded"),
            plain: call.values.has("plain") || !std::io::stdout().is_terminal(),
        };
        wish.render(&context.directories, &settings, |name| ProcessEnvironment.var(name))
    });
    match rendered {
        Ok(text) => output::print_drawn(&text),
        Err(error) => output::fail(&error, &[]),
    }
}

fn width(call: &CommandCall) -> Result<usize, String> {
    let Some(wanted) = call.values.integer("width") else {
        return Ok(omp_tui::terminal::width().unwrap_or_else(output::width));
    };
    let width = usize::try_from(wanted).ok().filter(|width| (1..=WIDEST).contains(width));
    width.ok_or_else(|| format!("--width {wanted} is not between 1 and {WIDEST}"))
}

/// Shows keys until the user leaves.
pub(crate) fn keys(profile: Option<&str>) -> u8 {
    let context = match CommandContext::here(profile) {
        Ok(context) => context,
        Err(error) => return output::fail(&error, &[]),
    };
    match omp_interactive::show_keys(&context.directories, |name| ProcessEnvironment.var(name)) {
        Ok(End::Left) => ExitStatus::Success.code(),
        Ok(End::Closed) => ExitStatus::HungUp.code(),
        Ok(End::Signal(signal)) => 128 + u8::try_from(signal).unwrap_or(0),
        Err(error) => output::fail(&error.to_string(), &[]),
    }
}
