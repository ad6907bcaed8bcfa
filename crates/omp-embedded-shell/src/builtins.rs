//! Commands of the interpreter that are put right here: their arguments are changed into some that it understands.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::OnceLock;

use brush_builtins::{BuiltinSet, default_builtins};
use brush_core::builtins::{CommandExecuteFunc, Registration};
use brush_core::commands::{CommandArg, ExecutionContext};
use brush_core::extensions::DefaultShellExtensions;
use brush_core::parser::ast::{Assignment, AssignmentName, AssignmentValue};
use brush_core::variables::{ArrayLiteral, ShellValueLiteral};
use brush_core::{Error, ExecutionResult, Shell};

type Context<'a> = ExecutionContext<'a, DefaultShellExtensions>;
type Running<'a> = Pin<Box<dyn Future<Output = Result<ExecutionResult, Error>> + Send + 'a>>;

static EXPORT: OnceLock<CommandExecuteFunc<DefaultShellExtensions>> = OnceLock::new();
static PRINTF: OnceLock<CommandExecuteFunc<DefaultShellExtensions>> = OnceLock::new();

/// The interpreter's own commands, some of them put right.
pub(crate) fn builtins() -> HashMap<String, Registration<DefaultShellExtensions>> {
    let mut all = default_builtins(BuiltinSet::BashMode);
    wrap(&mut all, "export", &EXPORT, export);
    wrap(&mut all, "printf", &PRINTF, printf);
    all
}

fn wrap(
    all: &mut HashMap<String, Registration<DefaultShellExtensions>>,
    name: &str,
    original: &'static OnceLock<CommandExecuteFunc<DefaultShellExtensions>>,
    instead: CommandExecuteFunc<DefaultShellExtensions>,
) {
    if let Some(registration) = all.get_mut(name) {
        let _ = original.set(registration.execute_func); // The same for every shell.
        registration.execute_func = instead;
    }
}

fn original<'a>(
    command: &'static OnceLock<CommandExecuteFunc<DefaultShellExtensions>>,
    context: Context<'a>,
    arguments: Vec<CommandArg>,
) -> Running<'a> {
    match command.get() {
        Some(run) => run(context, arguments),
        None => Box::pin(async { Ok(ExecutionResult::general_error()) }),
    }
}

/// `export NAME+=VALUE`: the interpreter forgets the old value, which for `PATH` is all of it.
fn export(context: Context<'_>, arguments: Vec<CommandArg>) -> Running<'_> {
    let appended = |argument| match argument {
        CommandArg::Assignment(assignment) if assignment.append => append(context.shell, assignment),
        other => Ok(other),
    };
    match arguments.into_iter().map(appended).collect::<Result<Vec<_>, Error>>() {
        Ok(arguments) => original(&EXPORT, context, arguments),
        Err(error) => Box::pin(async { Err(error) }),
    }
}

/// Appends to a variable that is there, and leaves its name to be exported. One that is not is a plain assignment.
fn append(shell: &mut Shell, mut assignment: Assignment) -> Result<CommandArg, Error> {
    let AssignmentName::VariableName(name) = &assignment.name else {
        return Ok(CommandArg::Assignment(assignment));
    };
    let Some((_, variable)) = shell.env_mut().get_mut(name) else {
        assignment.append = false;
        return Ok(CommandArg::Assignment(assignment));
    };
    let value = match &assignment.value {
        AssignmentValue::Scalar(word) => ShellValueLiteral::Scalar(word.flatten()),
        AssignmentValue::Array(items) => {
            let items =
                items.iter().map(|(key, word)| (key.as_ref().map(|key| key.flatten()), word.flatten()));
            ShellValueLiteral::Array(ArrayLiteral(items.collect()))
        }
    };
    variable.assign(value, true)?;
    Ok(CommandArg::String(name.clone()))
}

/// `printf -vNAME` in one word, and arguments for which the format has no place: the interpreter takes the first for a
/// format, and prints a format that uses up no argument again and again.
fn printf(context: Context<'_>, arguments: Vec<CommandArg>) -> Running<'_> {
    let mut words: Vec<String> = arguments.into_iter().map(|argument| argument.to_string()).collect();
    // The name of the command comes first.
    if let Some(name) = words.get(1).and_then(|word| word.strip_prefix("-v")).filter(|name| !name.is_empty())
    {
        let name = name.to_owned();
        words.splice(1..2, ["-v".to_owned(), name]);
    }
    let options = match words.get(1).map(String::as_str) {
        Some("-v") => 3,
        Some("--") => 2,
        _ => 1,
    };
    let format = options + usize::from(options == 3 && words.get(3).is_some_and(|word| word == "--"));
    if words.get(format).is_some_and(|format| !takes_arguments(format)) {
        words.truncate(format + 1);
    }
    original(&PRINTF, context, words.into_iter().map(CommandArg::String).collect())
}

/// Does a format use up any argument?
fn takes_arguments(format: &str) -> bool {
    format.replace("%%", "").contains('%')
}

#[cfg(test)]
mod tests {
    use super::takes_arguments;

    #[test]
    fn a_percent_sign_alone_is_no_conversion() {
        assert_eq!(["", "a", "100%%", "%%%%"].map(takes_arguments), [false; 4]);
        assert_eq!(["%s", "%%%d", "%5.2f"].map(takes_arguments), [true; 3]);
    }
}
