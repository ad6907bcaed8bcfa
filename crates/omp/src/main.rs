//! `omp`: reads the command line, chooses a mode, sets the exit code. Everything else is in the libraries.

mod attach;
mod commands;
mod input;
mod json;
mod launch;
mod output;
mod place;
mod print;
mod signals;
mod startup;

use std::process::ExitCode;

use omp_cli::{Parsed, VersionForm};

use output::Stream;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn main() -> ExitCode {
    output::install_panic_hook();
    // A panic has already been reported by the hook; here it only becomes an exit code.
    let code = std::panic::catch_unwind(run).unwrap_or(1);
    ExitCode::from(code)
}

fn run() -> u8 {
    let invocation = match omp_cli::parse(std::env::args_os().skip(1).collect()) {
        Ok(invocation) => invocation,
        Err(error) => return usage(&error),
    };
    if let Err(error) = invocation.require_available() {
        return usage(&error);
    }
    match invocation.parsed {
        Parsed::Version(VersionForm::Named) => output::print(Stream::Out, &format!("omp/{VERSION}\n")),
        Parsed::Version(VersionForm::Bare) => output::print(Stream::Out, &format!("{VERSION}\n")),
        Parsed::Help(topic) => {
            output::print(Stream::Out, &omp_cli::render_help(topic, output::width(), VERSION))
        }
        Parsed::Completions(shell) => output::print(Stream::Out, &omp_cli::completion_script(shell)),
        Parsed::Complete(query) => commands::complete(&query),
        Parsed::Models(call) => commands::models(&call),
        Parsed::Update => commands::update(),
        Parsed::Command(call) if call.command.name == "session" => commands::sessions(&call),
        Parsed::Command(call) => {
            output::fail(&format!("omp {} is not available yet.", call.command.name), &[])
        }
        Parsed::Launch(first) => match omp_cli::parse_second(&first, &[]) {
            Ok(launch) => launch::start(launch),
            Err(error) => usage(&error),
        },
    }
}

fn usage(error: &omp_cli::UsageError) -> u8 {
    output::print(Stream::Err, &error.render());
    error.exit_code()
}
