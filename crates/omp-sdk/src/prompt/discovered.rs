//! Everything that was found around a session, also what is disabled.

use std::path::{Path, PathBuf};

use omp_config::Directories;
use omp_config::discovery::{Discovery, Level, Places, SourceRow};
use omp_config::settings::{Settings, keys, strings};

use crate::session::live_settings::SessionConfiguration;

/// Something that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredItem {
    /// `skill`, `context file`, …
    pub kind: &'static str,
    /// What it is called.
    pub name: String,
    /// The id of its source.
    pub provider: &'static str,
    /// The name of its source.
    pub label: &'static str,
    /// `user` or `project`.
    pub level: &'static str,
    /// Its file.
    pub path: PathBuf,
    /// Is it used?
    pub state: DiscoveredState,
    /// The entry of `disabledExtensions` that leaves it out.
    pub entry: String,
    /// Where its source stands among the others.
    pub order: usize,
}

/// Whether something that was found is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoveredState {
    /// It is.
    Active,
    /// Another one of the same name is used instead.
    Shadowed(PathBuf),
    /// The user left it out.
    Disabled,
    /// The user left out everything of its source.
    SourceOff,
}

impl SessionConfiguration<'_> {
    /// Everything that was found, source by source.
    pub async fn discovered_items(self) -> Vec<DiscoveredItem> {
        let (settings, cwd) = (self.session.settings(), self.session.places.cwd.clone());
        let directories = self.session.places.directories.clone();
        let work = move || find_all(&directories, &cwd, &settings);
        tokio::task::spawn_blocking(work).await.unwrap_or_default()
    }
}

fn find_all(directories: &Directories, cwd: &Path, settings: &Settings) -> Vec<DiscoveredItem> {
    let (off, out) = (settings.disabled_providers(), settings.get(keys::DISABLED_EXTENSIONS));
    let out: Vec<&str> = strings(out).collect();
    let used = crate::prompt::knowledge::discovery(directories, cwd, settings).sources().rows;
    let all = everything(directories, cwd).sources().rows;
    let mut providers: Vec<&str> = Vec::new();
    let mut found = Vec::new();
    for row in all {
        if !providers.contains(&row.provider) {
            providers.push(row.provider);
        }
        let order = providers.iter().position(|known| *known == row.provider).unwrap_or_default();
        let entry = row.entry();
        let now =
            used.iter().find(|now| now.path == row.path && now.kind == row.kind && now.name == row.name);
        let state = match now {
            _ if off.iter().any(|id| id == row.provider) => DiscoveredState::SourceOff,
            _ if out.contains(&entry.as_str()) => DiscoveredState::Disabled,
            Some(SourceRow { shadowed_by: Some(winner), .. }) => DiscoveredState::Shadowed(winner.clone()),
            _ => DiscoveredState::Active,
        };
        let level = match row.level {
            Level::User => "user",
            Level::Project => "project",
        };
        let SourceRow { kind, name, provider, label, path, .. } = row;
        found.push(DiscoveredItem { kind, name, provider, label, level, path, state, entry, order });
    }
    found
}

/// A look at everything, as if nothing were disabled.
fn everything(directories: &Directories, cwd: &Path) -> Discovery {
    Discovery::new(Places::find(directories, cwd), &[])
}
