//! The judged grammar: what it takes, and what it names as the reason where it does not.

use std::path::Path;

use omp_guard::command::{Shell, ShellContext, Verdict, judge};
use omp_guard::effects::{Executes, Unknown};

fn verdict(command: &str) -> Verdict {
    let real = |path: &Path| path.to_owned();
    let (cwd, home) = (Path::new("/w"), Some(Path::new("/home/me")));
    judge(command, ShellContext { cwd, home, shell: &Shell::default(), real: &real, git_risk: &|_| None })
}

/// Simple commands, lists, pipelines, groups, plain words and redirections.
#[test]
fn plain_shell_is_judged() {
    for command in [
        "ls",
        "ls -la 'a b' \"c d\" e\\ f",
        "ls $HOME \"$HOME\" ${HOME} $1 \"$@\" $? ~ ~/x *.rs a?b [ab]c",
        "ls; pwd && echo a || echo b\ntrue",
        "ls | grep x | sort | head -3",
        "ls |& grep x",
        "(cd a; ls) && { pwd; ls; }",
        "ls >/dev/null 2>&1",
        "ls 2>/dev/null </dev/null &>/dev/null",
        "! grep x y",
        "time ls",
        "ls # a comment; rm x",
        "ls \\\n  -l",
        "cat <<'E'\n$(x) `y`\nE",
        "cat <<E\nplain $NAME\nE",
        "cat <<< \"$X\"",
        "echo {a,b}{c,d} {} HEAD@{1} 'a;b' \"a|b\" a\\;b",
        "X=1; echo $X",
        "echo $'a\\tb' a$ 5$",
        "[ -f x ] && ls",
        "git log --format='%h %s' -3",
    ] {
        let found = verdict(command).effects;
        assert!(found.only_reads(), "{command}: {:?}", found.describe());
    }
}

/// Every other construct is unknown, and the reason says which it is.
// proves: SEC-012, SEC-013
#[test]
fn other_syntax_is_named() {
    for (command, construct) in [
        ("(( x ))", "arithmetic"),
        ("echo $(( 1 ))", "arithmetic"),
        ("echo $[1]", "arithmetic"),
        ("[[ -f x ]]", "an extended test"),
        ("echo $(ls)", "command substitution"),
        ("echo `ls`", "command substitution"),
        ("cat <(ls)", "process substitution"),
        ("ls > >(cat)", "process substitution"),
        ("echo ${x:-y}", "a parameter expansion"),
        ("echo ${x@P}", "a parameter expansion"),
        ("echo ${!x}", "a parameter expansion"),
        ("echo ${x:1}", "a parameter expansion"),
        ("echo ${x[0]}", "a parameter expansion"),
        ("echo ${#x}", "a parameter expansion"),
        ("x[0]=1", "a subscript"),
        ("for x in a; do ls; done", "a loop"),
        ("while true; do ls; done", "a loop"),
        ("until true; do ls; done", "a loop"),
        ("select x in a; do ls; done", "a loop"),
        ("if true; then ls; fi", "a condition"),
        ("case x in x) ls;; esac", "a case statement"),
        ("function f { ls; }", "a function"),
        ("f() { ls; }", "a function"),
        ("coproc ls", "a coprocess"),
        ("ls &", "a background job"),
        ("x=(a b)", "a function or an extended pattern"),
        ("ls @(a|b)", "a function or an extended pattern"),
        ("echo {1..3}", "a brace expansion"),
        ("echo {a,{b,c}}", "a brace expansion"),
        ("echo $'\\x41'", "an encoded character"),
        ("echo $\"a\"", "a translated string"),
        ("ls 3<>x", "an unusual redirection"),
        ("ls ~other", "a tilde"),
        ("dd of=~/x", "a tilde"),
        ("ls \u{a0}x", "an invisible character"),
        ("ls\u{200b}", "an invisible character"),
        ("ls\r", "a control character"),
        ("cat <<E\n$(x)\nE", "command substitution"),
        ("cat <<E\nx", "an unfinished here-document"),
        ("echo 'x", "an unfinished quote"),
        ("(ls", "an unfinished group"),
        ("cat < $X", "a file known only at run time"),
        ("$X", "a program known only at run time"),
        ("[ 1 -eq 1 ]", "a test"),
        ("test -v x", "a test"),
    ] {
        let found = verdict(command).effects.unknown;
        let named = matches!(&found, Some(Unknown::Syntax(name)) if name.starts_with(construct));
        assert!(named, "{command:?}: {found:?}");
    }
    for builtin in [
        "read x",
        "let x=1",
        "declare -n x=y",
        "unset x",
        "trap ls EXIT",
        "eval ls",
        "source x",
        ". x",
        "alias x=y",
        "getopts a x",
        "mapfile x",
        "shopt -s extglob",
        "exec ls",
        "hash -p x y",
        "enable -f x y",
        "local x",
    ] {
        let found = verdict(builtin).effects.unknown;
        assert!(matches!(found, Some(Unknown::Program(_))), "{builtin}: {found:?}");
    }
    assert!(matches!(verdict("printf -v x y").effects.unknown, Some(Unknown::Option { .. })));
}

