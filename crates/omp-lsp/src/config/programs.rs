//! Where a server's program is: in the project first, then on the `PATH`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Places;

/// Directories of a project that may hold programs, and what must be there for them to count.
const LOCAL: &[(&[&str], &[&str])] = &[
    (&["package.json", "node_modules"], &["node_modules/.bin"]),
    (
        &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile", ".venv", "venv"],
        &[".venv/bin", "venv/bin", ".env/bin"],
    ),
    (&["Gemfile", "Gemfile.lock"], &["vendor/bundle/bin", "bin"]),
    (&["go.mod", "go.sum"], &["bin"]),
];

/// The program of that name; `None` if it is not installed.
pub(crate) fn find(command: &str, places: &Places) -> Option<PathBuf> {
    if command.contains('/') {
        return Some(places.cwd.join(command)).filter(|path| is_program(path));
    }
    let counts = |markers: &[&str]| markers.iter().any(|marker| places.cwd.join(marker).exists());
    let local = LOCAL.iter().filter(|(markers, _)| counts(markers));
    let local = local.flat_map(|(_, directories)| *directories).map(|directory| places.cwd.join(directory));
    let path = places.path.as_deref().unwrap_or_default();
    // An empty or relative part would mean whatever directory we happen to be in.
    let path = std::env::split_paths(path).filter(|directory| directory.is_absolute());
    local.chain(path).map(|directory| directory.join(command)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}
