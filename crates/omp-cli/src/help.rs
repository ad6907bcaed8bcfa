//! `--help`, for the program and for each command, drawn from the table.

use crate::table::{
    Arity, COMMANDS, Command, ENVIRONMENT, EXAMPLES, ExitStatus, Flag, Flags, LAUNCH, Positional, TAGLINE,
    Takes, ValueKind, find_command,
};

/// What help is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    Program,
    /// The name of a command.
    Command(&'static str),
}

/// Narrower than this the second column has no room; wider than this lines are hard to read.
const WIDTHS: std::ops::RangeInclusive<usize> = 40..=100;
/// Where explanations start. A longer left side gets a line of its own.
const COLUMN: usize = 30;
/// The least room for an explanation.
const MEANING: usize = 26;
const NOT_YET: &str = "(not available yet)";

/// The text for standard output, at most `width` columns wide where words allow it, each line ended.
pub fn render_help(topic: Topic, width: usize, version: &str) -> String {
    let mut page = Page { text: String::new(), width: width.clamp(*WIDTHS.start(), *WIDTHS.end()) };
    match topic {
        Topic::Program => program(&mut page, version),
        Topic::Command(name) => match find_command(name) {
            Some(command) => command_page(&mut page, command),
            None => program(&mut page, version),
        },
    }
    page.text
}

fn program(page: &mut Page, version: &str) {
    page.line(&format!("omp v{version}"));
    page.line(TAGLINE);
    page.heading("Usage");
    page.line("  omp [command] [flags] [messages...]");
    for group in LAUNCH {
        page.heading(group.title);
        flag_rows(page, group.flags.iter());
    }
    page.heading("Examples");
    for (example, meaning) in EXAMPLES {
        page.row(example, meaning, 46);
    }
    page.heading("Commands");
    let mut commands: Vec<&Command> = COMMANDS.iter().filter(|command| !command.hidden).collect();
    commands.sort_by_key(|command| command.name);
    for command in commands {
        page.row(&command_names(command), &with_mark(command.summary, command.waits_for), 18);
    }
    page.line("");
    page.paragraph("", "Run 'omp <command> --help' for the arguments and flags of a command.");
    page.heading("Environment");
    for (name, meaning) in ENVIRONMENT {
        page.row(name, meaning, COLUMN);
    }
    page.heading("Exit codes");
    for status in ExitStatus::ALL {
        page.row(&status.code().to_string(), status.when(), 8);
    }
}

fn command_page(page: &mut Page, command: &Command) {
    page.paragraph("", &with_mark(command.summary, command.waits_for));
    if !command.details.is_empty() {
        page.paragraph("", command.details);
    }
    page.heading("Usage");
    page.paragraph("  ", &usage_line(command));
    for alias in command.aliases {
        page.line(&format!("  omp {alias} ..."));
    }
    if !command.args.is_empty() {
        page.heading("Arguments");
        for arg in command.args {
            page.row(arg.name, &argument_help(arg), COLUMN);
        }
    }
    match command.flags {
        Flags::Launch => {
            for group in LAUNCH {
                page.heading(group.title);
                flag_rows(page, group.flags.iter());
            }
        }
        Flags::Own(_) => {
            page.heading("Flags");
            flag_rows(page, command.all_flags().into_iter());
        }
    }
    if !command.examples.is_empty() {
        page.heading("Examples");
        for example in command.examples {
            page.line(&format!("  {example}"));
        }
    }
}

/// `omp grep <pattern> [path] [flags]`.
pub(crate) fn usage_line(command: &Command) -> String {
    let mut words = vec![format!("omp {}", command.name)];
    words.extend(command.args.iter().map(usage_of_argument));
    if !matches!(command.flags, Flags::Own([])) {
        words.push("[flags]".into());
    }
    words.join(" ")
}

fn usage_of_argument(arg: &Positional) -> String {
    let name = match arg.kind {
        ValueKind::OneOf(words) => words.join("|"),
        _ => arg.name.to_owned(),
    };
    match arg.arity {
        Arity::One => format!("<{name}>"),
        Arity::Optional => format!("[{name}]"),
        Arity::OneOrMore => format!("<{name}...>"),
        Arity::Any => format!("[{name}...]"),
    }
}

fn argument_help(arg: &Positional) -> String {
    match arg.kind {
        ValueKind::OneOf(words) => format!("{}: {}", arg.help, words.join(", ")),
        _ => arg.help.to_owned(),
    }
}

fn flag_rows<'a>(page: &mut Page, flags: impl Iterator<Item = &'a Flag>) {
    for flag in flags.filter(|flag| !flag.hidden) {
        page.row(&flag_names(flag), &with_mark(&flag_help(flag), flag.waits_for), COLUMN);
    }
}

/// `-r, --resume, --session [session]`, with room for the short form in front so that long names align.
pub(crate) fn flag_names(flag: &Flag) -> String {
    let short = flag.short.map_or("    ".to_owned(), |short| format!("-{short}, "));
    let long: Vec<String> =
        std::iter::once(&flag.long).chain(flag.aliases).map(|name| format!("--{name}")).collect();
    let value = match flag.takes {
        Takes::Nothing => String::new(),
        Takes::Required(_) => format!(" <{}>", flag.metavar),
        Takes::Optional(_) => format!(" [{}]", flag.metavar),
    };
    format!("{short}{}{value}", long.join(", "))
}

pub(crate) fn flag_help(flag: &Flag) -> String {
    match flag.takes.kind().map(ValueKind::words) {
        Some(words) if !words.is_empty() => format!("{}: {}", flag.help, words.join(", ")),
        _ => flag.help.to_owned(),
    }
}

pub(crate) fn command_names(command: &Command) -> String {
    std::iter::once(&command.name).chain(command.aliases).copied().collect::<Vec<_>>().join(", ")
}

pub(crate) fn with_mark(text: &str, waits_for: Option<&str>) -> String {
    match waits_for {
        Some(_) => format!("{text} {NOT_YET}"),
        None => text.to_owned(),
    }
}

/// Text of a limited width. The table is ASCII, so a byte is a column.
struct Page {
    text: String,
    width: usize,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, title: &str) {
        self.line("");
        self.line(&format!("{title}:"));
    }

    fn paragraph(&mut self, indent: &str, text: &str) {
        for line in wrap(text, self.width - indent.len()) {
            self.line(&format!("{indent}{line}"));
        }
    }

    /// `left`, then `right` from `column` on, wrapped below itself. On a narrow page the column moves
    /// left, so that there is room for the explanation.
    fn row(&mut self, left: &str, right: &str, column: usize) {
        let column = column.min(self.width - MEANING);
        let mut lines = wrap(right, self.width - column).into_iter();
        let left = format!("  {left}");
        if left.len() + 2 <= column {
            let first = lines.next().unwrap_or_default();
            self.line(&format!("{left:column$}{first}"));
        } else {
            self.line(&left);
        }
        for line in lines {
            self.line(&format!("{:column$}{line}", ""));
        }
    }
}

/// Breaks text at spaces. A mark in brackets is kept on one line.
fn wrap(text: &str, width: usize) -> Vec<String> {
    const GLUE: char = '\u{a0}';
    let glued = text.replace(NOT_YET, &NOT_YET.replace(' ', "\u{a0}"));
    let mut lines: Vec<String> = Vec::new();
    for word in glued.split(' ') {
        let room = |line: &&mut String| line.chars().count() + 1 + word.chars().count() <= width;
        match lines.last_mut().filter(room) {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| line.replace(GLUE, " ")).collect()
}
