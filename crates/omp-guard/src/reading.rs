//! Commands that change nothing, as far as their words tell.
//!
//! The list is short on purpose: what is not on it counts as a change. Options by which a program writes files or runs
//! others take it off the list.

use crate::command::{Script, Simple};

/// Programs that print, whatever their arguments are.
const PURE: &[&str] = &[
    "[",
    "basename",
    "cat",
    "cd",
    "cksum",
    "cmp",
    "comm",
    "cut",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "false",
    "fgrep",
    "fold",
    "grep",
    "head",
    "id",
    "jq",
    "ls",
    "md5sum",
    "nl",
    "od",
    "paste",
    "pgrep",
    "printf",
    "ps",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "seq",
    "sha1sum",
    "sha256sum",
    "stat",
    "strings",
    "tail",
    "test",
    "tr",
    "true",
    "type",
    "uname",
    "wc",
    "which",
    "whoami",
];

/// Programs that print unless one of their arguments begins like this.
const UNLESS: &[(&str, &[&str])] = &[
    ("date", &["-s", "--set"]),
    ("fd", &["-x", "-X", "--exec"]),
    ("file", &["-C", "--compile"]),
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
    ("rg", &["--pre", "--hostname-bin", "-z", "--search-zip"]),
    ("sort", &["-o", "--o", "--compress", "--files0", "-T", "--temp"]),
    ("tree", &["-o", "-R"]),
];

/// What `git` can be asked without a change.
const GIT: &[&str] = &[
    "blame",
    "cat-file",
    "describe",
    "diff",
    "diff-tree",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "whatchanged",
];

/// Options of `git` commands that write or run something.
const GIT_UNLESS: &[&str] =
    &["--output", "--ext-diff", "-O", "--open-files-in-pager", "--paginate", "--exec"];

/// Subcommands that only list when they have no other arguments than these.
const GIT_LISTS: &[(&str, &[&str])] = &[
    ("branch", &["-a", "-r", "-v", "-vv", "--all", "--remotes", "--list", "--show-current"]),
    ("remote", &["-v", "--verbose"]),
    ("stash", &["list"]),
    ("tag", &["-l", "--list"]),
    ("worktree", &["list"]),
];

/// Does everything that a command runs only read?
pub fn only_reads(script: &Script) -> bool {
    !script.commands.is_empty() && script.commands.iter().all(reads)
}

fn reads(command: &Simple) -> bool {
    let Some((Some(program), arguments)) = command.words.split_first() else { return false };
    if !command.plain {
        return false;
    }
    if PURE.contains(&program.as_str()) {
        return true;
    }
    // An argument that only a run can tell could be any option.
    let Some(arguments) = arguments.iter().map(Option::as_deref).collect::<Option<Vec<&str>>>() else {
        return false;
    };
    match program.as_str() {
        "git" => git(&arguments),
        "sed" => sed(&arguments),
        // A second file would be written.
        "uniq" => arguments.iter().filter(|argument| !argument.starts_with('-')).count() < 2,
        name => match UNLESS.iter().find(|(program, _)| *program == name) {
            Some((_, writing)) => !has(&arguments, writing),
            None => false,
        },
    }
}

/// Is there an argument that begins like one of these? One letter counts wherever it stands among others: `-uo` is `-u -o`.
fn has(arguments: &[&str], beginnings: &[&str]) -> bool {
    let is = |argument: &str, beginning: &str| match beginning.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => {
            argument.starts_with('-') && !argument.starts_with("--") && argument.contains(letter)
        }
        _ => argument.starts_with(beginning),
    };
    arguments.iter().any(|argument| beginnings.iter().any(|beginning| is(argument, beginning)))
}

fn git(arguments: &[&str]) -> bool {
    let rest = match arguments {
        ["--no-pager", rest @ ..] | ["-C", _, rest @ ..] => return git(rest),
        rest => rest,
    };
    let Some((command, arguments)) = rest.split_first() else { return false };
    if GIT.contains(command) {
        return !has(arguments, GIT_UNLESS);
    }
    let lists = GIT_LISTS.iter().find(|(name, _)| name == command);
    lists.is_some_and(|(name, known)| {
        let must_name = matches!(*name, "stash" | "worktree");
        arguments.iter().all(|argument| known.contains(argument)) && !(must_name && arguments.is_empty())
    })
}

/// `sed -n 10,20p file`: printing lines by number. Other scripts can write files.
fn sed(arguments: &[&str]) -> bool {
    let ["-n", script, files @ ..] = arguments else { return false };
    let prints = |part: &str| {
        let lines = part.trim().strip_suffix('p');
        lines.is_some_and(|lines| lines.bytes().all(|byte| byte.is_ascii_digit() || b",$".contains(&byte)))
    };
    script.split(';').all(prints) && !files.iter().any(|file| file.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::command::{Place, Shell, judge};

    fn check(command: &str) -> bool {
        let real = |path: &Path| path.to_owned();
        let place = Place { cwd: Path::new("/work"), home: None, shell: &Shell::default(), real: &real };
        judge(command, place).script.is_some_and(|script| only_reads(&script))
    }

    #[test]
    fn what_reads_is_told_from_what_writes() {
        for command in [
            "ls -la",
            "cat a b | head -3 2>/dev/null",
            "cd src && grep -rn needle . | sort | uniq -c",
            "find . -name '*.rs' -type f",
            "git log --oneline -3; git -C sub diff HEAD~1",
            "git branch -a",
            "git stash list",
            "sed -n '10,20p' file",
            "cat \"$FILE\"",
            "if [ -f a ]; then wc -l a; fi",
        ] {
            assert!(check(command), "{command}");
        }
        for command in [
            "",
            "rm a",
            "ls > files.txt",
            "ls $(touch a)",
            "ls; touch a",
            "find . -delete",
            "find . -exec touch {} +",
            "sort -o a a",
            "sort -uo a b",
            "sort --output=a b",
            "tree -ao list",
            "fd -Hx rm",
            "git grep -nO word",
            "sort $options a",
            "uniq a b",
            "sed -i s/a/b/ file",
            "sed -n 'w out' file",
            "sed -n 1p -i file",
            "git commit -m x",
            "git branch new",
            "git stash",
            "git -c core.pager=evil log",
            "git diff --output=a",
            "PATH=. ls",
            "./ls",
            "cargo build",
            "python3 -c 'open(\"a\",\"w\")'",
            "ls() { touch a; }; ls",
            "xargs rm",
            "bash -c ls",
            "rg --pre ./evil x",
        ] {
            assert!(!check(command), "{command}");
        }
    }
}
