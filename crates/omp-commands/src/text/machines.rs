//! `/ssh`: the machines of the ssh tool.

use std::path::PathBuf;
use std::sync::Arc;

use omp_sdk::ssh::{Draft, Host, Trust, add, remove};
use omp_sdk::{Level, Session, ssh_hosts, ssh_hosts_file};

use crate::answer::{Answer, Columns};

const USAGE: &str = "Usage: /ssh add <name> --host <address> [--user <name>] [--port <number>] [--key <file>] [--desc <text>] \
[--scope project|user]\n       /ssh list\n       /ssh remove <name> [--scope project|user]";

/// What was typed behind `/ssh add` and `/ssh remove`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Typed {
    name: String,
    host: Option<String>,
    user: Option<String>,
    port: Option<u16>,
    key: Option<String>,
    description: Option<String>,
    user_list: bool,
}

/// `/ssh add|list|remove|help`
pub(crate) async fn run(session: &Arc<Session>, arguments: &str) -> Answer {
    let words = words(arguments);
    let (action, rest) =
        words.split_first().map_or(("help", &[][..]), |(action, rest)| (action.as_str(), rest));
    let change: fn(&Session, &Typed) -> Result<String, String> = match action {
        "list" if rest.is_empty() => return list(session).await,
        "help" if rest.is_empty() => return Answer::Text(USAGE.to_owned()),
        "add" => add_host,
        "remove" => remove_host,
        _ => return Answer::refused(USAGE),
    };
    let typed = match parse(rest) {
        Ok(typed) => typed,
        Err(mistake) => return Answer::Refused(format!("{mistake}\n{USAGE}")),
    };
    let at = Arc::clone(session);
    let changed = tokio::task::spawn_blocking(move || change(&at, &typed)).await;
    let done = match changed.unwrap_or_else(|error| Err(error.to_string())) {
        Ok(done) => done,
        Err(mistake) => return Answer::Refused(mistake),
    };
    match session.configuration().reload_ssh_hosts().await {
        Ok(warnings) => Answer::Changed([vec![done], warnings].concat().join("\n")),
        Err(error) => Answer::refused(error),
    }
}

fn add_host(session: &Session, typed: &Typed) -> Result<String, String> {
    let address = typed.host.clone().ok_or_else(|| format!("--host is missing\n{USAGE}"))?;
    let draft = Draft {
        name: typed.name.clone(),
        address,
        user: typed.user.clone(),
        port: typed.port,
        key: typed.key.clone(),
        description: typed.description.clone(),
        compat: false,
    };
    let file = file(session, typed);
    add(&file, &draft).map_err(|error| error.to_string())?;
    Ok(format!("Host \"{}\" added to {}", typed.name, file.display()))
}

fn remove_host(session: &Session, typed: &Typed) -> Result<String, String> {
    let file = file(session, typed);
    remove(&file, &typed.name).map_err(|error| format!("{error}; choose a list with --scope"))?;
    Ok(format!("Host \"{}\" removed from {}", typed.name, file.display()))
}

/// The list of the project unless the user's own is meant.
fn file(session: &Session, typed: &Typed) -> PathBuf {
    let level = if typed.user_list { Level::User } else { Level::Project };
    ssh_hosts_file(session.directories(), &session.cwd(), level)
}

async fn list(session: &Arc<Session>) -> Answer {
    let at = Arc::clone(session);
    let found = tokio::task::spawn_blocking(move || {
        ssh_hosts(at.directories(), &at.cwd(), &at.settings(), at.environment())
    });
    let (hosts, warnings) = found.await.unwrap_or_default();
    if hosts.is_empty() && warnings.is_empty() {
        return Answer::Text("No hosts. Add one with: /ssh add <name> --host <address>".to_owned());
    }
    let row = |host: &Host| {
        let level = match host.source.trust {
            Trust::User => "user",
            Trust::Project => "project",
        };
        let description = host.description.as_deref().map(|text| format!("  {text}")).unwrap_or_default();
        (host.name.clone(), format!("{host} ({level}){description}"))
    };
    let rows = hosts.iter().map(row).chain(warnings.into_iter().map(|warning| (String::new(), warning)));
    Answer::Table(Columns::new("SSH hosts", rows.collect()))
}

/// A flag without its dashes: its name and its value, which stands behind `=` or is the next word.
pub(in crate::text) fn flag_value<'w>(
    flag: &'w str,
    words: &mut std::slice::Iter<'w, String>,
) -> Result<(&'w str, String), String> {
    let (flag, value) = match flag.split_once('=') {
        Some((flag, value)) => (flag, Some(value.to_owned())),
        None => (flag, words.next().cloned()),
    };
    let value = value.ok_or_else(|| format!("--{flag} needs a value"))?;
    Ok((flag, value))
}

fn parse(words: &[String]) -> Result<Typed, String> {
    let mut typed = Typed::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(flag) = word.strip_prefix("--") else {
            if !typed.name.is_empty() {
                return Err(format!("unexpected argument {word:?}"));
            }
            typed.name.clone_from(word);
            continue;
        };
        let (flag, value) = flag_value(flag, &mut words)?;
        match flag {
            "host" => typed.host = Some(value),
            "user" => typed.user = Some(value),
            "key" => typed.key = Some(value),
            "desc" => typed.description = Some(value),
            "port" => {
                let port = value.parse().ok().filter(|port| *port > 0);
                typed.port = Some(
                    port.ok_or_else(|| format!("--port must be a number from 1 to 65535, not {value}"))?,
                );
            }
            "scope" if value == "user" || value == "project" => typed.user_list = value == "user",
            "scope" => return Err(format!("--scope must be project or user, not {value}")),
            _ => return Err(format!("unknown flag --{flag}")),
        }
    }
    if typed.name.is_empty() {
        return Err("the host name is missing".to_owned());
    }
    Ok(typed)
}

/// Words, with what is in quotes kept together.
pub(in crate::text) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '"' || letter == '\'' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read() {
        let typed =
            parse(&words("build --host 10.0.0.5 --port=22 --desc 'the big one' --scope user")).unwrap();
        assert_eq!((typed.name.as_str(), typed.port, typed.user_list), ("build", Some(22), true));
        assert_eq!(typed.description.as_deref(), Some("the big one"));
        for (line, mistake) in [
            ("", "host name"),
            ("a b", "unexpected argument"),
            ("a --port 0", "1 to 65535"),
            ("a --port", "needs a value"),
            ("a --scope x", "project or user"),
            ("a --colour red", "unknown flag"),
        ] {
            assert!(parse(&words(line)).unwrap_err().contains(mistake), "{line}");
        }
    }
}
