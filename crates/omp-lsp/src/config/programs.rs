//! Where a server's program is: in the project first, then on the `PATH`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Config, FILE_NAMES, Places, Trust};

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

/// The program of that name; `None` if it is not installed, or only where it is not trusted.
pub(crate) fn find(command: &str, places: &Places) -> Option<PathBuf> {
    let usable = |path: &PathBuf| {
        is_program(path) && (places.trust == Trust::Project || is_outside(path, &places.cwd))
    };
    if command.contains('/') {
        return Some(places.cwd.join(command)).filter(usable);
    }
    let counts = |markers: &[&str]| markers.iter().any(|marker| places.cwd.join(marker).exists());
    let local = LOCAL.iter().filter(|(markers, _)| counts(markers));
    let local = local.flat_map(|(_, directories)| *directories).map(|directory| places.cwd.join(directory));
    let path = places.path.as_deref().unwrap_or_default();
    // An empty or relative part would mean whatever directory we happen to be in.
    let path = std::env::split_paths(path).filter(|directory| directory.is_absolute());
    local.chain(path).map(|directory| directory.join(command)).find(usable)
}

/// Is the program, behind all links and on the way there, outside of the project?
fn is_outside(program: &Path, project: &Path) -> bool {
    let (Ok(real), Ok(project)) = (program.canonicalize(), project.canonicalize()) else { return false };
    let named = program.parent().and_then(|directory| directory.canonicalize().ok());
    !real.starts_with(&project) && named.is_some_and(|directory| !directory.starts_with(&project))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The files of the project that say what is started, or are started: configuration files, programs of servers, and the
/// other `programs`. Waits for the disk.
pub fn project_code(places: &Places, programs: &[&str]) -> Vec<PathBuf> {
    let places = Places { trust: Trust::Project, ..places.clone() };
    let files = places.directories.iter().flat_map(|directory| FILE_NAMES.map(|name| directory.join(name)));
    let files = files.filter(|file| file.starts_with(&places.cwd) && file.is_file());
    let servers = Config::load(&places).servers.into_iter().map(|server| server.program);
    let others = programs.iter().filter_map(|program| find(program, &places));
    let started = servers.chain(others).filter(|program| !is_outside(program, &places.cwd));
    let mut all: Vec<PathBuf> = files.chain(started).collect();
    all.sort();
    all.dedup();
    all
}