/// Variables that change what programs do, however they are set.
// proves: SEC-014
#[test]
fn variables_make_the_rest_unknown() {
    for name in [
        "PATH",
        "IFS",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
        "PS4",
        "SHELLOPTS",
        "LD_PRELOAD",
        "LD_LIBRARY_PATH",
        "DYLD_INSERT_LIBRARIES",
        "GIT_PAGER",
        "GIT_SSH_COMMAND",
        "PAGER",
        "EDITOR",
        "VISUAL",
        "LESSOPEN",
        "MANPAGER",
        "BROWSER",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "PERL5OPT",
        "RUBYOPT",
        "RUSTC_WRAPPER",
        "http_proxy",
        "CDPATH",
    ] {
        for command in [
            format!("{name}=x ls"),
            format!("{name}=x; ls"),
            format!("export {name}=x; ls"),
            format!("env {name}=x ls"),
            format!("{name}+=x; ls"),
        ] {
            let found = verdict(&command).effects.unknown;
            assert_eq!(found, Some(Unknown::Variable(name.to_owned())), "{command}");
        }
        // The next command of the same shell knows it, too.
        for command in
            [format!("export {name}=x"), format!("for {name} in x; do :; done"), format!("read {name} <<< x")]
        {
            let shell = verdict(&command).shell;
            let real = |path: &Path| path.to_owned();
            let place = ShellContext {
                cwd: Path::new("/w"),
                home: None,
                shell: &shell,
                real: &real,
                git_risk: &|_| None,
            };
            assert!(!judge("ls", place).effects.only_reads(), "{command}");
        }
    }
    for harmless in ["RUST_BACKTRACE=1 ls", "X=1; ls $X", "export CI=1; ls", "LC_ALL=C sort a"] {
        assert!(verdict(harmless).effects.only_reads(), "{harmless}");
    }
}

/// What commands do, where, and with whom.
// proves: SEC-015
#[test]
fn effects_have_targets() {
    let effects = |command: &str| verdict(command).effects;
    let paths = |targets: &[omp_guard::effects::Target]| -> Vec<String> {
        targets
            .iter()
            .map(|target| target.path.as_ref().map_or("?".into(), |path| path.display().to_string()))
            .collect()
    };
    assert_eq!(paths(&effects("echo x > a; tee b ../c").writes), ["/w/a", "/w/b", "/c"]);
    assert_eq!(paths(&effects("cd sub && touch a").writes), ["/w/sub/a"]);
    assert_eq!(paths(&effects("cd sub; touch a").writes), ["/w/sub/a", "/w/a"], "the cd may fail");
    assert_eq!(paths(&effects("(cd sub && true); touch a").writes), ["/w/a"]);
    assert_eq!(paths(&effects("cd \"$X\" && touch a").writes), ["?"]);
    assert_eq!(paths(&effects("cp a b ~/x").writes), ["/home/me/x"]);
    assert_eq!(paths(&effects("git diff --output=o").writes), ["/w/o"]);
    assert_eq!(paths(&effects("sort -uo o a").writes), ["/w/o"]);
    assert_eq!(paths(&effects("git -C sub archive -o x HEAD").writes), ["/w/sub/x"]);
    assert_eq!(paths(&effects("rm -rf build /tmp/x").destroys), ["/w/build", "/tmp/x"]);
    assert_eq!(paths(&effects("find src -name '*.o' -delete").destroys), ["/w/src"]);
    assert_eq!(paths(&effects("bash -c 'touch a'").writes), ["/w/a"]);
    assert_eq!(effects("curl https://user@Example.com:1/x").network.hosts, ["example.com"]);
    assert_eq!(effects("cat < /dev/tcp/h.example/80").network.hosts, ["h.example"]);
    assert!(effects("git fetch").network.project && effects("curl $X").unknown.is_some());
    assert_eq!(effects("cargo test").executes, Executes::Project);
    assert_eq!(effects("python3 x.py").executes, Executes::Project);
    assert_eq!(paths(&effects("python3 /tmp/x.py").programs), ["/tmp/x.py"]);
    assert_eq!(effects("python3 -c x").executes, Executes::Arbitrary);
    assert_eq!(effects("python3").executes, Executes::Arbitrary);
    assert_eq!(effects("rebase x").unknown, Some(Unknown::Program("rebase".to_owned())));
    assert_eq!(effects("git rebase -x ./e main").executes, Executes::Arbitrary);
    assert!(effects("sudo ls").outside && effects("docker ps").outside);
    let root = [Path::new("/w")];
    assert!(effects("mkdir -p a/b && cargo build > log").stays_in(&root));
    for command in
        ["touch /etc/x", "cargo build > ../log", "python3 /tmp/x.py", "npm ci", "sudo ls", "ls $(x)"]
    {
        assert!(!effects(command).stays_in(&root), "{command}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]

    /// Nothing that a model can write makes the judge fall over.
    #[test]
    fn any_text_gets_a_verdict(command in "([a-z -]|[$`'\"\\\\{}()<>|&;#~*?=,.\n\\[\\]!@%+:/0-9]|git |rm |sed |find |-exec |é|\u{200b}){0,40}") {
        verdict(&command);
    }
}
