use super::*;

fn script(command: &str) -> Option<Script> {
    let real = |path: &Path| path.to_owned();
    judge(
        command,
        ShellContext {
            cwd: Path::new("/work"),
            home: None,
            shell: &Shell::default(),
            real: &real,
            git_risk: &|_| None,
        },
    )
    .script
}

fn allowed(rules: &[&str], command: &str) -> bool {
    let rules: Vec<Rule> = rules.iter().map(|rule| Rule::parse(rule).unwrap()).collect();
    script(command).is_some_and(|script| allow(&rules, &script, &[Path::new("/work")]))
}

fn proposed(command: &str) -> Option<Vec<String>> {
    Some(propose(&script(command)?)?.iter().map(ToString::to_string).collect())
}

#[test]
fn a_rule_allows_its_command_and_nothing_behind_it() {
    let rules = ["git status *", "make test", "ls *"];
    for command in [
        "git status",
        "git status --short .",
        "git  'status' src",
        "git status && make test; ls -la | ls",
        "git status 2>&1 >/dev/null",
        "(git status)",
        "ls \"$DIR\"",
    ] {
        assert!(allowed(&rules, command), "{command}");
    }
    for command in [
        "",
        "git push",
        "git",
        "git -c core.pager=x status",
        "make test install",
        "make",
        "git status; rm x",
        "git status && curl x",
        "git status | sh",
        "git status & rm x",
        "git status\nrm x",
        "git status > file",
        "git status < file",
        "git status 2> file",
        "{ git status; } > file",
        "git status $(rm x)",
        "git status `rm x`",
        "git status <(rm x)",
        "git status ${X:-$(rm x)}",
        "GIT_PAGER=x git status",
        "PATH=. ls",
        "X=1",
        "sudo git status",
        "env git status",
        "bash -c 'git status'",
        "eval git status",
        "git $X",
        "git status $X",
        "git status <<E\nx\nE",
        "git status <<< x",
        "git() { rm x; }; git status",
        "git status (",
        "f() { :; }",
        "if git status; then ls; fi",
        "for PATH in .; do ls; done",
        "PATH=.; ls",
        "export PATH=.; ls",
    ] {
        assert!(!allowed(&rules, command), "{command}");
    }
}

