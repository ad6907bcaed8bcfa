//! The manual page `omp(1)`, written from the same tables as `--help`.

use std::fmt::Write as _;

use crate::help::{command_names, flag_help, flag_names, with_mark};
use crate::table::{COMMANDS, ENVIRONMENT, EXAMPLES, ExitStatus, Flag, Flags, LAUNCH, TAGLINE};

/// The page as roff, for the `man` macros.
pub fn man_page(version: &str) -> String {
    let mut page = format!(".TH OMP 1 \"\" \"omp {version}\" \"User Commands\"\n");
    let _ = write!(page, ".SH NAME\nomp \\- {}\n", escaped(TAGLINE.trim_end_matches('.')));
    page.push_str(".SH SYNOPSIS\n.B omp\n[\\fIcommand\\fR] [\\fIflags\\fR] [\\fImessages\\fR...]\n");
    page.push_str(".SH OPTIONS\n");
    for group in LAUNCH {
        let _ = writeln!(page, ".SS {}", escaped(group.title));
        flags(&mut page, group.flags);
    }
    page.push_str(".SH COMMANDS\n");
    for command in COMMANDS.iter().filter(|command| !command.hidden) {
        let _ = writeln!(page, ".SS omp {}", escaped(&command_names(command)));
        let _ = writeln!(page, "{}", escaped(&with_mark(command.summary, command.waits_for)));
        if let Flags::Own(own) = command.flags {
            flags(&mut page, own);
        }
    }
    page.push_str(".SH ENVIRONMENT\n");
    for (name, meaning) in ENVIRONMENT {
        row(&mut page, name, meaning);
    }
    page.push_str(".SH EXIT STATUS\n");
    for status in ExitStatus::ALL {
        row(&mut page, &status.code().to_string(), status.when());
    }
    page.push_str(".SH EXAMPLES\n");
    for (example, meaning) in EXAMPLES {
        row(&mut page, example, meaning);
    }
    page
}

fn flags(page: &mut String, rows: &[Flag]) {
    for flag in rows.iter().filter(|flag| !flag.hidden) {
        row(page, flag_names(flag).trim_start(), &with_mark(&flag_help(flag), flag.waits_for));
    }
}

fn row(page: &mut String, name: &str, meaning: &str) {
    let _ = write!(page, ".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(meaning));
}

/// Text that roff shows as it is: a dash stays a dash, and no line is a request.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}
