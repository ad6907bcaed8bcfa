use super::*;

const SHELLS: [Shell; 4] = [Shell::Zsh, Shell::Bash, Shell::Fish, Shell::PowerShell];

fn nothing(_: &str) -> Option<String> {
    None
}

fn profile(name: &str) -> Profile {
    Profile::parse(name).unwrap()
}

fn in_home(shell: Shell, alias: &str, name: &str, home: &Path) -> Result<Installed, AliasError> {
    install(shell, alias, &profile(name), home, nothing)
}

// proves: CLI-088
#[test]
fn every_shell_has_its_file() {
    let home = tempfile::tempdir().unwrap();
    let elsewhere = home.path().join("elsewhere").display().to_string();
    for (shell, variable, default, moved) in [
        (Shell::Zsh, "ZDOTDIR", ".zshrc", "elsewhere/.zshrc"),
        (Shell::Bash, "ZDOTDIR", ".bashrc", ".bashrc"),
        (
            Shell::Fish,
            "XDG_CONFIG_HOME",
            ".config/fish/conf.d/omp-profiles.fish",
            "elsewhere/fish/conf.d/omp-profiles.fish",
        ),
        (
            Shell::PowerShell,
            "XDG_CONFIG_HOME",
            ".config/powershell/Microsoft.PowerShell_profile.ps1",
            "elsewhere/powershell/Microsoft.PowerShell_profile.ps1",
        ),
    ] {
        let done = in_home(shell, "omw", "work", home.path()).unwrap();
        assert_eq!(done.file, home.path().join(default));
        assert!(done.reload.contains(default), "{}", done.reload);
        let env = |name: &str| (name == variable).then(|| elsewhere.clone());
        let done = install(shell, "omw", &profile("work"), home.path(), env).unwrap();
        assert_eq!(done.file, home.path().join(moved));
    }
}

#[test]
fn a_second_run_replaces_only_its_block() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".bashrc");
    let read = || std::fs::read(&file).unwrap();
    std::fs::write(&file, b"first \xff line\r\nno end of line").unwrap();
    assert_eq!(in_home(Shell::Bash, "omw", "work", home.path()).unwrap().change, Change::Added);
    assert_eq!(in_home(Shell::Bash, "omx", "x", home.path()).unwrap().change, Change::Added);
    let both = read();
    assert!(both.starts_with(b"first \xff line\r\nno end of line\n# >>> omp"));
    assert_eq!(in_home(Shell::Bash, "omw", "work", home.path()).unwrap().change, Change::None);
    assert_eq!(read(), both);
    std::fs::write(&file, [both.as_slice(), b"last\n"].concat()).unwrap();
    assert_eq!(in_home(Shell::Bash, "omw", "other", home.path()).unwrap().change, Change::Replaced);
    let expected = String::from_utf8_lossy(&both).replace("--profile=work", "--profile=other") + "last\n";
    assert_eq!(String::from_utf8_lossy(&read()), expected);
}

#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let (link, target) = (home.path().join(".zshrc"), home.path().join("dotfiles-zshrc"));
    std::fs::write(&target, "x\n").unwrap();
    std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    in_home(Shell::Zsh, "omw", "work", home.path()).unwrap();
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().contains("function omw {"));
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn half_deleted_blocks_are_not_touched() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".bashrc");
    in_home(Shell::Bash, "omw", "work", home.path()).unwrap();
    let whole = std::fs::read_to_string(&file).unwrap();
    let (begin, end) = (whole.lines().next().unwrap(), whole.lines().last().unwrap());
    let without_end = whole.replace(end, "");
    let without_begin = whole.replace(begin, "");
    let nested = format!("{begin}\n{begin}\n{end}\n{end}\n");
    for (broken, said) in [
        (without_end, "starts on line 1 has no end"),
        (without_begin, "that has no start"),
        (nested, "starts on line 1 has no end"),
        (format!("{whole}{whole}"), "has a second block on line 7"),
        (format!("{begin}\n{}\n", end.replace("omw", "omx")), "has no end"),
    ] {
        std::fs::write(&file, &broken).unwrap();
        // Another alias must not be written into such a file either.
        for name in ["omw", "other"] {
            let error = in_home(Shell::Bash, name, "work", home.path()).unwrap_err().to_string();
            assert!(error.contains(said) && error.contains(".bashrc"), "{error}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), broken);
        }
    }
}

#[test]
fn start_files_that_are_no_files_are_refused() {
    let home = tempfile::tempdir().unwrap();
    nix::unistd::mkfifo(&home.path().join(".bashrc"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let error = in_home(Shell::Bash, "omw", "work", home.path()).unwrap_err().to_string();
    assert!(error.contains("it is a named pipe"), "{error}");
    std::fs::create_dir(home.path().join(".zshrc")).unwrap();
    let error = in_home(Shell::Zsh, "omw", "work", home.path()).unwrap_err().to_string();
    assert!(error.contains("it is a directory"), "{error}");
}

#[test]
fn names_that_would_break_a_shell_are_refused() {
    for shell in SHELLS {
        for name in ["omw", "_x", "a-b_C9", &"x".repeat(64)] {
            assert!(AliasName::parse(name, shell).is_ok(), "{name} {shell:?}");
        }
        for name in ["", "9a", "-a", "a b", "a;b", "a.b", "ä", "$(id)", "a\n", &"x".repeat(65)] {
            assert!(matches!(AliasName::parse(name, shell), Err(InvalidAlias::Shape(_))), "{name}");
        }
        assert_eq!(AliasName::parse("omp", shell), Err(InvalidAlias::Omp));
        for name in ["if", "for", "while", "function"] {
            assert!(matches!(AliasName::parse(name, shell), Err(InvalidAlias::Reserved { .. })), "{name}");
        }
    }
    assert!(AliasName::parse("DynamicParam", Shell::PowerShell).is_err());
    assert!(AliasName::parse("DynamicParam", Shell::Bash).is_ok());
}

#[test]
fn unknown_shells_are_named() {
    for (variable, shell) in
        [("/bin/zsh", Shell::Zsh), ("fish", Shell::Fish), ("C:\\x\\pwsh.exe", Shell::PowerShell)]
    {
        assert_eq!(Shell::from_variable(Some(variable)), Ok(shell));
    }
    for unset in [None, Some("")] {
        assert_eq!(Shell::from_variable(unset), Err(UnknownShell::NotSet));
    }
    for other in ["/bin/sh", "/bin/tcsh", "/usr/bin/nu", "/bin/bash/"] {
        let error = Shell::from_variable(Some(other)).unwrap_err();
        assert!(error.to_string().contains(other), "{error}");
    }
}
