//! The corpora of `tests/attacks`, judged.

use std::path::Path;
use std::time::Instant;

use omp_guard::command::{Shell, ShellContext, Verdict, judge};
use omp_guard::rules::{Rule, allow};

const SHELL: &str = include_str!("../../../tests/attacks/shell.txt");
const PLAN: &str = include_str!("../../../tests/attacks/plan.txt");
const REACH: &str = include_str!("../../../tests/attacks/reach.txt");
const DESTRUCTIVE: &str = include_str!("../../../tests/attacks/destructive.txt");
const EVERYDAY: &str = include_str!("../../../tests/attacks/everyday.txt");
/// What people allow once and for all.
const BROAD: &str = include_str!("../../../tests/attacks/broad.txt");

/// Cases of a file.
fn cases(text: &'static str) -> impl Iterator<Item = String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| line.replace('␤', "\n"))
}

fn verdict(command: &str) -> Verdict {
    let real = |path: &Path| path.to_owned();
    let (cwd, home) = (Path::new("/home/me/project"), Some(Path::new("/home/me")));
    judge(command, ShellContext { cwd, home, shell: &Shell::default(), real: &real, git_risk: &|_| None })
}

fn allowed(rules: &[impl AsRef<str>], command: &str) -> bool {
    let rules: Vec<Rule> = rules.iter().filter_map(|rule| Rule::parse(rule.as_ref())).collect();
    let script = verdict(command).script;
    script.is_some_and(|script| allow(&rules, &script, &[Path::new("/home/me/project")]))
}

fn assert_none(what: &str, hits: &[String]) {
    assert!(hits.is_empty(), "{what}: {} hits\n{}", hits.len(), hits.join("\n"));
}

/// What hides a command is neither "only reads" nor what a rule speaks for.
// proves: SEC-012, SEC-013, SEC-014
#[test]
fn tricks_are_never_taken_for_what_they_seem() {
    let all: Vec<String> = cases(SHELL).collect();
    assert!(all.len() >= 200, "{}", all.len());
    let reads: Vec<String> =
        all.iter().filter(|command| verdict(command).effects.only_reads()).cloned().collect();
    assert_none("only reads", &reads);
    // `touch pwned` and `> pwned` themselves are writes that no rule here allows.
    let broad: Vec<String> = cases(BROAD).collect();
    let by_rule: Vec<String> = all.iter().filter(|command| allowed(&broad, command)).cloned().collect();
    assert_none("allowed by a rule", &by_rule);
}

/// What writes, runs or sends is not "only reads".
// proves: SEC-015
#[test]
fn what_writes_is_not_taken_for_reading() {
    let all: Vec<String> = cases(PLAN).collect();
    assert!(all.len() >= 200, "{}", all.len());
    let reads: Vec<String> =
        all.into_iter().filter(|command| verdict(command).effects.only_reads()).collect();
    assert_none("only reads", &reads);
}

#[test]
fn rules_do_not_reach_further() {
    let cases: Vec<String> = cases(REACH).collect();
    assert!(cases.len() >= 150, "{}", cases.len());
    let hit = |case: &String| {
        let (rule, command) = case.split_once('\t').unwrap();
        // A rule that is none allows nothing either.
        Rule::parse(rule).is_none() || allowed(&[rule], command)
    };
    let hits: Vec<String> = cases.into_iter().filter(hit).collect();
    assert_none("allowed", &hits);
}

/// What nothing can undo is recognised wherever it stands.
// proves: SEC-021, SEC-023
#[test]
fn what_destroys_something_uncertain_is_recognised() {
    let all: Vec<String> = cases(DESTRUCTIVE).collect();
    assert!(all.len() >= 200, "{}", all.len());
    let missed: Vec<String> = all.into_iter().filter(|command| verdict(command).critical.is_none()).collect();
    assert_none("not recognised", &missed);
}

/// Ordinary work stays in the workspace and is known to.
#[test]
fn ordinary_commands_are_known() {
    let all: Vec<String> = cases(EVERYDAY).collect();
    assert!(all.len() >= 300, "{}", all.len());
    let root = [Path::new("/home/me/project")];
    let (mut reads, mut asked) = (0, Vec::new());
    for command in &all {
        let Verdict { effects, critical, .. } = verdict(command);
        reads += usize::from(effects.only_reads());
        if !effects.stays_in(&root) || critical.is_some() {
            asked.push(format!("{command:60} {}", effects.describe().join("; ")));
        }
    }
    println!("{} commands: {reads} only read, {} leave the workspace or are unknown", all.len(), asked.len());
    println!("{}", asked.join("\n"));
    assert!(asked.len() * 10 <= all.len(), "{} of {}\n{}", asked.len(), all.len(), asked.join("\n"));
}

/// Prints what judging costs: `cargo test --release -p omp-guard --test attacks -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn what_judging_costs() {
    let all: Vec<String> = cases(EVERYDAY).collect();
    verdict("git status");
    let mut costs: Vec<u128> = Vec::new();
    for command in &all {
        let begun = Instant::now();
        for _ in 0..20 {
            std::hint::black_box(verdict(command));
        }
        costs.push(begun.elapsed().as_nanos() / 20_000);
    }
    costs.sort_unstable();
    let at = |share: usize| costs[costs.len() * share / 100];
    println!("median {} µs, 90 % {} µs, most {} µs", at(50), at(90), costs[costs.len() - 1]);
}
