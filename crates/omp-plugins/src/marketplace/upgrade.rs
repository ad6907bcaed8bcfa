//! Newer versions of what is installed.

use super::Marketplaces;
use super::blocking::blocking;
use super::error::MarketplaceError;
use super::install::{Offer, Reinstall};
use super::name::PluginId;
use super::places::PluginScope;
use super::registry::{self, Installation};
use crate::records::load;

/// A plugin of which there is a newer version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outdated {
    /// Which one.
    pub id: PluginId,
    /// Whom it is installed for.
    pub scope: PluginScope,
    /// What is installed.
    pub from: String,
    /// What is offered.
    pub to: String,
}

/// What became of a plugin that was to be upgraded.
#[derive(Debug)]
pub struct Upgrade {
    /// Which one.
    pub id: PluginId,
    /// Whom it is installed for.
    pub scope: PluginScope,
    /// What was installed.
    pub from: String,
    /// What is installed now; nothing if that is the same, and the old version if it failed.
    pub to: Result<Option<String>, MarketplaceError>,
}

impl Marketplaces {
    /// The plugins with newer versions, as far as catalogues tell. Fetches nothing.
    pub fn outdated(&self) -> Result<Vec<Outdated>, MarketplaceError> {
        let mut found = Vec::new();
        for (id, scope, installation) in self.recorded(None)? {
            let Ok(offer) = self.offer(&id) else { continue };
            let (version, commit) = self.offered_version(&offer.entry, &offer.known, &offer.catalogue);
            if let Some(to) = newer(&installation, version.as_deref(), commit.as_deref()) {
                found.push(Outdated { id, scope, from: installation.version, to });
            }
        }
        Ok(found)
    }

    /// Upgrades one plugin, wherever it is installed unless a scope is given, or all that are outdated.
    pub async fn upgrade(
        &self,
        id: Option<&PluginId>,
        scope: Option<PluginScope>,
    ) -> Result<Vec<Upgrade>, MarketplaceError> {
        let (this, one) = (self.clone(), id.cloned());
        let wanted = blocking(move || {
            let Some(id) = one else {
                let outdated = this.outdated()?.into_iter();
                return Ok(outdated.map(|outdated| (outdated.id, outdated.scope, outdated.from)).collect());
            };
            let scope = this.scope_of(&id, scope)?;
            let recorded = this.recorded(Some(scope))?.into_iter().filter(|(known, ..)| *known == id);
            Ok(recorded
                .map(|(id, scope, installation)| (id, scope, installation.version))
                .collect::<Vec<_>>())
        });
        let mut done = Vec::new();
        for (id, scope_of, from) in wanted.await? {
            if scope.is_some_and(|scope| scope != scope_of) {
                continue;
            }
            let to = self.upgrade_one(&id, scope_of, &from).await;
            done.push(Upgrade { id, scope: scope_of, from, to });
        }
        Ok(done)
    }

    async fn upgrade_one(
        &self,
        id: &PluginId,
        scope: PluginScope,
        from: &str,
    ) -> Result<Option<String>, MarketplaceError> {
        let (this, wanted) = (self.clone(), id.clone());
        let offer: Offer = blocking(move || this.offer(&wanted)).await?;
        let obtained = self.plugin(&offer.id, &offer.entry, &offer.known, &offer.catalogue).await?;
        let (this, id, from) = (self.clone(), id.clone(), from.to_owned());
        blocking(move || {
            let record = load(&this.places.registry(scope)?)?;
            let old = registry::installation(&record, &id);
            let same =
                old.is_some_and(|old| old.version == obtained.version && old.commit == obtained.commit);
            if same {
                return Ok(None);
            }
            let new = this.record(&id, scope, Reinstall::Force, obtained)?;
            Ok(Some(new.version).filter(|to| *to != from).or_else(|| Some("a newer commit".to_owned())))
        })
        .await
    }

    /// What registries of ours have.
    pub(super) fn recorded(
        &self,
        scope: Option<PluginScope>,
    ) -> Result<Vec<(PluginId, PluginScope, Installation)>, MarketplaceError> {
        let mut all = Vec::new();
        for one in [PluginScope::User, PluginScope::Project] {
            if scope.is_some_and(|scope| scope != one) {
                continue;
            }
            let registry = match self.places.registry(one) {
                Err(MarketplaceError::NoProject) => continue,
                found => found?,
            };
            let record = load(&registry)?;
            all.extend(registry::installations(&record).into_iter().map(|(id, found)| (id, one, found)));
        }
        Ok(all)
    }
}

/// The version that is offered, if it is a newer one.
fn newer(installed: &Installation, version: Option<&str>, commit: Option<&str>) -> Option<String> {
    let moved = matches!((&installed.commit, commit), (Some(old), Some(new)) if old != new);
    match version {
        Some(version) if version == installed.version => {
            // A pinned commit under the same version is another state of the plugin.
            moved.then(|| version.to_owned())
        }
        Some(version) => is_newer(&installed.version, version).then(|| version.to_owned()),
        None => moved.then(|| commit.unwrap_or_default().to_owned()),
    }
}

/// Versions of numbers are compared as such; others are newer if they differ.
fn is_newer(old: &str, new: &str) -> bool {
    match (numbers(old), numbers(new)) {
        (Some(old), Some(new)) => new > old,
        _ => old != new,
    }
}

/// The numbers of a version; those with a suffix come before those without.
fn numbers(version: &str) -> Option<([u64; 3], bool, String)> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let version = version.split('+').next().unwrap_or_default();
    let (core, suffix) = version.split_once('-').map_or((version, None), |(core, rest)| (core, Some(rest)));
    let mut parts = core.split('.').map(|part| part.parse::<u64>().ok());
    let mut numbers = [0; 3];
    for number in &mut numbers {
        match parts.next() {
            Some(part) => *number = part?,
            None => break,
        }
    }
    parts.next().is_none().then(|| (numbers, suffix.is_none(), suffix.unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        for (old, new) in
            [("1.9.0", "1.10.0"), ("1", "1.0.1"), ("1.0.0-rc1", "1.0.0"), ("abc", "abd"), ("0.0.0", "x")]
        {
            assert!(is_newer(old, new), "{old} {new}");
        }
        for (old, new) in [("1.10.0", "1.9.0"), ("1.0", "1.0.0"), ("2.0.0", "2.0.0-rc1"), ("x", "x")] {
            assert!(!is_newer(old, new), "{old} {new}");
        }
    }

    #[test]
    fn a_moved_commit_is_newer() {
        let installed = Installation {
            path: "/x".into(),
            version: "1".to_owned(),
            commit: Some("a".to_owned()),
            enabled: true,
            previous: None,
        };
        assert_eq!(newer(&installed, Some("1"), Some("a")), None);
        assert_eq!(newer(&installed, Some("1"), Some("b")), Some("1".to_owned()));
        assert_eq!(newer(&installed, None, Some("b")), Some("b".to_owned()));
        assert_eq!(newer(&installed, None, None), None);
        assert_eq!(newer(&installed, Some("0.9"), Some("b")), None);
    }
}
