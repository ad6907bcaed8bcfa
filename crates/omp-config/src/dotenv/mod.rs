//! `.env` files: variables below those of the process.
//!
//! What they define is looked up, never put into the environment of this process: the commands it starts do not
//! see it.

mod parse;
mod trust;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use omp_workspace::open::{OpenedPath, open};

use parse::parse;
use trust::may_define;

/// Larger files hold something else.
const LARGEST_FILE: u64 = 1024 * 1024;
/// Names spelled out in one warning.
const NAMES_SHOWN: usize = 5;

/// A place to look for variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvFile {
    pub path: PathBuf,
    pub trust: Trust,
}

/// Who wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Whoever wrote the project.
    Project,
    User,
}

/// The variables of several files.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DotEnv(BTreeMap<String, Defined>);

/// A value, and the file that has it.
#[derive(Clone, PartialEq, Eq)]
struct Defined {
    value: String,
    path: PathBuf,
}

impl DotEnv {
    /// Reads the files in order; the first to define a variable decides. What the user should know is returned.
    pub fn load(files: &[EnvFile]) -> (Self, Vec<String>) {
        let mut variables = BTreeMap::new();
        let mut warnings = Vec::new();
        for file in files {
            match read(&file.path) {
                Ok(None) => {}
                Ok(Some(bytes)) => add(&mut variables, file, &bytes, &mut warnings),
                Err(reason) => {
                    warnings.push(format!("cannot read {}: {reason}", file.path.display()));
                }
            }
        }
        (Self(variables), warnings)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|defined| defined.value.as_str())
    }

    /// The file that defines a variable.
    pub fn file_of(&self, name: &str) -> Option<&Path> {
        self.0.get(name).map(|defined| defined.path.as_path())
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, defined)| (name.as_str(), defined.value.as_str()))
    }
}

/// Names only: the values are often keys.
impl fmt::Debug for DotEnv {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// The content of a regular file; nothing for a missing file or a directory, which some tools keep under this name.
fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let file = match open(path) {
        Ok(OpenedPath::File(file, _)) => file,
        Ok(OpenedPath::Directory) => return Ok(None),
        Ok(OpenedPath::Special(kind)) => return Err(format!("it is {}", kind.name())),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err("it is larger than 1 MiB".to_owned());
    }
    Ok(Some(bytes))
}

fn add(variables: &mut BTreeMap<String, Defined>, file: &EnvFile, bytes: &[u8], warnings: &mut Vec<String>) {
    let may_define = |name: &str| {
        may_define(file.trust, name) && older(name).is_none_or(|older| may_define(file.trust, &older))
    };
    let mut here = BTreeMap::new();
    let mut refused: Vec<String> = Vec::new();
    for (name, value) in parse(bytes) {
        if may_define(&name) {
            here.insert(name, value);
        } else if !refused.contains(&name) {
            refused.push(name);
        }
    }
    if !refused.is_empty() {
        warnings.push(refusal(file, &refused));
    }
    // The newer name wins within a file, as it does in the environment.
    let renamed: Vec<_> =
        here.iter().filter_map(|(name, value)| Some((older(name)?, value.clone()))).collect();
    here.extend(renamed);
    for (name, value) in here {
        variables.entry(name).or_insert_with(|| Defined { value, path: file.path.clone() });
    }
}

/// `OMP_X` is the newer name of `PI_X`.
fn older(name: &str) -> Option<String> {
    name.strip_prefix("OMP_").filter(|rest| !rest.is_empty()).map(|rest| format!("PI_{rest}"))
}

fn refusal(file: &EnvFile, names: &[String]) -> String {
    let mut list = names.iter().take(NAMES_SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > NAMES_SHOWN {
        list.push_str(&format!(" and {} more", names.len() - NAMES_SHOWN));
    }
    let remedy = match file.trust {
        Trust::Project => "set it in the environment or, unless it chooses directories, in ~/.env",
        Trust::User => "set variables that choose directories in the environment",
    };
    format!("{}: {list} cannot be set there and has no effect; {remedy}", file.path.display())
}

#[cfg(test)]
mod tests;
