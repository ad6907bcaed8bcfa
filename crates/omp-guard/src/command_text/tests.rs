use super::*;

#[test]
fn trailing_limits_go() {
    for (command, expected) in [
        ("seq 100 | tail -5", "seq 100"),
        ("seq 100 | head", "seq 100"),
        ("a | b | head -n 20", "a | b"),
        ("a && b | tail -n20", "a && b"),
        ("a 2>&1 | head --lines=3  ", "a"),
        ("a |& tail -c 100", "a"),
        ("a 2>&1", "a"),
        ("a; { b; } 2>&1", "a; { b; }"),
        ("for i in 1 2; do x; done 2>&1 | tail -3", "for i in 1 2; do x; done"),
        ("a | tail -50 | head -5", "a"),
        ("grep 'ä|ö' f | head -5", "grep 'ä|ö' f"),
    ] {
        assert_eq!(without_limits(command), expected, "{command}");
    }
}

#[test]
fn everything_else_stays() {
    for command in [
        "echo \"a | head\"",
        "echo 'a | head -5'",
        "x | head -1 | wc -l",
        "echo $(ls | head)",
        "echo `ls | head -1`",
        "(ls | head)",
        "{ ls | head; }",
        "for i in 1; do ls | head; done",
        "cat <<E | head -5\na\nE",
        "cat <<E\na | head -5\nE",
        "ls | head file",
        "ls | tail -f",
        "ls | tail -n +2",
        "ls | head -n -2",
        "ls | head -n $N",
        "ls | head -5 > f",
        "ls | head -5 &",
        "ls | head -5 || echo none",
        "ls | head -5; echo done",
        "yes | head -3",
        "cat /dev/urandom | head -c 10",
        "tail -f log | head -3",
        "while :; do echo x; done | head -3",
        "a > f 2>&1",
        "a >f 2>&1 | head >g",
        "a &> f 2>&1",
        "a 3>&1",
        "echo 2>&1x",
        "a # | head",
        "echo 'unbalanced | head",
        "| head",
        "2>&1",
        "",
        "  a  ",
    ] {
        assert_eq!(without_limits(command), command);
    }
}

#[test]
fn a_leading_cd_is_a_directory() {
    for (command, directory, rest) in [
        ("cd sub && pwd", "sub", "pwd"),
        ("cd  /a/b  &&  ls | wc", "/a/b", "ls | wc"),
        ("cd 'a b' && ls", "a b", "ls"),
        ("cd \"a b\" && ls\nls", "a b", "ls\nls"),
        ("cd .. && a && b; c", "..", "a && b; c"),
    ] {
        assert_eq!(leading_cd(command), Some((directory.to_owned(), rest)), "{command}");
    }
    for command in [
        "cd $X && pwd",
        "cd \"$X\" && pwd",
        "cd ~/x && pwd",
        "cd a* && pwd",
        "cd a b && pwd",
        "cd a >f && pwd",
        "cd a; pwd",
        "cd a",
        "cd && pwd",
        "cd - && pwd",
        "cd -P a && pwd",
        "cd a &&",
        "cd a \\\n&& pwd",
        "cd a || pwd",
        "cd a && b || c",
        "cd a && b &",
        "cd \"a\"b && c",
        "x cd a && b",
    ] {
        assert_eq!(leading_cd(command), None, "{command}");
    }
}

#[test]
fn redirections_to_files_are_found() {
    for (command, expected) in [
        ("echo a > f", vec!["f"]),
        ("echo a >> f >| g", vec!["f", "g"]),
        ("echo a &> f", vec!["f"]),
        ("echo a >& f", vec!["f"]),
        ("echo \"a -> b\"", vec![]),
        ("echo a >/dev/null 2>&1", vec![]),
        ("echo a >&2 2>/dev/stderr >/dev/tty", vec![]),
        ("echo a > 'f g'", vec!["'f g'"]),
    ] {
        assert_eq!(written_files(command), expected, "{command}");
    }
}

#[test]
fn programs_are_named() {
    assert_eq!(programs("cd x && FOO=1 cargo build 2>&1 | tee log"), ["cd", "cargo", "tee"]);
    assert_eq!(
        programs("for i in a; do /usr/bin/make $i >f; done; sudo apt-get update"),
        ["for", "make", "done", "apt-get"]
    );
    assert_eq!(programs("echo 'cargo build'"), ["echo"]);
}
