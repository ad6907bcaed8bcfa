use std::io::Write;

use brush_core::traps::TrapSignal;
use brush_core::virtualprocess::VirtualProcess;
use brush_core::{ExecutionExitCode, ExecutionResult, builtins, sys};
use clap::Parser;

/// Signal a job or process.
#[derive(Parser)]
pub(crate) struct KillCommand {
    /// Options (`-s NAME`, `-n NUMBER`, `-SIGNAL`, `-l`), processes and jobs. A number with a
    /// minus sign is a signal or a process group, depending on where it stands.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    args: Vec<String>,
}

impl builtins::Command for KillCommand {
    type Error = brush_core::Error;

    async fn execute<SE: brush_core::ShellExtensions>(
        &self,
        context: brush_core::ExecutionContext<'_, SE>,
    ) -> Result<brush_core::ExecutionResult, Self::Error> {
        let mut args = self.args.iter().map(String::as_str).peekable();
        let mut signal = nix::libc::SIGTERM;

        if let Some(option) = args.next_if(|arg| arg.len() > 1 && arg.starts_with('-')) {
            let name = match option {
                "--" => None,
                "-l" | "-L" => {
                    let signals: Vec<String> = args.map(ToOwned::to_owned).collect();
                    return print_signals(&context, &signals);
                }
                "-s" | "-n" => args.next(),
                _ => option
                    .strip_prefix("-s")
                    .filter(|rest| parse_signal(rest).is_some())
                    .or_else(|| option.strip_prefix('-')),
            };
            if let Some(name) = name {
                let Some(number) = parse_signal(name) else {
                    writeln!(
                        context.stderr(),
                        "{}: {name}: invalid signal specification",
                        context.command_name
                    )?;
                    return Ok(ExecutionResult::general_error());
                };
                signal = number;
                args.next_if_eq(&"--");
            }
        }

        if args.peek().is_none() {
            writeln!(
                context.stderr(),
                "{0}: usage: {0} [-s sigspec | -n signum | -sigspec] pid | jobspec ... or {0} -l [sigspec]",
                context.command_name
            )?;
            return Ok(ExecutionExitCode::InvalidUsage.into());
        }

        let mut result = ExecutionResult::success();
        for target in args {
            if let Err(message) = send_signal(&context, target, signal) {
                writeln!(
                    context.stderr(),
                    "{}: {message}",
                    context.command_name
                )?;
                result = ExecutionResult::general_error();
            }
        }
        Ok(result)
    }
}

/// Parses the name or number of a signal.
fn parse_signal(spec: &str) -> Option<i32> {
    if let Ok(number) = spec.parse::<i32>() {
        return (0..=64).contains(&number).then_some(number);
    }
    match TrapSignal::try_from(spec) {
        Ok(signal @ (TrapSignal::Signal(_) | TrapSignal::Exit)) => i32::try_from(signal).ok(),
        _ => None,
    }
}

/// Sends a signal to a process, process group, subshell or job.
fn send_signal(
    context: &brush_core::ExecutionContext<'_, impl brush_core::ShellExtensions>,
    target: &str,
    signal: i32,
) -> Result<(), String> {
    let pid = if target.starts_with('%') {
        let job = context.shell.jobs().jobs.iter().find(|job| {
            target
                .trim_start_matches('%')
                .parse::<usize>()
                .map_or_else(|_| job.is_current(), |id| job.id == id)
        });
        job.and_then(|job| job.representative_pid())
            .ok_or_else(|| std::format!("{target}: no such job"))?
    } else {
        target.parse::<i32>().map_err(|_| {
            std::format!("{target}: arguments must be process or job IDs")
        })?
    };

    if VirtualProcess::is_virtual_id(pid) {
        let process = VirtualProcess::find(pid)
            .filter(|_| {
                // A job that has ended is only there to be waited for.
                let job = context
                    .shell
                    .jobs()
                    .jobs
                    .iter()
                    .find(|job| job.representative_pid() == Some(pid));
                job.is_none_or(|job| !job.has_ended())
            })
            .ok_or_else(|| std::format!("({target}) - No such process"))?;
        process.send_signal(signal);
        return Ok(());
    }

    sys::signal::send_signal(pid, signal).map_err(|error| {
        let reason = match error.kind() {
            std::io::ErrorKind::PermissionDenied => "Operation not permitted",
            _ => "No such process",
        };
        std::format!("({target}) - {reason}")
    })
}

fn print_signals(
    context: &brush_core::ExecutionContext<'_, impl brush_core::ShellExtensions>,
    signals: &[String],
) -> Result<ExecutionResult, brush_core::Error> {
    let mut result = ExecutionResult::success();
    if signals.is_empty() {
        brush_core::traps::format_signals(
            context.stdout(),
            TrapSignal::iterator().filter(|s| !matches!(s, TrapSignal::Exit)),
        )?;
        return Ok(result);
    }

    for spec in signals {
        // If the user gives us a code, we print the name; if they give a name, we print its
        // code. A status that a signal left is as good as its code.
        let described = if let Ok(code) = spec.parse::<i32>() {
            TrapSignal::try_from(if code > 128 { code - 128 } else { code })
                .ok()
                .map(|s| s.as_str().trim_start_matches("SIG").to_owned())
        } else {
            parse_signal(spec).map(|number| number.to_string())
        };

        match described {
            Some(text) => writeln!(context.stdout(), "{text}")?,
            None => {
                writeln!(
                    context.stderr(),
                    "{}: {spec}: invalid signal specification",
                    context.command_name
                )?;
                result = ExecutionResult::general_error();
            }
        }
    }
    Ok(result)
}
