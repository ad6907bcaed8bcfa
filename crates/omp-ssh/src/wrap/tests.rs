use super::*;

fn info(os: Os, shell: Shell, compat_shell: Option<CompatShell>) -> HostInfo {
    HostInfo { os, shell, compat_shell }
}

fn linux() -> HostInfo {
    info(Os::Linux, Shell::Bash, None)
}

fn windows(shell: Shell) -> HostInfo {
    info(Os::Windows, shell, None)
}

fn with_bash(shell: Shell) -> HostInfo {
    info(Os::Windows, shell, Some(CompatShell::Bash))
}

/// proves: SHL-098
#[test]
fn each_shell_enters_the_directory_in_its_own_way() {
    let wrap = |info, cwd| remote_command(info, Compat::Auto, Some(cwd), "make all");
    assert_eq!(wrap(linux(), "/srv/app"), "cd -- '/srv/app' && make all");
    assert_eq!(wrap(info(Os::Unknown, Shell::Unknown, None), "/x"), "cd -- '/x' && make all");
    assert_eq!(wrap(linux(), "/srv/it's"), r"cd -- '/srv/it'\''s' && make all");
    assert_eq!(wrap(linux(), "-x $HOME `id`"), "cd -- '-x $HOME `id`' && make all");
    assert_eq!(wrap(linux(), "~/it's"), r"cd -- ~/'it'\''s' && make all");
    assert_eq!(wrap(linux(), "~"), "cd -- ~ && make all");
    assert_eq!(wrap(windows(Shell::PowerShell), "C:\\it's"), "Set-Location -Path 'C:\\it''s'; make all");
    assert_eq!(
        wrap(windows(Shell::PowerShell), "a\u{2019}b"),
        "Set-Location -Path 'a\u{2019}\u{2019}b'; make all"
    );
    assert_eq!(wrap(windows(Shell::Cmd), "C:\\a b"), "cd /d \"C:\\a b\" && make all");
    assert_eq!(wrap(windows(Shell::Cmd), "a\"b"), "cd /d \"a\"\"b\" && make all");
    assert_eq!(wrap(with_bash(Shell::Bash), "/c/x"), r"bash -c 'cd -- '\''/c/x'\'' && make all'");
    assert_eq!(remote_command(linux(), Compat::Auto, None, "make; ls"), "make; ls");
}

/// proves: SHL-099
#[test]
fn windows_machines_with_a_posix_shell_get_commands_for_it() {
    let wrap = |info, compat| remote_command(info, compat, None, "echo 'a b'");
    assert_eq!(wrap(with_bash(Shell::Bash), Compat::Auto), r"bash -c 'echo '\''a b'\'''");
    let sh = info(Os::Windows, Shell::Sh, Some(CompatShell::Sh));
    assert_eq!(wrap(sh, Compat::Auto), r"sh -c 'echo '\''a b'\'''");
    assert_eq!(wrap(with_bash(Shell::PowerShell), Compat::Auto), "bash -c 'echo ''a b'''");
    let piped = remote_command(with_bash(Shell::Cmd), Compat::Auto, None, "a && echo \"%PATH%\" | b");
    assert_eq!(piped, "bash -c 'a ^&^& echo ^\"^%PATH^%^\" ^| b'");
    assert_eq!(wrap(windows(Shell::Cmd), Compat::Auto), "echo 'a b'");
    assert_eq!(wrap(with_bash(Shell::Cmd), Compat::Off), "echo 'a b'");
    assert_eq!(wrap(linux(), Compat::On), r"bash -c 'echo '\''a b'\'''");
    assert_eq!(wrap(sh, Compat::On), r"sh -c 'echo '\''a b'\'''");
}
