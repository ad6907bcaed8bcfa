//! Single files and folders in `.omp`, `.claude`, `.codex` and `.gemini`, where order alone decides.

use std::path::{Path, PathBuf};

use super::Discovery;
use super::disk::{FILE_LIMIT, Trouble, Unread};
use super::item::Level;
use super::kind::context::cut_note;
use super::places::{NATIVE, Places};

/// The folders in a project, the most important first, with the provider each belongs to.
const BASES: [(&str, &str); 4] =
    [("native", NATIVE), ("claude", ".claude"), ("codex", ".codex"), ("gemini", ".gemini")];

/// A folder where something may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseDirectory {
    pub provider: &'static str,
    pub level: Level,
    pub path: PathBuf,
}

/// A Markdown file that changes a prompt of omp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptFileName {
    System,
    AppendSystem,
    TitleSystem,
}

impl PromptFileName {
    pub(super) const ALL: [Self; 3] = [Self::System, Self::AppendSystem, Self::TitleSystem];

    pub fn file_name(self) -> &'static str {
        match self {
            Self::System => "SYSTEM.md",
            Self::AppendSystem => "APPEND_SYSTEM.md",
            Self::TitleSystem => "TITLE_SYSTEM.md",
        }
    }
}

/// The first file of this name that says something.
pub(super) fn prompt_file(discovery: &Discovery, name: PromptFileName) -> Option<(PathBuf, String)> {
    prompt_candidates(discovery, name).into_iter().find_map(|base| {
        let read = match discovery.text(&base.path, FILE_LIMIT) {
            Ok(read) => read,
            Err(Unread::Missing) => return None,
            Err(Unread::Unusable(warning)) => {
                discovery.disk.note(warning);
                return None;
            }
        };
        let mut text = read.text;
        if read.trouble == Some(Trouble::Cut) {
            text.push_str(&cut_note(&base.path, read.size, FILE_LIMIT));
        }
        (!text.trim().is_empty()).then_some((base.path, text))
    })
}

/// Where it is looked for: the working directory, the `.omp` folders above it, the user.
pub(super) fn prompt_candidates(discovery: &Discovery, name: PromptFileName) -> Vec<BaseDirectory> {
    let places = &discovery.places;
    let above = discovery.ancestors.iter().skip(1).map(|directory| BaseDirectory {
        provider: "native",
        level: Level::Project,
        path: directory.join(NATIVE),
    });
    // In home the folders of other agents are the user's, not a project's.
    let is_own = |base: &BaseDirectory| base.provider == "native" || places.cwd != places.home;
    project_bases(&places.cwd)
        .filter(is_own)
        .chain(above)
        .chain(user_bases(places))
        .filter(|base| discovery.is_enabled(base.provider))
        .map(|base| BaseDirectory { path: base.path.join(name.file_name()), ..base })
        .collect()
}

fn project_bases(cwd: &Path) -> impl Iterator<Item = BaseDirectory> {
    BASES.into_iter().map(|(provider, base)| BaseDirectory {
        provider,
        level: Level::Project,
        path: cwd.join(base),
    })
}

fn user_bases(places: &Places) -> impl Iterator<Item = BaseDirectory> {
    BASES.into_iter().map(|(provider, base)| {
        let path = if provider == "native" { places.agent.clone() } else { places.home.join(base) };
        BaseDirectory { provider, level: Level::User, path }
    })
}
