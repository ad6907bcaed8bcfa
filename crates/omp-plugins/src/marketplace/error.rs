//! What can go wrong with marketplaces and their plugins.

use std::io;
use std::path::PathBuf;

use omp_config::TrustError;
use thiserror::Error;

use super::catalogue::CatalogueError;
use super::copy::CopyError;
use super::name::{InvalidPluginId, PluginId};
use super::places::PluginScope;
use super::source::InvalidMarketplaceSource;
use crate::fetch::FetchError;
use crate::git::{GitError, InvalidSource};
use crate::records::RecordError;

/// Why something was not done.
#[derive(Debug, Error)]
pub enum MarketplaceError {
    /// What was typed is no marketplace.
    #[error(transparent)]
    Source(#[from] InvalidMarketplaceSource),
    /// What was typed is no plugin.
    #[error(transparent)]
    Id(#[from] InvalidPluginId),
    /// The catalogue is missing or wrong.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// A repository could not be had.
    #[error(transparent)]
    Git(#[from] GitError),
    /// An address could not be had.
    #[error("cannot fetch {url}: {source}")]
    Fetch {
        /// The address.
        url: String,
        /// Why not.
        source: FetchError,
    },
    /// A record could not be read or changed.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The plugin could not be copied.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The agreement could not be stored.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// A directory could not be made or moved.
    #[error("cannot change {}: {source}", path.display())]
    Disk {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// There is one of that name.
    #[error("Marketplace \"{0}\" already exists (to refresh it: omp plugin marketplace update {0})")]
    Exists(String),
    /// There is none of that name.
    #[error("Marketplace \"{0}\" not found (see: omp plugin marketplace list)")]
    Unknown(String),
    /// The catalogue of a marketplace was replaced by that of another one.
    #[error("the marketplace {known} now calls itself {now}; remove it and add it again")]
    Renamed {
        /// The name under which it was added.
        known: String,
        /// What the catalogue says.
        now: String,
    },
    /// The marketplace does not offer it.
    #[error("Plugin \"{0}\" not found (see: omp plugin discover {marketplace})", marketplace = .0.marketplace())]
    NotOffered(PluginId),
    /// It is there.
    #[error("Plugin \"{id}\" is already installed for the {scope} (to install it again: --force)")]
    Installed {
        /// Which one.
        id: PluginId,
        /// Where.
        scope: PluginScope,
    },
    /// It is not there.
    #[error("Plugin \"{id}\" is not installed{} (see: omp plugin list)", scope.map(|scope| format!(" for the {scope}")).unwrap_or_default())]
    NotInstalled {
        /// Which one.
        id: PluginId,
        /// Where it was looked for, if in one place only.
        scope: Option<PluginScope>,
    },
    /// It is there twice.
    #[error(
        "Plugin \"{0}\" is installed for the user and for the project: choose with --scope user or --scope project"
    )]
    BothScopes(PluginId),
    /// There is no project.
    #[error(
        "there is no project here: run omp in a git repository or a directory with .omp, or use --scope user"
    )]
    NoProject,
    /// The registry of the project is somewhere else.
    #[error("{} leads out of the project; refused", .0.display())]
    OutsideProject(PathBuf),
    /// A source that is not supported.
    #[error("npm plugin sources are not yet supported (plugin {0})")]
    Npm(PluginId),
    /// A relative source in a catalogue that has no directory.
    #[error(
        "the plugin {0} has a relative source, which a catalogue that was added by URL cannot have; add the marketplace from \
         git or from a directory"
    )]
    Relative(PluginId),
    /// A source that leads out of the marketplace, or of a clone.
    #[error("the source {path:?} of the plugin {id} leaves the {place}; refused")]
    Leaves {
        /// Which one.
        id: PluginId,
        /// Its source.
        path: String,
        /// What it leaves.
        place: &'static str,
    },
    /// A source that does not exist.
    #[error("the source {path:?} of the plugin {id} is not a directory of the {place}")]
    NoDirectory {
        /// Which one.
        id: PluginId,
        /// Its source.
        path: String,
        /// Where it should be.
        place: &'static str,
    },
    /// A repository of this machine, named by another one.
    #[error(
        "the source of the plugin {0} is on this machine, which only a marketplace of this machine can name; refused"
    )]
    LocalSource(PluginId),
    /// An address that is none.
    #[error("the source of the plugin {id}: {source}")]
    Address {
        /// Which one.
        id: PluginId,
        /// What is wrong with it.
        source: InvalidSource,
    },
    /// Something that the plugin has leads out of it.
    #[error("{field} of the plugin {id} names {path:?}, which leaves the plugin; refused")]
    PartLeaves {
        /// Which one.
        id: PluginId,
        /// What the catalogue calls it.
        field: &'static str,
        /// The path.
        path: String,
    },
    /// There is nothing to return to.
    #[error("Plugin \"{0}\" has no earlier version to return to")]
    NoEarlier(PluginId),
    /// The user stopped it.
    #[error("stopped")]
    Cancelled,
    /// Work on another thread failed.
    #[error("{0}")]
    Thread(String),
}
