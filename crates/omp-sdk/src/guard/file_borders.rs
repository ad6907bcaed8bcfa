//! Where the tools of a session may write, and which files they never read.

use std::path::PathBuf;

use omp_config::Directories;
use omp_tools::Borders;

use crate::session::options::SessionOptions;

/// The workspace is the working directory, the directories that were added, and the one for temporary files.
pub(crate) fn of_session(options: &SessionOptions) -> Borders {
    let temporary = options.environment.var("TMPDIR").filter(|path| !path.is_empty());
    let temporary = temporary.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let workspace: Vec<PathBuf> =
        [options.cwd.clone(), temporary].into_iter().chain(options.roots.iter().cloned()).collect();
    Borders::new(&workspace, Some(&options.directories.home), &own(&options.directories))
}

/// Borders of nobody's workspace: for whoever only reads.
pub fn reading_borders(directories: &Directories) -> Borders {
    Borders::new(&[], Some(&directories.home), &own(directories))
}

/// The directories of omp itself.
pub(crate) fn own(directories: &Directories) -> Vec<PathBuf> {
    let Directories { config_root, agent, .. } = directories;
    let all = [config_root.clone(), agent.clone(), directories.data(), directories.state()];
    let mut own: Vec<PathBuf> = Vec::new();
    for one in all {
        if !own.contains(&one) {
            own.push(one);
        }
    }
    own
}
