//! Recursive deletes that reach the root of the file system or somebody's whole home.

use std::path::Path;

use super::path::{Target, resolve};
use super::simple::Call;
use super::word::Text;

const REASON: &str = "Deletes everything below the root, a system directory or the home directory";

/// Directories without which a system or its users have nothing left.
const VITAL: &[&str] = &[
    "/",
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/home",
    "/lib",
    "/lib64",
    "/opt",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/Applications",
    "/Library",
    "/System",
    "/Users",
];

pub(super) fn reason(call: &Call<'_>) -> Option<&'static str> {
    let hit = match call.program() {
        "rm" => {
            is_recursive(call) && (call.known().any(|word| word == "--no-preserve-root") || any_vital(call))
        }
        "find" => deletes_found(call) && starts(call).any(|word| is_vital(call, word)),
        _ => false,
    };
    hit.then_some(REASON)
}

fn is_recursive(call: &Call<'_>) -> bool {
    call.known().take_while(|word| *word != "--").any(|word| match word.strip_prefix("--") {
        Some(long) => !long.is_empty() && "recursive".starts_with(long),
        None => word.starts_with('-') && word.contains(['r', 'R']),
    })
}

fn any_vital(call: &Call<'_>) -> bool {
    call.arguments().iter().any(|word| !word.value().starts_with('-') && is_vital(call, word))
}

/// Where `find` begins.
fn starts<'c>(call: &'c Call<'_>) -> impl Iterator<Item = &'c Text> {
    call.arguments()
        .iter()
        .skip_while(|word| matches!(word.value(), "-H" | "-L" | "-P"))
        .take_while(|word| !word.value().starts_with(['-', '(', '!']))
}

/// Everything that is found goes, whatever it is called.
fn deletes_found(call: &Call<'_>) -> bool {
    let words: Vec<&str> = call.arguments().iter().map(Text::value).collect();
    let narrow =
        ["-name", "-iname", "-path", "-ipath", "-regex", "-newer", "-mtime", "-size", "-empty", "-user"];
    let runs_rm =
        words.windows(2).any(|pair| matches!(pair[0], "-exec" | "-execdir") && pair[1].ends_with("rm"));
    (words.contains(&"-delete") || runs_rm) && !words.iter().any(|word| narrow.contains(word))
}

/// A variable that may be empty is taken for empty: what is left of the path is what is at stake.
fn is_vital(call: &Call<'_>, word: &Text) -> bool {
    let Some(text) = word.at_worst().filter(|text| !text.is_empty()) else { return false };
    let text = match word.globbed {
        true => without_patterns(&text),
        false => text.as_str(),
    };
    let text = if text.is_empty() { "." } else { text };
    resolve(text, call.cwd, call.place).is_some_and(|target| is_vital_place(call, &target))
}

fn is_vital_place(call: &Call<'_>, target: &Target) -> bool {
    target.names().into_iter().any(|path| {
        VITAL.iter().any(|vital| path == Path::new(vital)) || call.place.home.is_some_and(|home| path == home)
    })
}

/// `/*` is all of `/`, and `dir/.*` all of `dir`.
fn without_patterns(text: &str) -> &str {
    let mut rest = text;
    while let Some((before, last)) = rest.rsplit_once('/').or_else(|| rest.chars().next().map(|_| ("", rest)))
        && last.contains('*')
        && last.chars().all(|letter| matches!(letter, '*' | '.' | '?'))
    {
        let root = before.is_empty() && rest.starts_with('/');
        rest = if root { "/" } else { before };
        if root || before.is_empty() {
            break;
        }
    }
    rest
}
