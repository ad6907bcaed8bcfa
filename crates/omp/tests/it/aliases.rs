//! `--alias`: shell commands for profiles, tried in the real shells.

use std::os::unix::fs::PermissionsExt;

use omp_sdk::alias::{AliasName, InvalidAlias, Shell};
use omp_testkit::{Home, Output, run};

use crate::support::{LIMIT, omp};

/// A shell, the file omp writes for it, and how to run one command in a new interactive shell.
const SHELLS: [(&str, &str, &[&str]); 3] = [
    ("/usr/bin/zsh", "home/.zshrc", &["-i", "-c"]),
    ("/usr/bin/bash", "home/.bashrc", &["-i", "-c"]),
    ("/usr/bin/fish", "home/.config/fish/conf.d/omp-profiles.fish", &["-c"]),
];

fn make_alias(home: &Home, shell: &str, args: &[&str]) -> Output {
    let mut command = omp(home, args);
    command.env("SHELL", shell);
    run(command, Some(b""), LIMIT)
}

/// What a command line typed into a shell prints, with an `omp` that shows its arguments.
fn typed(home: &Home, shell: &str, flags: &[&str], line: &str) -> Output {
    let fake = home.write("bin/omp", "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
    std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", home.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = home.command(shell);
    command.args(flags).arg(line).env("PATH", path).env("TERM", "dumb");
    run(command, Some(b""), LIMIT)
}

/// Made, tried, made again for another profile, tried again.
// proves: CLI-088, CLI-089
#[test]
fn an_alias_works_in_a_new_shell() {
    for (shell, file, flags) in SHELLS {
        let home = Home::new();
        let said = make_alias(&home, shell, &["--profile", "work", "--alias", "om-w"]);
        said.assert_success();
        assert!(said.stdout.contains("Open a new terminal, or run: source '"), "{}", said.stdout);
        let called = typed(&home, shell, flags, "om-w -p 'a  b' --x=1 ''");
        assert_eq!(called.stdout, "<--profile=work><-p><a  b><--x=1><>", "{shell}: {}", called.stderr);

        make_alias(&home, shell, &["--profile=other.1", "--alias=om-w"]).assert_success();
        assert_eq!(typed(&home, shell, flags, "om-w").stdout, "<--profile=other.1>", "{shell}");
        assert_eq!(home.read(file).matches(">>> omp profile alias").count(), 1, "{shell}");
        let before = home.read(file);
        let again = make_alias(&home, shell, &["--profile=other.1", "--alias=om-w"]);
        assert!(again.stdout.starts_with("om-w is already in "), "{}", again.stdout);
        assert_eq!(home.read(file), before);
    }
}

/// The line that is printed for reloading works in the shell it is for, whatever the directory is called.
#[test]
fn the_reload_line_can_be_typed() {
    for (shell, _, flags) in SHELLS {
        let home = Home::new();
        let odd = home.path("it's \\odd $x");
        std::fs::create_dir_all(&odd).unwrap();
        let mut command = omp(&home, &["--profile", "work", "--alias", "omw"]);
        command.env("SHELL", shell).env("HOME", &odd).env("XDG_CONFIG_HOME", &odd);
        let said = run(command, Some(b""), LIMIT);
        said.assert_success();
        let reload = said.stdout.trim_end().rsplit_once("or run: ").unwrap().1;
        let called = typed(&home, shell, &flags[flags.len() - 1..], &format!("{reload}\nomw x"));
        assert_eq!(called.stdout, "<--profile=work><x>", "{shell}: {}", called.stderr);
    }
}

/// An alias of the same name would break the function's definition, or hide it.
#[test]
fn an_older_shell_alias_gives_way() {
    for (shell, file, flags) in &SHELLS[..2] {
        let home = Home::new();
        home.write(file, "alias omw='omp --profile old'\n");
        make_alias(&home, shell, &["--profile", "new", "--alias", "omw"]).assert_success();
        let called = typed(&home, shell, flags, "omw x");
        assert_eq!(called.stdout, "<--profile=new><x>", "{shell}: {}", called.stderr);
    }
}

#[test]
fn what_cannot_be_an_alias_is_explained() {
    let home = Home::new();
    for (shell, args, said) in [
        ("/bin/tcsh", &["--profile", "p", "--alias", "x"][..], "shell \"/bin/tcsh\""),
        ("", &["--profile", "p", "--alias", "x"], "SHELL is not set"),
        ("/bin/bash", &["--profile", "p", "--alias", "omp"], "cannot be named omp"),
        ("/bin/bash", &["--profile", "p", "--alias", "done"], "done is a reserved word of bash"),
        ("/bin/bash", &["--profile", "p", "--alias", "a;b"], "invalid command name"),
        ("/bin/bash", &["--profile", "a/b", "--alias", "x"], "Invalid OMP profile"),
        ("/bin/bash", &["--alias", "x"], "--alias needs --profile"),
        ("/bin/bash", &["--profile", "p", "--alias", "x", "fix it"], "omit the prompt"),
        ("/bin/bash", &["--profile", "p", "--alias", "x", "models"], "omit the prompt"),
    ] {
        let output = make_alias(&home, shell, args);
        assert_eq!(output.code, Some(1), "{args:?}");
        assert!(output.stderr.starts_with("Error: ") && output.stderr.contains(said), "{}", output.stderr);
    }
    home.write("home/.bashrc", "# >>> omp profile alias: x >>>\nfunction x {\n");
    let half = make_alias(&home, "/bin/bash", &["--profile", "p", "--alias", "x"]);
    assert_eq!(half.code, Some(1));
    assert!(half.stderr.contains(".bashrc") && half.stderr.contains("line 1"), "{}", half.stderr);
    assert_eq!(home.list_files(), ["home/.bashrc"]);
}

/// The shells themselves say which words they keep.
#[test]
fn every_word_that_a_shell_reserves_is_refused() {
    let home = Home::new();
    let refused = "for n in (builtin -n); eval \"function $n; end\" 2>/dev/null; or builtin echo $n; end";
    for (program, shell, ask) in [
        ("/usr/bin/bash", Shell::Bash, "compgen -k"),
        ("/usr/bin/zsh", Shell::Zsh, "zmodload zsh/parameter; print -l ${(k)reswords}"),
        ("/usr/bin/fish", Shell::Fish, refused),
    ] {
        let output = run(home.command(program).args(["-c", ask]), None, LIMIT);
        let words: Vec<&str> = output.stdout.lines().collect();
        assert!(words.contains(&"while"), "{program}: {} {}", output.stdout, output.stderr);
        for word in words {
            let parsed = AliasName::parse(word, shell);
            let refused = matches!(parsed, Err(InvalidAlias::Reserved { .. } | InvalidAlias::Shape(_)));
            assert!(refused, "{program} reserves {word}");
        }
    }
}
