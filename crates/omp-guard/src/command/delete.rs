//! Deletes that reach the root of the file system, somebody's whole home, or something that only a run can tell.

use std::path::{Path, PathBuf};

use super::path::{Target, resolve};
use super::simple::Call;
use super::word::Text;

const EVERYTHING: &str = "Deletes the root, a system directory or the home directory";
const WORKSPACE: &str = "Deletes the whole working directory or its git history";
const UNCERTAIN: &str = "Recursively deletes a path known only at run time";
const IN_CODE: &str = "Recursively deletes from within a script";

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

/// Words by which programs in other languages delete whole trees.
const TREES: &[&str] = &[
    "rmtree",
    "rm_rf",
    "rm_r(",
    "rmSync",
    "rmdirSync",
    "remove_tree",
    "rimraf",
    "remove_dir_all",
    "rm -r",
    "rm -f -r",
];

pub(super) fn reason(call: &Call<'_>) -> Option<&'static str> {
    match call.program() {
        "rm" if is_recursive(call) => {
            let whole = call.known().any(|word| word == "--no-preserve-root").then_some(EVERYTHING);
            whole.or_else(|| operands(call).find_map(|word| at_stake(call, word)))
        }
        "find" => found(call),
        "python" | "python3" | "perl" | "ruby" | "node" | "bun" | "deno" | "php" => {
            let trees = |word: &str| TREES.iter().any(|tree| word.contains(tree));
            call.known().any(trees).then_some(IN_CODE)
        }
        _ => None,
    }
}

/// Places that would be gone. A pattern stands for its directory, an empty variable for nothing.
pub(super) fn places(call: &Call<'_>) -> Vec<PathBuf> {
    let words: Vec<&Text> = match call.program() {
        "find" if found(call).is_some() || call.known().any(|word| word == "-delete") => {
            starts(call).collect()
        }
        "find" => return Vec::new(),
        _ => operands(call).collect(),
    };
    let place = |word: &&Text| {
        let text = word.at_worst().filter(|text| !text.is_empty())?;
        Some(resolve(directory(&text), call.cwd, call.place)?.real)
    };
    words.iter().filter_map(place).collect()
}

fn is_recursive(call: &Call<'_>) -> bool {
    let dashes = |word: &Text| word.value().starts_with('-');
    call.arguments().iter().take_while(|word| word.known() != Some("--")).filter(|word| dashes(word)).any(
        |word| match word.value().strip_prefix("--") {
            Some(long) => !long.is_empty() && "recursive".starts_with(long),
            None => word.value().contains(['r', 'R']),
        },
    )
}

/// What is deleted: words that are not options.
fn operands<'c>(call: &'c Call<'_>) -> impl Iterator<Item = &'c Text> {
    call.arguments().iter().filter(|word| !word.value().starts_with('-'))
}

/// Where `find` begins.
fn starts<'c>(call: &'c Call<'_>) -> impl Iterator<Item = &'c Text> {
    call.arguments()
        .iter()
        .skip_while(|word| matches!(word.value(), "-H" | "-L" | "-P"))
        .take_while(|word| !word.value().starts_with(['-', '(', '!']))
}

/// Everything that is found goes. Which files that are is certain only below a directory that goes as a whole.
fn found(call: &Call<'_>) -> Option<&'static str> {
    let words: Vec<&str> = call.arguments().iter().map(Text::value).collect();
    let runs = words.windows(2).any(|pair| {
        let program = pair[1].rsplit('/').next().unwrap_or_default();
        pair[0].starts_with("-exec") && matches!(program, "rm" | "sh" | "bash" | "shred" | "unlink")
            || pair[0].starts_with("-ok") && program == "rm"
    });
    let removes = words.iter().any(|word| word.contains("rm "))
        || words.iter().any(|word| matches!(word.rsplit('/').next(), Some("rm" | "shred" | "unlink")));
    if !(words.contains(&"-delete") || runs && removes) {
        return None;
    }
    let mut starts = starts(call).peekable();
    if starts.peek().is_none() {
        return Some(WORKSPACE);
    }
    starts.find_map(|word| at_stake(call, word))
}

/// Why losing what this word names would be grave. A variable that may be empty is taken for empty: what is left of the
/// path is what is at stake.
fn at_stake(call: &Call<'_>, word: &Text) -> Option<&'static str> {
    let vital = word.at_worst().filter(|text| !text.is_empty()).and_then(|text| {
        let target = resolve(directory(&text), call.cwd, call.place)?;
        is_vital_place(call, &target).then_some(EVERYTHING)
    });
    if vital.is_some() {
        return vital;
    }
    let Some(known) = word.known() else { return Some(UNCERTAIN) };
    let Some(target) = resolve(directory(known), call.cwd, call.place) else { return Some(UNCERTAIN) };
    // A pattern in a directory is as good as the directory, unless it says what it is about.
    if directory(known) != known && says_something(known) && !climbs(known) {
        return None;
    }
    let here = call.place.cwd;
    let gone = target.names().into_iter().any(|path| here.starts_with(path) || path.ends_with(".git"));
    gone.then_some(WORKSPACE)
}

/// Does the first part of a path with a pattern have letters enough to tell what is meant?
fn says_something(text: &str) -> bool {
    let part = text.split('/').find(|part| part.contains(['*', '?', '[']));
    let letters = |part: &str| part.chars().filter(|letter| letter.is_alphanumeric()).count();
    part.is_some_and(|part| letters(part) >= 2 && !part.contains('['))
}

fn climbs(text: &str) -> bool {
    text.split('/').any(|part| part == "..") || text.starts_with('/')
}

fn is_vital_place(call: &Call<'_>, target: &Target) -> bool {
    target.names().into_iter().any(|path| {
        let home = call
            .place
            .home
            .is_some_and(|home| path == home || home.starts_with(path) && path != Path::new("/tmp"));
        VITAL.iter().any(|vital| path == Path::new(vital)) || home
    })
}

/// The path up to the first part with a pattern: `/*` is all of `/`, `dir/.*` all of `dir`.
fn directory(text: &str) -> &str {
    let Some(at) = text.find(['*', '?', '[']) else { return if text.is_empty() { "." } else { text } };
    match text[..at].rfind('/') {
        Some(0) => "/",
        Some(slash) => &text[..slash],
        None => ".",
    }
}
