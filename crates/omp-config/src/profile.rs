//! Profiles: separate sets of the user's own files.

use std::fmt;

/// Longer names would not leave room for the files below them on every file system.
const LONGEST_NAME: usize = 64;

/// Names that Windows gives to devices, whatever follows after a dot.
const DEVICES: &[&str] = &[
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Whose files are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    #[default]
    Default,
    Named(ProfileName),
}

/// A name that is a directory name on every system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileName(String);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Invalid OMP profile {name:?}: {reason}. Use letters, digits, \".\", \"_\" and \"-\", or \"default\" for the default profile"
)]
pub struct InvalidProfile {
    pub name: String,
    pub reason: &'static str,
}

impl Profile {
    /// Reads a name as it was typed or set; empty and `default` mean the default profile.
    pub fn parse(name: &str) -> Result<Self, InvalidProfile> {
        if matches!(name, "" | "default") {
            return Ok(Self::Default);
        }
        match objection(name) {
            None => Ok(Self::Named(ProfileName(name.to_owned()))),
            Some(reason) => Err(InvalidProfile { name: name.to_owned(), reason }),
        }
    }

    /// The flag wins over `OMP_PROFILE`, and that over `PI_PROFILE`. An empty value is a choice too.
    pub fn choose(flag: Option<&str>, env: impl Fn(&str) -> Option<String>) -> Result<Self, InvalidProfile> {
        let chosen = flag.map(str::to_owned).or_else(|| env("OMP_PROFILE")).or_else(|| env("PI_PROFILE"));
        Self::parse(&chosen.unwrap_or_default())
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Default => "default",
            Self::Named(name) => name.as_str(),
        })
    }
}

impl ProfileName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why a name cannot be a profile's.
fn objection(name: &str) -> Option<&'static str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    if !name.chars().all(allowed) {
        Some("it contains a character that is not allowed")
    } else if matches!(name, "." | "..") {
        Some("it names a directory")
    } else if name.ends_with('.') {
        Some("it ends with a dot")
    } else if DEVICES.contains(&stem.as_str()) {
        Some("it is the name of a Windows device")
    } else if name.len() > LONGEST_NAME {
        Some("it is longer than 64 characters")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: CLI-087
    #[test]
    fn names_are_directory_names_everywhere() {
        for name in ["work", "a.b", "A_1-x", "-x", ".hidden", "console", "com10", "Default", &"x".repeat(64)]
        {
            assert_eq!(Profile::parse(name).unwrap().to_string(), name);
        }
        for name in ["", "default"] {
            assert_eq!(Profile::parse(name), Ok(Profile::Default));
        }
        let bad = [".", "..", "a.", "...", "a/b", "a\\b", "a b", " ", "a\n", "ä", "a:b", "~", "\u{1b}[31m"];
        for name in bad.into_iter().chain(["con", "NUL", "Com1", "lpt9", "aux.txt", &"x".repeat(65)]) {
            let error = Profile::parse(name).unwrap_err().to_string();
            assert!(error.starts_with("Invalid OMP profile \""), "{error}");
            assert!(!error.contains(char::is_control), "{error:?}");
        }
    }

    // proves: CFG-011
    #[test]
    fn the_flag_wins_and_an_empty_variable_is_a_choice() {
        let choose = |flag: Option<&str>, omp: Option<&str>, pi: Option<&str>| {
            let env = |name: &str| match name {
                "OMP_PROFILE" => omp.map(str::to_owned),
                "PI_PROFILE" => pi.map(str::to_owned),
                _ => None,
            };
            Profile::choose(flag, env).map(|profile| profile.to_string())
        };
        assert_eq!(choose(Some("f"), Some("o"), Some("p")).unwrap(), "f");
        assert_eq!(choose(Some("default"), Some("o"), None).unwrap(), "default");
        assert_eq!(choose(None, Some("o"), Some("p")).unwrap(), "o");
        assert_eq!(choose(None, Some(""), Some("p")).unwrap(), "default");
        assert_eq!(choose(None, None, Some("p")).unwrap(), "p");
        assert_eq!(choose(None, None, None).unwrap(), "default");
        assert!(choose(None, Some("a/b"), None).is_err());
        // What is not used is not looked at.
        assert_eq!(choose(Some("f"), Some("a/b"), None).unwrap(), "f");
    }
}
