//! Shortens the output of programs that say much and mean little: one line in place of many of the same kind.
//!
//! Only lines that are known to be progress are taken, and only where several of them follow each other. What was
//! printed is kept as it was, beside the session.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use fancy_regex::Regex;
use omp_shell::session::Answer;
use omp_shell::{Captured, Spill};

use crate::Context;
use omp_guard::command_text::programs;

/// The tool name under which the original is kept.
const ORIGINAL: &str = "bash-original";
/// Fewer lines of a kind stay as they are.
const FEWEST: usize = 4;
/// Less is not worth a file.
const LEAST_BYTES: usize = 512;

/// The settings `shellMinimizer.*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Minimizer {
    pub enabled: bool,
    /// Programs whose output is shortened; empty for all that are known.
    pub only: Vec<String>,
    /// Programs whose output is not.
    pub except: Vec<String>,
    /// Longer outputs are left alone.
    pub max_capture_bytes: usize,
}

impl Default for Minimizer {
    fn default() -> Self {
        Self { enabled: true, only: Vec::new(), except: Vec::new(), max_capture_bytes: 4 << 20 }
    }
}

/// Programs, and their lines that say how far they are and nothing else.
const NOISE: &[(&[&str], &str)] = &[
    (
        &["cargo"],
        r"^\s*(?:Compiling|Checking|Downloaded|Downloading|Fresh|Adding|Locking|Installing|Unpacking|Documenting|Running|Blocking)\s|^test .+ \.\.\. ok$",
    ),
    (
        &["npm", "npx", "pnpm", "yarn"],
        r"^npm (?:http fetch|notice|warn deprecated)|^warning .+ > .+|^(?:Progress|Packages): ",
    ),
    (
        &["pip", "pip3", "uv", "poetry"],
        r"^\s*(?:Collecting|Downloading|Using cached|Requirement already satisfied|Building wheel|Preparing metadata|Installing build dependencies|Getting requirements|Created wheel|Stored in directory|Obtaining|Attempting uninstall|Found existing|Uninstalling|\+ |- Installing |- Downloading )",
    ),
    (
        &["apt", "apt-get", "dpkg"],
        r"^(?:Get:\d|Hit:\d|Ign:\d|Selecting previously|Preparing to unpack|Unpacking|Setting up|Processing triggers|\(Reading database)",
    ),
    (
        &["docker", "podman"],
        r"^#\d+ (?:sha256:|extracting|transferring|CACHED|DONE|resolve)|^[0-9a-f]{12}: (?:Pulling|Waiting|Verifying|Download|Pull|Extracting|Already)",
    ),
    (
        &["go"],
        r"^go: (?:downloading|finding|extracting) |^=== (?:RUN|PAUSE|CONT) |^\s*--- PASS|^ok  \t|^\?   \t",
    ),
    (
        &["git"],
        r"^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Writing|Updating) \w+",
    ),
    (&["pytest", "python", "python3"], r"^\S+\.py(?:::\S+)* (?:PASSED|[.sx]+)\s*\[ *\d+%\]$"),
    (
        &["make", "cmake", "ninja"],
        r"^\[ *\d+(?:%|/\d+)\] (?:Building|Linking|Built target|Generating|Compiling)|^make\[\d+\]: (?:Entering|Leaving) directory",
    ),
    (
        &["mvn", "gradle", "gradlew"],
        r"^\[INFO\] Download(?:ing|ed)|^Download(?:ing|ed)? (?:from )?http|^> Task \S+ (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE)$",
    ),
];

/// Watches one command for what may be shortened.
pub(super) struct Watch {
    noise: Vec<Regex>,
    kept: Arc<Mutex<KeptOutput>>,
}

/// An output that does not fit inline, as far as it is kept.
#[derive(Default)]
struct KeptOutput {
    text: String,
    most: usize,
    cut: bool,
}

impl Watch {
    /// `None` for a command without a known program.
    pub(super) fn new(settings: &Minimizer, command: &str) -> Option<Self> {
        if !settings.enabled {
            return None;
        }
        let names = programs(command);
        let listed = |list: &[String], program: &str| list.iter().any(|name| name == program);
        let counts = |program: &str| {
            names.contains(&program)
                && (settings.only.is_empty() || listed(&settings.only, program))
                && !listed(&settings.except, program)
        };
        let known = NOISE.iter().filter(|(programs, _)| programs.iter().any(|program| counts(program)));
        let noise: Vec<Regex> = known.filter_map(|(_, pattern)| Regex::new(pattern).ok()).collect();
        let kept = KeptOutput { most: settings.max_capture_bytes, ..KeptOutput::default() };
        (!noise.is_empty()).then(|| Self { noise, kept: Arc::new(Mutex::new(kept)) })
    }

