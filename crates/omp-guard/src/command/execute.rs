//! Programs that fetch from elsewhere, and programs that run what they read.

use super::simple::Call;
use super::unwrap::SHELLS;
use super::word::Text;

/// Why the two together are dangerous.
pub(super) const REASON: &str = "Runs code fetched from the network";

/// What a program does in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Its output comes from elsewhere.
    Fetches,
    /// It runs what it reads.
    RunsInput,
    Other,
}

const FETCHERS: &[&str] = &["curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lynx"];

pub(super) fn role(call: &Call<'_>) -> Role {
    let program = call.program();
    if FETCHERS.contains(&program) {
        return Role::Fetches;
    }
    match runs_input(program, call.arguments()) {
        true => Role::RunsInput,
        false => Role::Other,
    }
}

/// Options of an interpreter after which its program is not standard input.
fn program_options(program: &str) -> Option<&'static [&'static str]> {
    let name = program.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    match name {
        name if SHELLS.contains(&name) => Some(&["-c"]),
        "python" | "pypy" => Some(&["-c", "-m"]),
        "perl" | "ruby" => Some(&["-e", "-E", "-n", "-p", "-ne", "-pe", "-lne", "-lpe", "-pi", "-i", "-c"]),
        "node" | "bun" | "deno" => Some(&["-e", "-p", "-c", "--eval", "--print", "run", "eval"]),
        "php" => Some(&["-r", "-f"]),
        "lua" | "osascript" | "tclsh" | "Rscript" => Some(&["-e"]),
        _ => None,
    }
}

/// Would this program take what it reads for its program?
fn runs_input(program: &str, arguments: &[Text]) -> bool {
    if matches!(program, "source" | ".") {
        return arguments.first().is_some_and(is_standard_input);
    }
    let Some(own) = program_options(program) else { return false };
    let shell = SHELLS.contains(&program);
    for word in arguments {
        let text = word.value();
        if is_standard_input(word) || (shell && text == "-s") {
            return true;
        }
        if own.contains(&text) || !text.starts_with('-') {
            return false;
        }
    }
    true
}

fn is_standard_input(word: &Text) -> bool {
    matches!(word.known(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
}

/// Is one of the words that this call runs, as a program or as its name, fetched from elsewhere?
pub(super) fn runs_what_it_is_given(call: &Call<'_>) -> bool {
    if call.words.first().is_some_and(|program| program.fetched) {
        return true;
    }
    let program = call.program();
    let runs = matches!(program, "source" | ".") || program_options(program).is_some();
    runs && call.arguments().iter().any(|word| word.fetched)
}
