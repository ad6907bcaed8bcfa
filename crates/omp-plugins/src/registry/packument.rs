//! What a registry says of a package: its versions, their dependencies and where they are.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::integrity::Checksums;
use super::versions::{Version, VersionRange};

/// A package of a registry with all its versions.
#[derive(Clone, Debug)]
pub struct Packument {
    pub name: String,
    tags: BTreeMap<String, String>,
    /// The newest last.
    versions: Vec<(Version, Value)>,
}

/// One version of a package.
#[derive(Clone, Debug, Default)]
pub struct Release {
    pub name: String,
    pub version: String,
    pub tarball: String,
    pub checksums: Checksums,
    pub needs: Dependencies,
    /// Systems that it is for; those with an exclamation mark are ruled out.
    pub os: Vec<String>,
    pub cpu: Vec<String>,
    pub libc: Vec<String>,
    /// Why it should not be used any more.
    pub deprecated: Option<String>,
}

/// What a package needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Name and range of each.
    pub required: Vec<(String, String)>,
    /// It works without them.
    pub optional: Vec<(String, String)>,
    /// Whoever uses the package has them; those that may be missing are not among them.
    pub peers: Vec<(String, String)>,
}

impl Dependencies {
    /// As a `package.json` has them, without those that come inside the package.
    pub fn of(document: &Value) -> Self {
        let bundled = ["bundleDependencies", "bundledDependencies"].iter().find_map(|key| document.get(*key));
        let is_bundled = |name: &str| match bundled {
            Some(Value::Array(names)) => names.iter().any(|it| it == name),
            Some(Value::Bool(all)) => *all,
            _ => false,
        };
        let pairs = |key: &str| -> Vec<(String, String)> {
            let map = document.get(key).and_then(Value::as_object);
            let pair = |(name, range): (&String, &Value)| Some((name.clone(), range.as_str()?.to_owned()));
            map.into_iter().flatten().filter_map(pair).filter(|(name, _)| !is_bundled(name)).collect()
        };
        let optional = pairs("optionalDependencies");
        let is_optional = |name: &str| optional.iter().any(|(known, _)| known == name);
        let required = pairs("dependencies").into_iter().filter(|(name, _)| !is_optional(name)).collect();
        let meta = document.get("peerDependenciesMeta");
        let may_miss =
            |name: &str| meta.and_then(|meta| meta.get(name)?.get("optional")) == Some(&Value::Bool(true));
        let peers = pairs("peerDependencies").into_iter().filter(|(name, _)| !may_miss(name)).collect();
        Self { required, optional, peers }
    }
}

impl Packument {
    /// Reads the document of a registry. `None` if it is none.
    pub fn of(name: &str, document: Map<String, Value>) -> Option<Self> {
        let tags = document.get("dist-tags").and_then(Value::as_object).into_iter().flatten();
        let tags =
            tags.filter_map(|(tag, version)| Some((tag.clone(), version.as_str()?.to_owned()))).collect();
        let Some(Value::Object(all)) =
            document.into_iter().find(|(key, _)| key == "versions").map(|(_, all)| all)
        else {
            return None;
        };
        let mut versions: Vec<(Version, Value)> = all
            .into_iter()
            .filter_map(|(version, release)| Some((Version::parse(&version)?, release)))
            .collect();
        versions.sort_by(|(a, _), (b, _)| a.cmp(b));
        Some(Self { name: name.to_owned(), tags, versions })
    }

    /// The version that a range, a version or a tag means: what is recommended if that is in the range, else the newest.
    pub fn choose(&self, wanted: &str) -> Option<Release> {
        let wanted = wanted.trim();
        let tagged = |tag: &str| self.tags.get(tag).and_then(|version| Version::parse(version));
        let tag = if wanted.is_empty() { "latest" } else { wanted };
        if let Some(version) = tagged(tag) {
            return self.release(&version);
        }
        let range = VersionRange::parse(wanted)?;
        let latest =
            tagged("latest").filter(|version| range.contains(version)).and_then(|it| self.release(&it));
        let fitting = || self.versions.iter().rev().filter(|(version, _)| range.contains(version));
        let newest = || {
            let supported = fitting().find(|(_, release)| !is_deprecated(release));
            supported.or_else(|| fitting().next()).and_then(|(version, _)| self.release(version))
        };
        latest.or_else(newest)
    }

    /// The newest versions, for people.
    pub fn newest(&self, count: usize) -> Vec<String> {
        self.versions.iter().rev().take(count).map(|(version, _)| version.to_string()).collect()
    }

    fn release(&self, version: &Version) -> Option<Release> {
        let (_, document) = self.versions.iter().find(|(known, _)| known == version)?;
        let dist = document.get("dist")?;
        let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let list = |key: &str| -> Vec<String> {
            match document.get(key) {
                Some(Value::String(one)) => vec![one.clone()],
                Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                _ => Vec::new(),
            }
        };
        Some(Release {
            name: self.name.clone(),
            version: version.to_string(),
            tarball: text(dist, "tarball")?,
            checksums: Checksums { integrity: text(dist, "integrity"), shasum: text(dist, "shasum") },
            needs: Dependencies::of(document),
            os: list("os"),
            cpu: list("cpu"),
            libc: list("libc"),
            deprecated: text(document, "deprecated").filter(|reason| !reason.is_empty()),
        })
    }
}

fn is_deprecated(release: &Value) -> bool {
    release
        .get("deprecated")
        .is_some_and(|reason| reason.as_str() != Some("") && *reason != Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_range_means_one_version() {
        let release = |deprecated: bool| {
            let mut release = json!({"dist": {"tarball": "https://h/x.tgz", "shasum": "0"}});
            if deprecated {
                release["deprecated"] = "broken".into();
            }
            release
        };
        let document = json!({
            "dist-tags": {"latest": "1.1.0", "next": "2.0.0-rc.1"},
            "versions": {
                "1.0.0": release(false), "1.1.0": release(false), "1.2.0": release(false), "0.9.0": release(false),
                "0.9.1": release(true), "2.0.0-rc.1": release(false), "nonsense": release(false),
            },
        });
        let Value::Object(document) = document else { unreachable!() };
        let packument = Packument::of("x", document).unwrap();
        for (wanted, expected) in [
            ("", "1.1.0"),
            ("latest", "1.1.0"),
            ("next", "2.0.0-rc.1"),
            ("^1.0.0", "1.1.0"),
            ("^1.1.1", "1.2.0"),
            ("0.9", "0.9.0"),
            ("0.9.1", "0.9.1"),
            ("2.0.0-rc.1", "2.0.0-rc.1"),
            ("*", "1.1.0"),
        ] {
            assert_eq!(packument.choose(wanted).unwrap().version, expected, "{wanted:?}");
        }
        assert!(packument.choose("^2").is_none() && packument.choose("beta").is_none());
        assert_eq!(packument.newest(2), ["2.0.0-rc.1", "1.2.0"]);
    }

    #[test]
    fn what_may_be_missing_is_not_required() {
        let needs = Dependencies::of(&json!({
            "dependencies": {"a": "1", "b": "2", "inside": "3"},
            "optionalDependencies": {"b": "2"},
            "peerDependencies": {"p": "*", "q": "*"},
            "peerDependenciesMeta": {"q": {"optional": true}},
            "bundleDependencies": ["inside"],
        }));
        let pair = |name: &str, range: &str| (name.to_owned(), range.to_owned());
        assert_eq!(needs.required, [pair("a", "1")]);
        assert_eq!(needs.optional, [pair("b", "2")]);
        assert_eq!(needs.peers, [pair("p", "*")]);
    }
}