    /// A spill that also remembers what went into it.
    pub(super) fn spill(&self, inner: Option<Box<dyn Spill>>) -> Option<Box<dyn Spill>> {
        Some(Box::new(Keeping { inner, kept: Arc::clone(&self.kept) }))
    }

    /// Replaces the output by a shorter one and returns the name of the original, if that is possible.
    pub(super) fn shorten(&self, context: &Context, answer: &mut Answer) -> Option<String> {
        let output = &answer.outcome.output;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let original = if output.is_truncated() { (!kept.cut).then_some(&kept.text)? } else { &output.text };
        let text = without_noise(&self.noise, original);
        let inline = context.settings.output.inline_bytes;
        if text.len() + LEAST_BYTES > original.len() || text.len() > inline || original.len() > kept.most {
            return None;
        }
        let mut spill = context.spills.open(ORIGINAL)?;
        let name = spill.write(original).and_then(|()| spill.finish()).ok()?;
        let (bytes, lines) = (text.len() as u64, text.lines().count() as u64);
        answer.outcome.output = Captured {
            text,
            total_bytes: original.len() as u64,
            total_lines: output.total_lines,
            shown_bytes: bytes,
            shown_lines: lines,
            elision: None,
            cut_columns: None,
            spilled: None,
        };
        Some(name)
    }
}

/// The first line of several of one kind, and how many followed.
fn without_noise(noise: &[Regex], text: &str) -> String {
    let is_noise = |line: &str| noise.iter().any(|kind| kind.is_match(line).unwrap_or(false));
    let mut short = String::with_capacity(text.len() / 2);
    let mut run: Vec<&str> = Vec::new();
    for line in text.split_inclusive('\n') {
        if is_noise(line.trim_end_matches('\n')) {
            run.push(line);
        } else {
            flush(&mut short, &mut run);
            short.push_str(line);
        }
    }
    flush(&mut short, &mut run);
    short
}

fn flush(short: &mut String, run: &mut Vec<&str>) {
    match run.as_slice() {
        [first, rest @ ..] if run.len() >= FEWEST => {
            short.push_str(first);
            short.push_str(&format!("[… {} similar lines]\n", rest.len()));
        }
        few => few.iter().for_each(|line| short.push_str(line)),
    }
    run.clear();
}

struct Keeping {
    inner: Option<Box<dyn Spill>>,
    kept: Arc<Mutex<KeptOutput>>,
}

impl Spill for Keeping {
    fn write(&mut self, text: &str) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.cut || kept.text.len() + text.len() > kept.most {
            kept.cut = true;
            kept.text = String::new();
        } else {
            kept.text.push_str(text);
        }
        // Without a place for the whole there is only what is remembered here, and that has no name.
        self.inner.as_mut().map_or(Ok(()), |inner| inner.write(text))
    }

    fn finish(&mut self) -> io::Result<String> {
        self.inner.as_mut().map_or(Err(io::ErrorKind::NotFound.into()), |inner| inner.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(command: &str, text: &str) -> String {
        let watch = Watch::new(&Minimizer::default(), command).expect("a known program");
        without_noise(&watch.noise, text)
    }

    #[test]
    fn lines_of_progress_become_one() {
        let build = "   Compiling a v1\n   Compiling b v1\n   Compiling c v1\n   Compiling d v1\nwarning: unused\n   Compiling e v1\n    Finished\n";
        assert_eq!(
            short("cd x && cargo build", build),
            "   Compiling a v1\n[… 3 similar lines]\nwarning: unused\n   Compiling e v1\n    Finished\n"
        );
        assert_eq!(short("cargo build", "error: x\nerror: x\nerror: x\nerror: x\n"), "error: x\n".repeat(4));
    }

    #[test]
    fn the_user_decides_which_programs() {
        let known = |settings: &Minimizer, command: &str| Watch::new(settings, command).is_some();
        let all = Minimizer::default();
        assert!(known(&all, "FOO=1 npm install") && known(&all, "true; apt-get update | cat"));
        assert!(!known(&all, "echo cargo") && !known(&all, "seq 3"));
        let only = Minimizer { only: vec!["npm".into()], ..all.clone() };
        assert!(known(&only, "npm install") && !known(&only, "cargo build"));
        let except = Minimizer { except: vec!["npm".into()], ..all.clone() };
        assert!(!known(&except, "npm install") && known(&except, "cargo build"));
        assert!(!known(&Minimizer { enabled: false, ..all }, "cargo build"));
    }
}
