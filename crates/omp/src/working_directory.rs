//! The directory a session works in.

use std::path::{Path, PathBuf};

/// The directory the program was started in.
pub(crate) fn current() -> Result<PathBuf, String> {
    std::env::current_dir().map_err(|error| unusable(&error))
}

pub(crate) fn unusable(error: &std::io::Error) -> String {
    format!("cannot use the current directory: {error}")
}

/// Changes into the session's directory and returns it, absolute, with what the user should know about it.
pub(crate) fn enter(
    asked: Option<&Path>,
    allow_home: bool,
    home: &Path,
) -> Result<(PathBuf, Option<String>), String> {
    if let Some(directory) = asked {
        std::env::set_current_dir(directory)
            .map_err(|error| format!("--cwd {}: {}", directory.display(), reason(directory, &error)))?;
    }
    let current = current()?;
    if asked.is_some() || allow_home || !same(&current, home) {
        return Ok((current, None));
    }
    // A session in the home directory would put everything the user owns within reach of one wrong command.
    let refuge = refuges(home).into_iter().find(|directory| directory.is_dir());
    match refuge {
        Some(directory) => {
            std::env::set_current_dir(&directory)
                .map_err(|error| format!("{}: {error}", directory.display()))?;
            let remark = format!(
                "Started in your home directory: working in {} instead, where one wrong command cannot reach all \
                 your files. Start omp in a project, or add --allow-home to stay.",
                directory.display()
            );
            Ok((directory, Some(remark)))
        }
        None => Ok((current, None)),
    }
}

fn refuges(home: &Path) -> [PathBuf; 4] {
    [home.join("tmp"), PathBuf::from("/tmp"), PathBuf::from("/var/tmp"), std::env::temp_dir()]
}

fn same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn reason(directory: &Path, error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such directory".to_owned(),
        std::io::ErrorKind::NotADirectory => "not a directory".to_owned(),
        _ if directory.is_file() => "not a directory but a file".to_owned(),
        _ => error.to_string(),
    }
}
