//! The fish script, in fish.

use omp_cli::Shell;

use crate::support::{Bench, flags_by_command, sorted};

/// The candidates for a line with the cursor at its end, with their explanations.
fn explained(bench: &Bench, line: &str) -> Vec<String> {
    let script = bench.script();
    sorted(&bench.run("source $argv[1]; complete -C $argv[2]", &[script.to_str().unwrap(), line]))
}

fn complete(bench: &Bench, line: &str) -> Vec<String> {
    let value = |entry: String| entry.split('\t').next().unwrap_or_default().to_owned();
    explained(bench, line).into_iter().map(value).collect()
}

// proves: CLI-115
#[test]
fn commands_flags_and_words() {
    let bench = Bench::new(Shell::Fish);
    let commands = complete(&bench, "omp ");
    for name in ["launch", "models", "search", "q", "worktree", "wt", "login"] {
        assert!(commands.iter().any(|found| found == name), "{name}");
    }
    assert!(!commands.iter().any(|found| found == "__complete"));
    assert_eq!(explained(&bench, "omp comp"), ["completions\tPrint a completion script for a shell"]);
    assert_eq!(complete(&bench, "omp --cwd src mod"), ["models"]);
    assert_eq!(complete(&bench, "omp --mod"), ["--mode", "--model", "--models"]);
    let flags = complete(&bench, "omp -");
    assert!(
        ["-p", "-c", "-r", "-e", "-h", "-v", "--yolo"].iter().all(|flag| flags.iter().any(|f| f == flag))
    );
    assert_eq!(complete(&bench, "omp q --re"), ["--recency"]);
    assert_eq!(complete(&bench, "omp --mode "), ["acp", "json", "rpc", "rpc-ui", "text"]);
    assert_eq!(complete(&bench, "omp --mode=js"), ["--mode=json"]);
    assert_eq!(complete(&bench, "omp q x --recency m"), ["month"]);
    assert_eq!(complete(&bench, "omp completions "), ["bash", "fish", "zsh"]);
    assert_eq!(complete(&bench, "omp wt c"), ["clear"]);
}

// proves: CLI-116
#[test]
fn values_by_flag() {
    let bench = Bench::new(Shell::Fish);
    for flag in ["--model", "--smol", "--slow", "--plan"] {
        let found = explained(&bench, &format!("omp {flag} openr"));
        assert_eq!(found, ["openrouter/qwen:free\tcosts nothing"], "{flag}");
        assert_eq!(complete(&bench, &format!("omp {flag}=anth")), [format!("{flag}=anthropic/opus")]);
    }
    assert_eq!(complete(&bench, "omp --models x,openai"), ["x,openai/gpt-5"]);
    for flag in ["--resume", "-r", "--fork", "--session"] {
        assert_eq!(complete(&bench, &format!("omp {flag} ab")), ["abc123", "abd999"], "{flag}");
    }
    assert_eq!(complete(&bench, "omp --resume --no-sk"), ["--no-skills"]);
    assert_eq!(complete(&bench, "omp config get retry."), ["retry.enabled", "retry.maxRetries"]);
    assert_eq!(complete(&bench, "omp --tools read,b"), ["read,bash"]);
    assert_eq!(complete(&bench, "omp --tools=read,b"), ["--tools=read,bash"]);
    for flag in ["--cwd", "--add-dir", "--session-dir", "--plugin-dir"] {
        assert_eq!(complete(&bench, &format!("omp {flag} ")), ["my dir/", "src/"], "{flag}");
    }
    assert_eq!(complete(&bench, "omp hi @"), ["@README.md", "@my dir/", "@my file.md", "@src/"]);
    assert_eq!(complete(&bench, "omp @my\\ f"), ["@my file.md"]);
    assert_eq!(complete(&bench, "omp --export RE"), ["README.md"]);
    assert_eq!(complete(&bench, "omp --system-prompt=RE"), ["--system-prompt=README.md"]);
    assert_eq!(complete(&bench, "omp hi RE"), ["README.md"]);
    assert_eq!(complete(&bench, "omp -- RE"), ["README.md"]);
}

// proves: CLI-118
#[test]
fn the_flags_are_those_of_help() {
    let bench = Bench::new(Shell::Fish);
    for (command, flags) in flags_by_command() {
        assert_eq!(complete(&bench, &format!("omp {command} -")), flags, "{command}");
    }
}
