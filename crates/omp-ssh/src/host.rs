//! A machine that commands can be run on.
//!
//! Addresses and users become arguments of `ssh`, and the user's own OpenSSH configuration may hand them on to a shell
//! (`ProxyCommand`, `Match exec`). So they must not look like options, and have none of the characters that mean
//! something to a shell. OpenSSH checks the same, but only in recent versions.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::expand;

/// Nothing in a file needs more.
const LONGEST: usize = 255;

/// A machine with everything that is needed to reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// What models call it.
    pub name: String,
    /// A name or an address, or an alias of the user's OpenSSH configuration.
    pub address: String,
    pub user: Option<String>,
    pub port: Option<u16>,
    /// A private key, absolute.
    pub key: Option<PathBuf>,
    pub description: Option<String>,
    pub compat: Compat,
    pub source: Source,
}

/// Whether commands are handed to a POSIX shell that is not the machine's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compat {
    /// On machines with Windows that have such a shell.
    #[default]
    Auto,
    On,
    Off,
}

/// Where a host is written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub file: PathBuf,
    pub trust: Trust,
}

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    User,
    /// Came with the project; anybody may have written it.
    Project,
}

/// What the words of a file are expanded with.
pub struct Variables<'a> {
    pub home: &'a Path,
    /// What relative key paths are relative to.
    pub cwd: &'a Path,
    /// A variable of the environment, as far as the file may see it.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Host {
    /// A host from its entry in a file. The error says what is wrong with it, for people.
    pub fn parse(
        name: &str,
        config: Map<String, Value>,
        source: Source,
        variables: &Variables<'_>,
    ) -> Result<Self, String> {
        let config = expand::everywhere(Value::Object(config), variables.variable);
        let file = source.file.display().to_string();
        Fields(&config)
            .host(name, source, variables)
            .map_err(|reason| format!("{file}: the ssh host `{name}` is ignored: {reason}"))
    }

    /// `user@address`, as `ssh` takes it.
    pub fn target(&self) -> String {
        match &self.user {
            Some(user) => format!("{user}@{}", self.address),
            None => self.address.clone(),
        }
    }
}

/// Where commands go, for people.
impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(formatter, "{} port {port}", self.target()),
            None => formatter.write_str(&self.target()),
        }
    }
}

/// The fields of one entry.
struct Fields<'a>(&'a Value);

impl Fields<'_> {
    fn host(&self, name: &str, source: Source, variables: &Variables<'_>) -> Result<Host, String> {
        check_name(name)?;
        let address = self.text("host")?.ok_or("it has no `host`")?;
        check_address(&address).map_err(|reason| format!("`host` {address:?} {reason}"))?;
        let user = self.text("username")?;
        if let Some(user) = &user {
            check_user(user).map_err(|reason| format!("`username` {user:?} {reason}"))?;
        }
        let key = match self.text("key")? {
            Some(key) => Some(key),
            None => self.text("keyPath")?,
        };
        Ok(Host {
            name: name.to_owned(),
            address,
            user,
            port: self.port()?,
            key: key.map(|key| key_path(&key, variables)).transpose()?,
            description: self.text("description")?,
            compat: self.compat()?,
            source,
        })
    }

    /// A text that is not empty.
    fn text(&self, field: &str) -> Result<Option<String>, String> {
        match self.0.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("`{field}` must be a string")),
        }
    }

    fn port(&self) -> Result<Option<u16>, String> {
        let port = match self.0.get("port") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_u64().and_then(|port| u16::try_from(port).ok()),
        };
        let port = port.filter(|port: &u16| *port > 0);
        port.map(Some).ok_or_else(|| "`port` must be a number from 1 to 65535".to_owned())
    }

    fn compat(&self) -> Result<Compat, String> {
        let word = match self.0.get("compat") {
            None | Some(Value::Null) => return Ok(Compat::Auto),
            Some(Value::Bool(on)) => Some(*on),
            Some(Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(true),
                "false" | "no" | "off" | "0" => Some(false),
                _ => None,
            },
            Some(_) => None,
        };
        match word {
            Some(true) => Ok(Compat::On),
            Some(false) => Ok(Compat::Off),
            None => Err("`compat` must be true or false".to_owned()),
        }
    }
}

/// Names are shown to the model, one to a line.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let bad = name.trim().is_empty() || name.len() > LONGEST || name.chars().any(char::is_control);
    if bad { Err("its name must be one line of text".to_owned()) } else { Ok(()) }
}

pub(crate) fn check_address(address: &str) -> Result<(), &'static str> {
    if address.is_empty() {
        return Err("is empty");
    }
    if address.contains("${") {
        return Err("contains an unset variable");
    }
    if address.starts_with('-') {
        return Err("starts with `-`, so ssh would treat it as an option");
    }
    // Letters of any alphabet, an IPv6 address with its zone.
    let zone = address.contains(':');
    let fits = |c: char| c.is_alphanumeric() || "._-:".contains(c) || (zone && c == '%');
    match address.len() <= LONGEST && address.chars().all(fits) {
        true => Ok(()),
        false => Err("is not a valid address: use letters, digits, `.`, `-`, `_` and `:`"),
    }
}

pub(crate) fn check_user(user: &str) -> Result<(), &'static str> {
    if user.starts_with('-') {
        return Err("starts with `-`, so ssh would treat it as an option");
    }
    let fits = |c: char| c.is_alphanumeric() || "._-+@\\".contains(c);
    match !user.is_empty() && user.len() <= LONGEST && user.chars().all(fits) && !user.ends_with('\\') {
        true => Ok(()),
        false => Err("is not a valid user name"),
    }
}

/// The file of a private key. `ssh` expands `%` and `${…}` in it by itself, so neither may be left.
fn key_path(typed: &str, variables: &Variables<'_>) -> Result<PathBuf, String> {
    let path = match typed.strip_prefix('~') {
        Some("") => variables.home.to_owned(),
        Some(rest) if rest.starts_with('/') => variables.home.join(&rest[1..]),
        _ => variables.cwd.join(typed),
    };
    let bad = typed.contains("${") || typed.contains('%') || typed.chars().any(char::is_control);
    if bad {
        Err(format!("`key` {typed:?} cannot be passed to ssh: it contains `%` or an unset variable"))
    } else {
        Ok(path)
    }
}

#[cfg(test)]
mod tests;
