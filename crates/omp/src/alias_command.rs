//! `omp --profile <name> --alias <command>`.

use omp_cli::Parsed;
use omp_sdk::alias::{self, Change, Shell};
use omp_sdk::{Environment, ProcessEnvironment, Profile};

use crate::command_context;
use crate::output::{self, Stream};

/// Makes the shell command and says how to use it.
pub(crate) fn run(profile: Option<&str>, name: &str, rest: &Parsed) -> u8 {
    match prepare(profile, rest).and_then(|profile| install(&profile, name)) {
        Ok(report) => output::print(Stream::Out, &report),
        Err(error) => output::fail(&error, &[]),
    }
}

/// The profile to make the command for. Whoever asks for something else besides expects it to happen.
fn prepare(profile: Option<&str>, rest: &Parsed) -> Result<Profile, String> {
    let Some(profile) = profile else {
        return Err("--alias needs --profile: the alias starts omp with that profile".to_owned());
    };
    let nothing_else = match rest {
        Parsed::Launch(first) => omp_cli::parse_second(first, &[])
            .map_err(|error| error.to_string())
            .map(|launch| launch.messages.is_empty() && launch.attachments.is_empty())?,
        _ => false,
    };
    if !nothing_else {
        return Err("--alias only creates a shell command; omit the prompt and other commands".to_owned());
    }
    Profile::parse(profile).map_err(|error| error.to_string())
}

fn install(profile: &Profile, name: &str) -> Result<String, String> {
    let env = |name: &str| ProcessEnvironment.var(name);
    let shell = Shell::from_variable(env("SHELL").as_deref()).map_err(|error| error.to_string())?;
    let home = command_context::directories(Some(&profile.to_string()))?.home;
    let done = alias::install(shell, name, profile, &home, env).map_err(|error| error.to_string())?;
    let file = done.file.display();
    let said = match done.change {
        Change::Added => format!("Added {name} to {file}"),
        Change::Replaced => format!("Replaced {name} in {file}"),
        Change::None => format!("{name} is already in {file}"),
    };
    Ok(format!("{said}\nIt runs omp --profile={profile}. Open a new terminal, or run: {}\n", done.reload))
}
