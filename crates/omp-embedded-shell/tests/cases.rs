//! Small scripts of many topics through bash and through the embedded shell: output and status must agree. What is known
//! to differ stands in `cases/differences.txt` with its reason; a line that no longer holds fails too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use omp_shell::command::{self, CommandSpec};
use omp_shell::session::{Call, Engine, ShellSpec, Shells};
use omp_shell::{CommandOutcome, Ending, Environment, Scope};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const BASH: &str = "/bin/bash";
/// Cases take milliseconds; one that hangs is a difference.
const PATIENCE: Duration = Duration::from_secs(20);
/// A line that begins so begins a case and names it.
const HEAD: &str = "#### ";
const AT_ONCE: usize = 4;

macro_rules! topics {
    ($($topic:ident),* $(,)?) => {
        const TOPICS: &[&str] = &[$(stringify!($topic)),*];
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $topic() {
                compare(stringify!($topic)).await;
            }
        )*
    };
}

topics!(
    arithmetic,
    arrays,
    associative,
    braces,
    control,
    errors,
    expansions,
    files,
    functions,
    globs,
    heredocs,
    jobs,
    options,
    parsing,
    pipelines,
    printing,
    quoting,
    reading,
    redirections,
    scripts,
    splitting,
    strings,
    subshells,
    tests,
    tools,
    traps,
    variables,
);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// The cases of a topic by name.
fn cases(topic: &str) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join(format!("{topic}.txt"))).unwrap();
    let mut cases = BTreeMap::new();
    for case in format!("\n{text}").split(&format!("\n{HEAD}")).skip(1) {
        let (name, script) = case.split_once('\n').unwrap();
        let before = cases.insert(name.to_owned(), format!("{script}\n"));
        assert!(before.is_none(), "{topic} has two cases named {name}");
    }
    cases
}

/// `topic/case: reason`.
fn known_differences() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(folder().join("differences.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (case, reason) = line.split_once(": ").unwrap();
            (case.to_owned(), reason.to_owned())
        })
        .collect()
}

struct Bench {
    scope: Scope,
    shells: Shells,
}

/// How a case ended and what it printed, without the name of the directory it ran in.
type Seen = (Ending, String);

impl Bench {
    async fn program(&self, script: &str) -> Seen {
        let directory = tempfile::tempdir().unwrap();
        let spec = CommandSpec {
            timeout: Some(PATIENCE),
            ..CommandSpec::new(script, BASH, directory.path(), environment(directory.path()))
        };
        let outcome = command::run(&self.scope, spec, &CancellationToken::new(), |_| {}).await.unwrap();
        seen(&outcome, directory.path())
    }

    async fn embedded(&self, owner: &str, script: &str) -> Seen {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::Embedded(PathBuf::from(env!("CARGO_BIN_EXE_omp-embedded-shell")));
        let spec = ShellSpec {
            owner: owner.to_owned(),
            ..ShellSpec::new(engine, environment(directory.path()), directory.path())
        };
        let call = Call { timeout: Some(PATIENCE), ..Call::new(script) };
        let answer =
            self.shells.run(&self.scope, &spec, call, &CancellationToken::new(), |_| {}).await.unwrap();
        seen(&answer.outcome, directory.path())
    }
}

fn environment(directory: &Path) -> Environment {
    let path = std::env::var("PATH").unwrap();
    let place = directory.to_str().unwrap().to_owned();
    [("PATH", path), ("HOME", place.clone()), ("TMPDIR", place), ("LC_ALL", "C.UTF-8".into())]
        .into_iter()
        .collect()
}

/// Bash that is started by its path calls itself by it.
fn seen(outcome: &CommandOutcome, directory: &Path) -> Seen {
    let text = outcome.output.text.replace(directory.to_str().unwrap(), "DIRECTORY");
    (outcome.ending, text.replace(BASH, "bash"))
}

async fn compare(topic: &'static str) {
    let known = known_differences();
    let bench = Arc::new(Bench { scope: Scope::new(), shells: Shells::new() });
    let turns = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for (name, script) in cases(topic) {
        let (bench, turns) = (Arc::clone(&bench), Arc::clone(&turns));
        running.spawn(async move {
            let _turn = turns.acquire().await.unwrap();
            let case = format!("{topic}/{name}");
            let wanted = bench.program(&script).await;
            let got = bench.embedded(&case, &script).await;
            (case, wanted, got)
        });
    }
    let mut results = running.join_all().await;
    results.sort_by(|one, other| one.0.cmp(&other.0));
    bench.scope.end().await;
    let mut wrong = Vec::new();
    let mut equal = 0;
    for (case, wanted, got) in &results {
        assert!(matches!(wanted.0, Ending::Exited(_)), "{case}: bash itself fails: {wanted:?}");
        equal += usize::from(wanted == got);
        match (wanted == got, known.get(case)) {
            (true, Some(_)) => wrong.push(format!("{case}: agrees now, remove its line")),
            (false, None) => wrong.push(format!("{case}:\n  wanted {wanted:?}\n  got    {got:?}")),
            (true, None) | (false, Some(_)) => {}
        }
    }
    let report = format!("{topic}: {equal} of {} equal\n{}\n", results.len(), wrong.join("\n"));
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cases-{topic}.txt")), &report)
        .unwrap();
    assert!(wrong.is_empty(), "{report}");
}

/// Together with the tests above, which hold every other case to be equal: at least 99 of 100 are.
#[test]
fn few_cases_differ() {
    let known = known_differences();
    let all: Vec<String> = TOPICS
        .iter()
        .flat_map(|topic| cases(topic).into_keys().map(move |name| format!("{topic}/{name}")))
        .collect();
    assert!(all.len() >= 400, "{} cases", all.len());
    assert!(known.len() * 100 <= all.len(), "{} of {} cases differ", known.len(), all.len());
    for case in known.keys() {
        assert!(all.contains(case), "there is no case {case}");
    }
}

#[test]
fn every_file_is_a_topic() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(name == "differences" || TOPICS.contains(&name), "{name} is not run");
    }
}
