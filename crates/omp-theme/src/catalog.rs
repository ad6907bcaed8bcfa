//! Where themes are found: in the program first, then in the user's directory.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::builtin;
use crate::error::ThemeError;
use crate::theme::Theme;

/// No theme file is larger.
const LARGEST: u64 = 1024 * 1024;

/// The built-in themes and those of one directory.
#[derive(Clone, Debug)]
pub struct Catalog {
    directory: PathBuf,
}

impl Catalog {
    /// With the files of `directory`, which need not exist.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }

    /// Every name that can be chosen, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.directory).into_iter().flatten().flatten();
        let files = entries.filter(|entry| entry.path().is_file());
        let own =
            files.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(".json")?.to_owned()));
        let mut names: Vec<String> = own.chain(builtin::names().map(str::to_owned)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The theme of that name. A built-in one wins over a file of the same name.
    pub fn load(&self, name: &str) -> Result<Arc<Theme>, ThemeError> {
        if let Some(theme) = builtin::find(name) {
            return Ok(theme);
        }
        let path = self.file(name).ok_or_else(|| self.not_found(name))?;
        read(&path).map_err(|error| error.unwrap_or_else(|| self.not_found(name))).map(Arc::new)
    }

    fn not_found(&self, name: &str) -> ThemeError {
        let names = self.names();
        let near = names
            .iter()
            .map(|known| (strsim::osa_distance(&name.to_lowercase(), &known.to_lowercase()), known))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, known)| *distance <= known.len().min(name.len()) / 3);
        ThemeError::NotFound { name: name.to_owned(), near: near.map(|(_, known)| known.clone()) }
    }

    /// The file that a name stands for; `None` for built-in themes and for what is no file name.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        let is_name = !name.is_empty() && !name.contains(['/', '\\', '\0']);
        let built_in = builtin::names().any(|built_in| built_in == name);
        (is_name && !built_in).then(|| self.directory.join(format!("{name}.json")))
    }
}

/// Reads a file. No error means that there is none.
fn read(path: &Path) -> Result<Theme, Option<ThemeError>> {
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => None,
        _ => Some(ThemeError::Read { path: path.to_owned(), error }),
    };
    let file = File::open(path).map_err(failed)?;
    let mut json = String::new();
    file.take(LARGEST + 1).read_to_string(&mut json).map_err(failed)?;
    if json.len() as u64 > LARGEST {
        return Err(Some(ThemeError::TooLarge { path: path.to_owned(), limit: LARGEST }));
    }
    Theme::load(&json).map_err(Some)
}
