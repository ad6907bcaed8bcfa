//! The commands inside the interpreter.

use std::collections::HashMap;
use std::io::Write as _;
use std::pin::Pin;

use brush_builtins::{BuiltinSet, default_builtins};
use brush_core::builtins::Registration;
use brush_core::commands::{CommandArg, ExecutionContext};
use brush_core::{Error, ExecutionResult};

use crate::messages::{Extensions, place};
use crate::printf::{PRINTF_USAGE, printf};

type Running<'a> = Pin<Box<dyn Future<Output = Result<ExecutionResult, Error>> + Send + 'a>>;

/// The interpreter's own commands, some of them replaced. Its `printf` is left out, for all that it would bring along.
pub(crate) fn builtins() -> HashMap<String, Registration<Extensions>> {
    let mut all = default_builtins(BuiltinSet::BashMode);
    let printf = Registration {
        execute_func: printf,
        content_func: |_, _, _| Ok(format!("{PRINTF_USAGE}\n")),
        disabled: false,
        special_builtin: false,
        declaration_builtin: false,
    };
    all.insert("printf".into(), printf);
    if let Some(registration) = all.get_mut("disown") {
        registration.execute_func = disown;
    }
    all
}

/// `disown [-ahr] [JOB...]`: the shell forgets about jobs, which run on.
fn disown(context: ExecutionContext<'_, Extensions>, arguments: Vec<CommandArg>) -> Running<'_> {
    let words: Vec<String> = arguments.into_iter().skip(1).map(|argument| argument.to_string()).collect();
    Box::pin(async move {
        let (options, jobs): (Vec<&String>, Vec<&String>) =
            words.iter().partition(|word| word.starts_with('-'));
        // With `-h`, they are only kept from a signal that we never send.
        if options.iter().any(|option| option.contains('h')) {
            return Ok(ExecutionResult::success());
        }
        if jobs.is_empty() {
            let everything = options.iter().any(|option| option.contains(['a', 'r']));
            context.shell.jobs_mut().jobs.retain(|job| !everything && !job.is_current());
            return Ok(ExecutionResult::success());
        }
        let mut result = ExecutionResult::success();
        for name in jobs {
            match context.shell.jobs_mut().find_job(name).map(|job| job.id) {
                Some(id) => context.shell.jobs_mut().jobs.retain(|job| job.id != id),
                None => {
                    writeln!(context.stderr(), "{}: disown: {name}: no such job", place(context.shell))?;
                    result = ExecutionResult::general_error();
                }
            }
        }
        Ok(result)
    })
}
