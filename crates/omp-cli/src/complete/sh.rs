//! What the bash and the zsh script have in common: tables as `case` statements.

use std::fmt::Write as _;

use super::{commands, flags, names, positions, source_of, table_of, tables};

pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The functions that look up commands, values of flags, and arguments. `known` is the code that
/// succeeds if flag `$2` is in table `$1`.
pub(super) fn tables_as_cases(known: &str) -> String {
    [command_case(), value_case(known), argument_case()].join("\n")
}

fn command_case() -> String {
    let mut text = String::from(
        "# Sets table to the one that a command completes from; fails for other words.\n\
         __omp_command() {\n    case $1 in\n",
    );
    for command in commands() {
        let names: Vec<&str> = names(command).collect();
        let _ = writeln!(text, "        {}) table={} ;;", names.join("|"), table_of(command));
    }
    text.push_str("        *) return 1 ;;\n    esac\n}\n");
    text
}

fn value_case(known: &str) -> String {
    let mut text = String::from(
        "# Sets kind to what a flag of a table takes, empty for a switch; fails for unknown flags.\n\
         __omp_kind() {\n    kind=''\n    case \"$1 $2\" in\n",
    );
    for command in tables() {
        for flag in flags(command) {
            let Some(source) = source_of(flag) else { continue };
            let patterns: Vec<String> =
                flag.spellings().map(|spelled| quoted(&format!("{} {spelled}", command.name))).collect();
            let _ = writeln!(text, "        {}) kind={} ;;", patterns.join("|"), quoted(&source));
        }
    }
    let _ = writeln!(text, "        *)\n            {known}\n            ;;\n    esac\n}}");
    text
}

fn argument_case() -> String {
    let mut text = String::from(
        "# Sets kind to what the argument of that number is.\n\
         __omp_argument() {\n    kind='nothing'\n    case \"$1 $2\" in\n",
    );
    for command in tables() {
        for (pattern, source) in positions(command) {
            let _ = writeln!(text, "        '{} '{pattern}) kind={} ;;", command.name, quoted(&source));
        }
    }
    text.push_str("    esac\n}\n");
    text
}
