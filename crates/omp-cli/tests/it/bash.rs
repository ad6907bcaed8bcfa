//! The bash script, in bash.

use omp_cli::Shell;

use crate::support::{Bench, flags_by_command, sorted};

/// Completes as bash would when it split the line into exactly these words; the cursor is at the end.
fn words(bench: &Bench, words: &[&str]) -> Vec<String> {
    const PROGRAM: &str = r#"source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_omp
printf '%s\n' "${COMPREPLY[@]}"
"#;
    complete(bench, PROGRAM, words)
}

/// Completes a line, given as the pieces bash cuts it into at spaces and at `=`, `:` and `@`.
fn line(bench: &Bench, line: &str, pieces: &[&str]) -> Vec<String> {
    const PROGRAM: &str = r#"source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_WORDBREAKS=$' \t\n"\'@><=;|&(:'
_omp
printf '%s\n' "${COMPREPLY[@]}"
"#;
    complete(bench, PROGRAM, &[&[line], pieces].concat())
}

fn complete(bench: &Bench, program: &str, args: &[&str]) -> Vec<String> {
    let script = bench.script();
    let found = bench.run(program, &[&[script.to_str().unwrap()], args].concat());
    sorted(found.trim_end_matches('\n'))
}

// proves: CLI-115
#[test]
fn commands_flags_and_words() {
    let bench = Bench::new(Shell::Bash);
    let commands = words(&bench, &["omp", ""]);
    for name in ["launch", "models", "search", "q", "worktree", "wt", "login"] {
        assert!(commands.iter().any(|found| found == name), "{name}");
    }
    assert!(!commands.iter().any(|found| found == "__complete"));
    assert_eq!(words(&bench, &["omp", "comp"]), ["completions"]);
    assert_eq!(words(&bench, &["omp", "--cwd", "src", "mod"]), ["models"]);
    assert_eq!(words(&bench, &["omp", "--mod"]), ["--mode", "--model", "--models"]);
    let flags = words(&bench, &["omp", "-"]);
    assert!(
        ["-p", "-c", "-r", "-e", "-h", "-v", "--yolo"].iter().all(|flag| flags.iter().any(|f| f == flag))
    );
    assert_eq!(words(&bench, &["omp", "q", "--re"]), ["--recency"]);
    assert_eq!(words(&bench, &["omp", "grep", "-"]).iter().filter(|flag| flag.len() == 2).count(), 6);
    assert_eq!(words(&bench, &["omp", "--mode", ""]), ["acp", "json", "rpc", "rpc-ui", "text"]);
    assert_eq!(words(&bench, &["omp", "--mode=js"]), ["--mode=json"]);
    assert_eq!(words(&bench, &["omp", "--thinking", "x"]), ["xhigh"]);
    assert_eq!(words(&bench, &["omp", "q", "x", "--recency", "m"]), ["month"]);
    assert_eq!(words(&bench, &["omp", "completions", ""]), ["bash", "fish", "zsh"]);
    assert_eq!(words(&bench, &["omp", "wt", "c"]), ["clear"]);
}

// proves: CLI-116
#[test]
fn values_by_flag() {
    let bench = Bench::new(Shell::Bash);
    for flag in ["--model", "--smol", "--slow", "--plan"] {
        assert_eq!(words(&bench, &["omp", flag, "openr"]), ["openrouter/qwen:free"]);
        assert_eq!(words(&bench, &["omp", &format!("{flag}=anth")]), [format!("{flag}=anthropic/opus")]);
    }
    assert_eq!(words(&bench, &["omp", "--models", "x,openai"]), ["x,openai/gpt-5"]);
    for flag in ["--resume", "-r", "--fork", "--session"] {
        assert_eq!(words(&bench, &["omp", flag, "ab"]), ["abc123", "abd999"], "{flag}");
    }
    assert_eq!(words(&bench, &["omp", "--resume", "--no-sk"]), ["--no-skills"]);
    let keys = words(&bench, &["omp", "config", "get", "retry."]);
    assert_eq!(keys, ["retry.enabled", "retry.maxRetries"]);
    assert_eq!(words(&bench, &["omp", "--tools", "read,"]), ["read,bash", "read,edit", "read,read"]);
    assert_eq!(words(&bench, &["omp", "--tools=read,b"]), ["--tools=read,bash"]);
    for flag in ["--cwd", "--add-dir", "--session-dir", "--plugin-dir"] {
        assert_eq!(words(&bench, &["omp", flag, ""]), ["my dir", "src"], "{flag}");
    }
    assert_eq!(words(&bench, &["omp", "hi", "@"]), ["@README.md", "@my\\ dir/", "@my\\ file.md", "@src/"]);
    assert_eq!(words(&bench, &["omp", "@src/m"]), ["@src/main.rs"]);
    assert_eq!(words(&bench, &["omp", "--export", "RE"]), ["README.md"]);
    assert_eq!(words(&bench, &["omp", "--system-prompt", "RE"]), ["README.md"]);
    assert_eq!(words(&bench, &["omp", "hi", "RE"]), ["README.md"]);
    assert_eq!(words(&bench, &["omp", "--", "RE"]), ["README.md"]);
}

#[test]
fn words_that_bash_splits_are_put_together_again() {
    let bench = Bench::new(Shell::Bash);
    assert_eq!(line(&bench, "omp --mode=js", &["omp", "--mode", "=", "js"]), ["json"]);
    let pieces = ["omp", "--model", "openrouter/qwen", ":", "f"];
    assert_eq!(line(&bench, "omp --model openrouter/qwen:f", &pieces), ["free"]);
    assert_eq!(line(&bench, "omp @s", &["omp", "@", "s"]), ["@src/"]);
    assert_eq!(
        line(&bench, "omp --mode=json --no-sk", &["omp", "--mode", "=", "json", "--no-sk"]),
        ["--no-skills"]
    );
    assert_eq!(line(&bench, "omp --tools ", &["omp", "--tools", ""]), ["bash", "edit", "read"]);
}

// proves: CLI-118
#[test]
fn the_flags_are_those_of_help() {
    let bench = Bench::new(Shell::Bash);
    for (command, flags) in flags_by_command() {
        assert_eq!(words(&bench, &["omp", command, "-"]), flags, "{command}");
    }
}

#[test]
fn loading_the_script_registers_it() {
    let bench = Bench::new(Shell::Bash);
    let script = bench.script();
    let found = bench.run("source \"$1\"; complete -p omp", &[script.to_str().unwrap()]);
    assert_eq!(found, "complete -o default -F _omp omp\n");
}
