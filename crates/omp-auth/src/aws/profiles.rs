//! The two files of Amazon's tools: profiles with keys, roles and single sign-on.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use omp_workspace::open::{OpenedPath, open};

use super::set;
use crate::environment::Environment;

/// Files with hundreds of profiles are still smaller.
pub(super) const LARGEST: u64 = 1024 * 1024;

/// Both files, and the profile the user works with.
pub(super) struct Profiles {
    pub(super) chosen: String,
    /// Did the user name it, or is it the default?
    pub(super) named: bool,
    pub(super) home: Option<PathBuf>,
    credentials: String,
    config: String,
    pub(super) unreadable: Option<String>,
}

impl Profiles {
    pub(super) fn load(environment: &dyn Environment) -> Self {
        let named = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"].iter().find_map(|name| set(environment, name));
        let home = set(environment, "HOME").map(PathBuf::from);
        let mut profiles = Self {
            named: named.is_some(),
            chosen: named.unwrap_or_else(|| "default".to_owned()),
            credentials: String::new(),
            config: String::new(),
            unreadable: None,
            home,
        };
        let place = |variable: &str, name: &str| {
            let given = set(environment, variable).map(PathBuf::from);
            given.or_else(|| Some(profiles.home.as_ref()?.join(".aws").join(name)))
        };
        let places =
            [place("AWS_SHARED_CREDENTIALS_FILE", "credentials"), place("AWS_CONFIG_FILE", "config")];
        let [credentials, config] =
            places.map(|path| path.map_or_else(|| Ok(String::new()), |path| text(&path)));
        for (slot, read) in [(&mut profiles.credentials, credentials), (&mut profiles.config, config)] {
            match read {
                Ok(text) => *slot = text,
                Err(problem) => profiles.unreadable = Some(problem),
            }
        }
        profiles
    }

    /// A member of a profile. The credentials file goes before the other.
    pub(super) fn member(&self, profile: &str, name: &str) -> Option<&str> {
        // The sections of the second file are called by their names and the word, but for the default.
        let long = if profile == "default" { profile.to_owned() } else { format!("profile {profile}") };
        let found = member(&self.credentials, profile, name).or_else(|| member(&self.config, &long, name));
        found.filter(|value| !value.is_empty())
    }

    /// A member of a `[sso-session …]`.
    pub(super) fn session_member(&self, session: &str, name: &str) -> Option<&str> {
        member(&self.config, &format!("sso-session {session}"), name).filter(|value| !value.is_empty())
    }
}

fn text(path: &Path) -> Result<String, String> {
    match read(path, LARGEST) {
        Ok(text) => Ok(text.unwrap_or_default()),
        Err(cause) => Err(format!("{} cannot be read ({cause})", path.display())),
    }
}

/// The text of a file; `None` when there is none.
pub(super) fn read(path: &Path, largest: u64) -> Result<Option<String>, String> {
    let file = match open(path) {
        Ok(OpenedPath::File(file, _)) => file,
        Ok(OpenedPath::Directory) => return Err("it is a directory".to_owned()),
        Ok(OpenedPath::Special(special)) => return Err(format!("it is {}", special.name())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(largest + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > largest {
        return Err(format!("it is larger than {largest} bytes"));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()))
}

fn member<'a>(text: &'a str, section: &str, name: &str) -> Option<&'a str> {
    section_of(text, section).remove(name)
}

/// The members of one section. Comments take whole lines, or follow a value after a space; an indented line is part
/// of a value that holds no credentials.
fn section_of<'a>(text: &'a str, wanted: &str) -> HashMap<String, &'a str> {
    let mut members = HashMap::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with([' ', '\t', '#', ';']) || line.trim().is_empty() {
            continue;
        }
        let name = line.trim().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        if let Some((name, _)) = name {
            inside = is_section(name, wanted);
        } else if let Some((name, value)) = line.split_once('=').filter(|_| inside) {
            let value = value.split(" #").next().and_then(|value| value.split(" ;").next());
            members.insert(name.trim().to_ascii_lowercase(), value.unwrap_or_default().trim());
        }
    }
    members
}

/// Spaces do not matter, and a name may stand in quotes.
fn is_section(name: &str, wanted: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ").replace(['"', '\''], "") == wanted
}
