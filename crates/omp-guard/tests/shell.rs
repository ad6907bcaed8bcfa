//! What commands leave behind in a shell, and what that makes of the next ones.

use std::path::Path;

use omp_guard::command::{Shell, ShellContext, Verdict, judge};

fn verdict(command: &str, shell: &Shell) -> Verdict {
    let real = |path: &Path| path.to_owned();
    let (cwd, home) = (Path::new("/home/me/project"), Some(Path::new("/home/me")));
    judge(command, ShellContext { cwd, home, shell, real: &real, git_risk: &|_| None })
}

/// The verdict on the last command, after the others ran in the same shell.
fn last(commands: &[&str]) -> Verdict {
    let mut verdicts = commands.iter().scan(Shell::default(), |shell, command| {
        let verdict = verdict(command, shell);
        *shell = verdict.shell.clone();
        Some(verdict)
    });
    verdicts.by_ref().last().unwrap()
}

/// However a variable was set by which programs are found, nothing is known to read from then on.
#[test]
fn variables_are_set_in_many_ways() {
    for command in [
        "true {PATH}</dev/null",
        ": ${PATH:=10}",
        "((PATH=10))",
        ": $((PATH=10))",
        "for PATH in 10; do :; done",
        "coproc PATH { :; }",
    ] {
        assert!(!last(&[command, "git status"]).effects.only_reads(), "{command}");
    }
    assert!(last(&["for f in a b; do echo $f $PATH; done", "git status"]).effects.only_reads());
}

/// What runs instead of a name is followed, with the arguments of the call.
#[test]
fn functions_and_aliases_are_what_they_do() {
    for commands in [
        ["ls() { rm -rf ~; }", "ls"],
        ["ls() { rm -rf \"$1\"; }", "ls /"],
        ["ls() { rm -rf \"$@\"; }", "ls src /"],
        ["ls() { rm -rf $*; }", "ls / src"],
        ["ls() { rm -rf \"${1:-src}\"; }", "ls /etc"],
        ["ls() { rm -rf \"$1\"/*; }", "ls"],
        ["function ls { cd /; rm -rf *; }", "ls"],
        ["a() { b \"$1\"; }; b() { rm -rf \"$1\"; }", "a /"],
        ["a() { b() { rm -rf \"$1\"; }; }; a", "b /usr"],
        ["eval 'ls() { rm -rf \"$1\"; }'", "ls /"],
        ["ls() { rm -rf \"$1\"; }; false && ls() { :; }", "ls /"],
        ["sudo() { rm -rf \"$2\"; }", "sudo ls /"],
        ["ls() { rm -rf \"$1\"; }", "true && { command ls /; }"],
        ["ls() { if [ -n \"$2\" ]; then ls \"$2\"; else rm -rf \"$1\"; fi; }", "ls a /"],
        ["alias ls='rm -rf'", "ls /"],
        ["alias l='ls -l' ls='rm -rf /'", "ls"],
        ["alias a=b b='rm -rf'", "a /"],
        ["export WHERE=/", "rm -rf \"$WHERE\""],
        ["declare -x WHERE=/etc", "rm -rf $WHERE"],
        ["f() { local where=$1; rm -rf \"$where\"; }", "f /"],
    ] {
        let found = last(&commands).critical;
        assert!(found.is_some_and(|reason| reason.contains("Deletes")), "{commands:?}: {found:?}");
    }
    let at_once = last(&["f() { rm -rf \"$1\"; }; f /"]).critical;
    assert!(at_once.is_some(), "also within one command");
    for commands in [
        ["ls() { rm -rf \"$1\"; }", "ls target"],
        ["ls() { echo \"$@\"; }", "ls /"],
        ["alias ll='ls -l'", "ll /"],
        ["f() { g; }; g() { f; }", "f"],
        ["(ls() { rm -rf /tmp/x; })", "ls /"],
        ["f() { echo $1; f x; f y; f z; }", "f a"],
    ] {
        assert_eq!(last(&commands).critical, None, "{commands:?}");
    }
}

/// A rule was made for a program, not for whatever has its name now. Where a name may mean anything, none holds.
#[test]
fn no_rule_speaks_for_a_name_that_means_something_else() {
    for commands in [
        ["ls() { echo harmless; }", "ls"],
        ["alias ls='ls -l'", "ls src"],
        ["ls() { :; }", "echo a; echo b | ls"],
        ["ls() { :; }", "unset -f ls; ls"],
        ["source ./setup.sh", "ls"],
        [". ./setup.sh", "ls"],
        ["eval \"$(cat setup)\"", "ls"],
        ["eval \"$CODE\"", "ls"],
        ["\"$TOOL\" setup", "ls"],
        ["PATH=/tmp/bin:$PATH", "ls"],
        ["export PATH=/tmp/bin", "ls"],
        ["hash -p /tmp/evil ls", "ls"],
        ["enable -f ./evil.so ls", "ls"],
        ["trap 'echo x' DEBUG", "ls"],
        ["if then (", "ls"],
        ["alias \"$X\"", "ls"],
    ] {
        assert_eq!(last(&commands).script, None, "{commands:?}");
    }
    for commands in [
        ["f() { :; }", "ls"],
        ["alias ll='ls -l'", "ls"],
        ["bash -c 'ls() { :; }'", "ls"],
        ["(source ./setup.sh)", "ls"],
        ["cat x | eval \"$CODE\"", "ls"],
        ["trap 'rm -f x' EXIT", "ls"],
        ["hash -r", "ls"],
        ["NAME=value; export OTHER=x", "ls"],
        ["eval 'x=1'", "ls"],
    ] {
        assert!(last(&commands).script.is_some(), "{commands:?}");
    }
}

/// What grows without end is not followed to its end.
#[test]
fn following_is_bounded() {
    let body: String = "f; ".repeat(200);
    assert!(last(&[&format!("f() {{ {body}}}"), "f"]).critical.is_some(), "too many calls");
    let many: String = (0..300).map(|number| format!("f{number}() {{ :; }}\n")).collect();
    assert!(verdict(&many, &Shell::default()).shell.uncertain, "too many functions");
    let long = format!("f() {{ echo {}; }}", "x".repeat(5000));
    assert!(verdict(&long, &Shell::default()).shell.uncertain, "too long a function");
    assert!(verdict(&"x".repeat(100_000), &Shell::default()).shell.uncertain, "too long a command");
}
