//! Fits a command to the shell it will reach. Pure functions on text.

use crate::host::Compat;
use crate::remote::{CompatShell, HostInfo, Os, Shell};

/// The command line for a host: in `cwd` if one is given, and for the POSIX shell that understands it.
pub fn remote_command(info: HostInfo, compat: Compat, cwd: Option<&str>, command: &str) -> String {
    let compat_shell = compat_shell(info, compat);
    let command = match (cwd, compat_shell, info.shell) {
        (None, ..) => command.to_owned(),
        (Some(cwd), None, Shell::PowerShell) => {
            format!("Set-Location -Path {}; {command}", powershell_quoted(cwd))
        }
        (Some(cwd), None, Shell::Cmd) => format!("cd /d \"{}\" && {command}", cwd.replace('"', "\"\"")),
        (Some(cwd), ..) => format!("cd -- {} && {}", directory(cwd), as_one(command)),
    };
    match compat_shell {
        Some(shell) => format!("{} -c {}", shell.word(), quoted_for(info.shell, &command)),
        None => command,
    }
}

/// The shell that commands are handed to, if it is not the machine's own.
fn compat_shell(info: HostInfo, compat: Compat) -> Option<CompatShell> {
    match compat {
        Compat::On => Some(info.compat_shell.unwrap_or(CompatShell::Bash)),
        Compat::Auto if info.os == Os::Windows => info.compat_shell,
        Compat::Auto | Compat::Off => None,
    }
}

/// A directory for `cd`. A leading `~` is the remote home, which quotes would hide.
fn directory(cwd: &str) -> String {
    match cwd.strip_prefix("~/") {
        Some("") => "~".to_owned(),
        Some(rest) => format!("~/{}", posix_quoted(rest)),
        None if cwd == "~" => "~".to_owned(),
        None => posix_quoted(cwd),
    }
}

/// Several commands in a row must not run where only the first of them was kept from running.
fn as_one(command: &str) -> String {
    match command.contains([';', '\n', '&', '|']) {
        true => format!("eval {}", posix_quoted(command)),
        false => command.to_owned(),
    }
}

/// One word of a command line that `outer` takes apart.
fn quoted_for(outer: Shell, text: &str) -> String {
    match outer {
        Shell::PowerShell => powershell_quoted(text),
        Shell::Cmd => cmd_escaped(&posix_quoted(text)),
        _ => posix_quoted(text),
    }
}

fn posix_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// PowerShell takes typographic quotes for quotes, too.
fn powershell_quoted(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        if matches!(c, '\'' | '\u{2018}'..='\u{201b}') {
            quoted.push(c);
        }
        quoted.push(c);
    }
    quoted.push('\'');
    quoted
}

/// Single quotes mean nothing to cmd: what it would act upon gets a `^` each.
fn cmd_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "^&|<>()%\"".contains(c) {
            escaped.push('^');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests;