/// A beginning says nothing about a variant that does something else.
// proves: SEC-017
#[test]
fn a_rule_does_not_reach_another_effect() {
    for (rule, reached, beyond) in [
        ("git diff *", "git diff --stat HEAD~1 -- src", "git diff --output=F"),
        ("git diff *", "git diff --cached", "git diff --ext-diff"),
        ("git diff *", "git diff -w", "git diff --unheard-of"),
        ("git diff *", "git diff --name-only", "git diff --outpu=F"),
        ("git log *", "git log --oneline -5", "git log --output=F"),
        ("git log *", "git log -p", "git log --textconv"),
        ("git grep *", "git grep -n word", "git grep -O./evil word"),
        ("git fetch *", "git fetch origin", "git fetch --upload-pack=./evil origin"),
        ("git fetch *", "git fetch --all", "git fetch ext::sh\\ -c\\ id"),
        ("git fetch *", "git fetch -p", "git fetch https://evil.example/x"),
        ("git push *", "git push origin main", "git push --force origin main"),
        ("git push *", "git push -u origin x", "git push origin :main"),
        ("git branch *", "git branch -a", "git branch -D main"),
        ("git *", "git commit -m x", "git clean -fd"),
        ("git *", "git status", "git -c core.sshCommand=./evil fetch"),
        ("git *", "git log", "git config core.fsmonitor ./evil"),
        ("git *", "git add .", "git rebase -x ./evil main"),
        ("find *", "find . -name x", "find . -delete"),
        ("find *", "find . -exec grep x {} +", "find . -exec ./evil {} +"),
        ("find *", "find . -type f", "find . -fprint F"),
        ("sort *", "sort -u a b", "sort -o a b"),
        ("sort *", "sort a", "sort --compress-program=./evil a"),
        ("rg *", "rg -n word src", "rg --pre ./evil word"),
        ("tree *", "tree -L 2", "tree -o F"),
        ("tar *", "tar xf a.tar", "tar xf a.tar --to-command=./evil"),
        ("tar *", "tar tf a.tar", "tar xf a.tar -C /etc"),
        ("sed *", "sed -n 1p a", "sed -i s/a/b/ a"),
        ("sed *", "sed s/a/b/ a", "sed '1e ./evil' a"),
        ("awk *", "awk '{print $1}' a", "awk 'BEGIN{system(\"./evil\")}'"),
        ("date *", "date +%F", "date 0101000026"),
        ("xargs *", "xargs grep x", "xargs rm"),
        ("env *", "env", "env ./evil"),
        ("make *", "make test", "make --eval='$(shell ./evil)'"),
        ("make *", "make -j4 test", "make SHELL=./evil test"),
        ("cargo test *", "cargo test -p x", "cargo test --config build.rustc='./evil'"),
        ("cargo *", "cargo build", "cargo install evil"),
        ("npm run *", "npm run build", "npm run build --script-shell=./evil"),
        ("npm *", "npm test", "npm publish"),
        ("cp *", "cp a b", "cp a /etc/b"),
        ("tee *", "tee a", "tee ../x"),
        ("curl *", "curl -s https://a.example", "curl -o F https://a.example"),
        ("cat *", "cat a b", "cat a > b"),
        ("ls *", "ls -la", "ls; ./evil"),
        ("echo *", "echo $HOME", "echo x >> ~/.bashrc"),
        ("hostname *", "hostname -f", "hostname evil"),
        ("gcc *", "gcc -Wall a.c", "gcc -fplugin=./evil.so a.c"),
        ("timeout *", "timeout 5 ls", "timeout 5 ./evil"),
    ] {
        assert!(allowed(&[rule], reached), "{rule}: {reached}");
        assert!(!allowed(&[rule], beyond), "{rule}: {beyond}");
    }
    assert!(allowed(&["git diff --output=F"], "git diff --output=F"), "what was named itself is allowed");
    assert!(allowed(&["mytool *"], "mytool --anything x"), "a program that is not in the table");
    assert!(!allowed(&["mytool *"], "mytool $X"), "with words that only a run can tell");
}

#[test]
fn what_was_allowed_once_becomes_a_rule() {
    for (command, rules) in [
        ("git status --short", vec!["git status *"]),
        ("git status && git status -s; ls -l", vec!["git status *", "ls *"]),
        ("cargo test -p x", vec!["cargo test *"]),
        ("npm run build", vec!["npm run build"]),
        ("make test", vec!["make test"]),
        ("git -C x status", vec!["git -C x status"]),
        ("git diff --output=F", vec!["git diff --output=F"]),
        ("rm 'a b'", vec!["rm 'a b'"]),
        ("python3 -c 'print(1)'", vec!["python3 -c 'print(1)'"]),
        ("sudo ls", vec!["sudo ls"]),
        ("curl https://a.example", vec!["curl https://a.example"]),
    ] {
        assert_eq!(proposed(command).unwrap(), rules, "{command}");
        let rules: Vec<&str> = rules.clone();
        assert!(allowed(&rules, command), "a proposal covers what it was made from: {command}");
    }
    for command in ["echo $(date)", "ls > x", "A=1 ls", "rm $X", "f() { :; }", "(("] {
        assert_eq!(proposed(command), None, "{command}");
    }
}

#[test]
fn a_rule_is_one_plain_command() {
    for text in ["", "*", "ls; rm", "ls > x", "A=1 ls", "ls $(x)", "("] {
        assert_eq!(Rule::parse(text), None, "{text}");
    }
}

/// The rule about files is about no command, and none becomes it, or a rule about a tool, by its name.
#[test]
fn the_rule_about_edits_is_about_no_command() {
    let edits = Rule::parse("edit(*)").unwrap();
    assert!(edits.is_of_edits());
    assert_eq!(
        (edits.to_string(), edits.about()),
        ("edit(*)".into(), "all edits of files in the workspace".into())
    );
    for command in ["'edit(*)'", "edit x", "edit"] {
        assert!(!allowed(&["edit(*)"], command), "{command}");
    }
    assert_eq!(Rule::parse("'edit(*)'"), None);
    for command in ["'edit(*)'", "mcp__files__delete"] {
        assert_eq!(proposed(command), None, "{command}");
    }
}
