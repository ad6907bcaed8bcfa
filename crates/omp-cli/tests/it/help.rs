//! The help pages.

use omp_cli::table::{COMMANDS, ENVIRONMENT, launch_flags};
use omp_cli::{Topic, render_help};

use crate::support::flags_in_help;

#[test]
fn the_program_page_has_every_part() {
    let page = render_help(Topic::Program, 80, "1.2.3");
    assert!(page.starts_with("omp v1.2.3\n"));
    let headings: Vec<usize> =
        ["Usage:", "Output flags:", "Examples:", "Commands:", "Environment:", "Exit codes:"]
            .iter()
            .map(|heading| page.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("no {heading}")))
            .collect();
    assert!(headings.is_sorted());

    let mut flags: Vec<String> = launch_flags().flat_map(|flag| flag.spellings()).collect();
    flags.sort();
    assert_eq!(flags_in_help(&page), flags);
    for (name, _) in ENVIRONMENT {
        assert!(page.contains(name), "{name}");
    }
}

#[test]
fn commands_are_listed_sorted_with_what_does_not_work_yet() {
    let page = render_help(Topic::Program, 100, "1.2.3");
    let list = page.split("\nCommands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let rows: Vec<&str> = list.lines().filter(|line| !line.starts_with("   ")).map(str::trim_start).collect();
    let names: Vec<&str> = rows.iter().filter_map(|row| row.split([' ', ',']).next()).collect();
    let expected: Vec<&str> =
        COMMANDS.iter().filter(|command| !command.hidden).map(|command| command.name).collect();
    assert_eq!(names, expected);
    assert!(names.is_sorted() && !page.contains("__complete"));
    for command in COMMANDS.iter().filter(|command| !command.hidden) {
        let entry = list.split("\n  ").find(|row| row.trim_start().starts_with(command.name));
        let own = render_help(Topic::Command(command.name), 100, "1.2.3");
        let marked = |text: &str| text.contains("(not available yet)");
        assert!(entry.is_some(), "{}", command.name);
        assert_eq!(
            marked(own.split("\n\n").next().unwrap()),
            command.waits_for.is_some(),
            "{}",
            command.name
        );
    }
}

#[test]
fn a_command_page_explains_arguments_flags_and_examples() {
    let page = render_help(Topic::Command("grep"), 80, "1.2.3");
    for part in [
        "Search files like the search tool\n",
        "Usage:\n  omp grep <pattern> [path] [flags]\n",
        "Arguments:\n  pattern                     Regular expression\n",
        "  -l, --limit <n>             Maximum number of matches (default: 20)\n",
        "  -h, --help                  Show this help and exit\n",
        "Examples:\n  omp grep 'fn main' src -g '*.rs'\n",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(render_help(Topic::Command("worktree"), 80, "1").contains("\n  omp wt ...\n"));
    for command in COMMANDS {
        let page = render_help(Topic::Command(command.name), 80, "1.2.3");
        assert!(page.contains(command.summary.split(' ').next().unwrap()) && page.contains("\nUsage:\n"));
    }
}

#[test]
fn pages_keep_to_their_width() {
    for width in [0, 40, 60, 80, 100, 1000] {
        for topic in std::iter::once(Topic::Program).chain(COMMANDS.iter().map(|c| Topic::Command(c.name))) {
            let limit = width.clamp(40, 100);
            for line in render_help(topic, width, "1.2.3").lines() {
                // Names and examples are never broken.
                let fits = line.len() <= limit || is_one_piece(line);
                assert!(fits, "{topic:?} at {width}: {line:?}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }
    for line in render_help(Topic::Program, 80, "1.2.3").lines() {
        assert!(line.len() <= 80, "{line:?}");
    }
}

/// A flag with its value, an example, or a single word: what has no place to break at.
fn is_one_piece(line: &str) -> bool {
    let text = line.trim_start();
    line.starts_with("  ") && (text.starts_with('-') || text.contains("omp ") || !text.contains(' '))
}
