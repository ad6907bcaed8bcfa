//! `omp`: reads the command line, chooses a mode, sets the exit code. Everything else is in the libraries.

mod alias_command;
mod attended;
mod bench_command;
mod c_math;
mod clipboard;
mod command_context;
mod commands;
mod commit_command;
mod config_command;
mod crash;
mod disk_usage_command;
mod early_extensions;
mod export_command;
mod extensions_command;
mod external_editor;
mod gallery_command;
mod grep_command;
mod grievances_command;
mod guardian;
mod history_command;
mod input;
mod interactive;
mod json;
mod launch;
mod limits;
mod login_command;
mod mcp_command;
mod models_command;
mod onboarding;
mod options;
mod output;
mod permissions_command;
mod plain;
mod plugin_command;
mod print;
mod profiles_command;
mod prompt_command;
mod read_command;
mod replay_command;
mod resume;
mod resume_list;
mod resume_numbered;
mod runtime;
mod sandbox_command;
mod session_command;
mod setup_command;
mod share_command;
mod shell_command;
mod signals;
mod sources_command;
mod ssh_command;
mod startup;
mod stats_command;
mod sys;
mod terminal;
mod trust_command;
mod unattended;
mod usage_command;
mod working_directory;
mod xdg_command;

use std::process::ExitCode;

use omp_cli::{CommandCall, Parsed, Topic, VersionForm};
use omp_sdk::{Environment, ProcessEnvironment, Profile};

use output::Stream;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The first argument of the process that the embedded shell runs in: ours alone, so it is in no table.
const EMBEDDED_SHELL: &str = "__shell";

/// The first argument of the process that gives the terminal back when this one is killed.
const GUARDIAN: &str = "__guardian";

#[global_allocator]
static MEMORY: limits::Memory = limits::Memory;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == EMBEDDED_SHELL) {
        return ExitCode::from(omp_embedded_shell::serve());
    }
    if std::env::args_os().nth(1).is_some_and(|first| first == GUARDIAN) {
        return guardian::guard(&std::env::args().skip(2).collect::<Vec<_>>());
    }
    hide_from_others();
    crash::install_panic_hook();
    limits::survive_full_files();
    ExitCode::from(match limits::check() {
        Ok(()) => limits::with_enough_stack(guarded),
        Err(error) => output::fail(&error, &[]),
    })
}

/// A panic has already been reported by the hook; here it only becomes an exit code.
fn guarded() -> u8 {
    std::panic::catch_unwind(run).unwrap_or(1)
}

/// Keys are in this process: nobody but root looks into it or attaches to it, not even a program of the same user.
fn hide_from_others() {
    sys::forbid_tracing();
}

fn run() -> u8 {
    let invocation = match omp_cli::parse(std::env::args_os().skip(1).collect()) {
        Ok(invocation) => invocation,
        Err(error) => return usage(&error),
    };
    if let Err(error) = invocation.require_available() {
        return usage(&error);
    }
    let profile = invocation.profile.name.as_deref();
    if let (Some(alias), false) = (&invocation.profile.alias, is_about_omp(&invocation.parsed)) {
        return alias_command::run(profile, alias, &invocation.parsed);
    }
    match invocation.parsed {
        Parsed::Version(VersionForm::Named) => output::print(Stream::Out, &format!("omp/{VERSION}\n")),
        Parsed::Version(VersionForm::Bare) => output::print(Stream::Out, &format!("{VERSION}\n")),
        Parsed::Help(Topic::Command("config")) => config_command::help(profile),
        Parsed::Help(topic) => {
            output::print(Stream::Out, &omp_cli::render_help(topic, output::width(), VERSION))
        }
        Parsed::Completions(shell) => output::print(Stream::Out, &omp_cli::completion_script(shell)),
        Parsed::Complete(query) => commands::complete(&query, profile),
        Parsed::Models(call) => models_command::run(&call, profile),
        Parsed::Update => commands::update(),
        Parsed::Command(call) => command(&call, profile),
        Parsed::Launch(first) => match omp_cli::parse_second(&first, &[]) {
            Ok(launch) if launch.roles.list_models => models_command::list_both(profile),
            Ok(launch) if launch.session.export.is_some() => export_command::run(&launch, profile),
            plainly => launch::start(&first, plainly, profile),
        },
    }
}

/// Questions about the program itself, which go before everything else on the line.
fn is_about_omp(parsed: &Parsed) -> bool {
    matches!(parsed, Parsed::Version(_) | Parsed::Help(_))
}

/// A command with flags and arguments of its own.
fn command(call: &CommandCall, profile: Option<&str>) -> u8 {
    // Also for those that read nothing of the user's: a name that is wrong is not meant.
    if let Err(error) = Profile::choose(profile, |name| ProcessEnvironment.var(name)) {
        return output::fail(&error.to_string(), &[]);
    }
    match call.command.name {
        "bench" => bench_command::run(call, profile),
        "commit" => commit_command::run(call, profile),
        "mcp" => mcp_command::run(call, profile),
        "config" => match call.args.text("action") {
            Some("init-xdg") => xdg_command::init(call, profile),
            Some("sources") => sources_command::run(call, profile),
            _ => config_command::run(call, profile),
        },
        "du" => disk_usage_command::du(call, profile),
        "extensions" => extensions_command::run(call, profile),
        "gallery" => gallery_command::gallery(call, profile),
        "gc" => disk_usage_command::gc(call, profile),
        "grep" => grep_command::run(call),
        "grievances" => grievances_command::run(call, profile),
        "history" => history_command::run(call, profile),
        "keys" => gallery_command::keys(profile),
        "login" => login_command::login(call, profile),
        "logout" => login_command::logout(call, profile),
        "install" => plugin_command::run(call, profile),
        "plugin" => plugin_command::run(call, profile),
        "permissions" => permissions_command::run(call, profile),
        "prompt" => prompt_command::run(call, profile),
        "read" => read_command::run(call, profile),
        "replay" => replay_command::run(call),
        "sandbox" => sandbox_command::run(call, profile),
        "session" => session_command::run(call, profile),
        "setup" => setup_command::run(call, profile),
        "share" => share_command::run(call, profile),
        "shell" => shell_command::run(call, profile),
        "ssh" => ssh_command::run(call, profile),
        "stats" => stats_command::run(call, profile),
        "token" => login_command::token(call, profile),
        "trust" => trust_command::run(call, profile),
        "usage" => usage_command::run(call, profile),
        name => output::fail(&format!("omp {name} is not available yet"), &[]),
    }
}

fn usage(error: &omp_cli::UsageError) -> u8 {
    output::print(Stream::Err, &error.render());
    error.exit_code()
}
