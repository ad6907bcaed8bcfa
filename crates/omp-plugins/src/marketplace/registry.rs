//! The records of marketplaces and plugins. What others wrote into them stays.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::name::PluginId;
use super::places::PluginScope;
use super::source::MarketplaceSource;

/// A marketplace that the user has added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMarketplace {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub source: MarketplaceSource,
    /// When its catalogue was last fetched, as in the record.
    pub updated: Option<String>,
    /// The commit of its repository.
    pub commit: Option<String>,
}

/// An installation in a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Installation {
    pub(super) path: PathBuf,
    pub(super) version: String,
    pub(super) commit: Option<String>,
    pub(super) enabled: bool,
    /// What was installed before, to return to.
    pub(super) previous: Option<Box<Installation>>,
}

/// The marketplaces in a record.
pub(super) fn marketplaces(record: &Map<String, Value>) -> Vec<KnownMarketplace> {
    list(record).iter().filter_map(marketplace).collect()
}

fn list(record: &Map<String, Value>) -> &[Value] {
    record.get("marketplaces").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn marketplace(value: &Value) -> Option<KnownMarketplace> {
    let text = |field: &str| value.get(field).and_then(Value::as_str);
    let name = text("name").filter(|name| super::name::is_name(name))?;
    Some(KnownMarketplace {
        name: name.to_owned(),
        source: MarketplaceSource::from_record(text("sourceType")?, text("sourceUri")?)?,
        updated: text("updatedAt").map(str::to_owned),
        commit: text("gitCommitSha").map(str::to_owned),
    })
}

/// Adds a marketplace, or notes that it was fetched again.
pub(super) fn put_marketplace(
    record: &mut Map<String, Value>,
    known: &KnownMarketplace,
    catalogue: &Path,
    now: &str,
) {
    record.entry("version").or_insert_with(|| json!(1));
    let all = record.entry("marketplaces").or_insert_with(|| json!([]));
    if !all.is_array() {
        *all = json!([]);
    }
    let Some(all) = all.as_array_mut() else { return };
    let index = all.iter().position(|entry| entry.get("name") == Some(&json!(known.name)));
    let index = index.unwrap_or_else(|| {
        all.push(json!({"name": known.name, "addedAt": now}));
        all.len() - 1
    });
    let (sort, place) = known.source.to_record();
    all[index]["sourceType"] = json!(sort);
    all[index]["sourceUri"] = json!(place);
    all[index]["catalogPath"] = json!(catalogue.display().to_string());
    all[index]["updatedAt"] = json!(now);
    if let Some(commit) = &known.commit {
        all[index]["gitCommitSha"] = json!(commit);
    }
}

/// Takes a marketplace out; was it there?
pub(super) fn take_marketplace(record: &mut Map<String, Value>, name: &str) -> bool {
    let Some(Value::Array(all)) = record.get_mut("marketplaces") else { return false };
    let before = all.len();
    all.retain(|entry| entry.get("name") != Some(&json!(name)));
    all.len() < before
}

/// What is installed in a scope by its record.
pub(super) fn installation(record: &Map<String, Value>, id: &PluginId) -> Option<Installation> {
    let entry = record.get("plugins")?.get(id.to_string())?;
    read(entry.as_array().map_or(Some(entry), |list| list.first())?)
}

/// Everything that is installed in a scope.
pub(super) fn installations(record: &Map<String, Value>) -> Vec<(PluginId, Installation)> {
    let plugins = record.get("plugins").and_then(Value::as_object);
    let ids = plugins.into_iter().flat_map(Map::keys).filter_map(|id| id.parse::<PluginId>().ok());
    ids.filter_map(|id| installation(record, &id).map(|found| (id, found))).collect()
}

fn read(entry: &Value) -> Option<Installation> {
    let text = |field: &str| entry.get(field).and_then(Value::as_str).map(str::to_owned);
    Some(Installation {
        path: PathBuf::from(text("installPath")?),
        version: text("version").unwrap_or_else(|| "0.0.0".to_owned()),
        commit: text("gitCommitSha"),
        enabled: entry.get("enabled") != Some(&Value::Bool(false)),
        previous: entry.get("previous").and_then(read).map(Box::new),
    })
}

/// Writes an installation down. Fields of an earlier one that omp does not know stay.
pub(super) fn put_installation(
    record: &mut Map<String, Value>,
    id: &PluginId,
    scope: PluginScope,
    new: &Installation,
    now: &str,
) {
    record.insert("version".to_owned(), json!(2));
    let plugins = record.entry("plugins").or_insert_with(|| json!({}));
    if !plugins.is_object() {
        *plugins = json!({});
    }
    let old = plugins.get_mut(id.to_string()).map(Value::take).unwrap_or_default();
    let mut list = match old {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    if list.is_empty() {
        list.push(json!({}));
    }
    let mut entry = list[0].as_object().cloned().unwrap_or_default();
    entry.insert("scope".to_owned(), json!(scope.word()));
    entry.insert("installPath".to_owned(), json!(new.path.display().to_string()));
    entry.insert("version".to_owned(), json!(new.version));
    entry.entry("installedAt").or_insert_with(|| json!(now));
    entry.insert("lastUpdated".to_owned(), json!(now));
    match &new.commit {
        Some(commit) => entry.insert("gitCommitSha".to_owned(), json!(commit)),
        None => entry.remove("gitCommitSha"),
    };
    match new.enabled {
        // Nothing said means on.
        true => entry.remove("enabled"),
        false => entry.insert("enabled".to_owned(), json!(false)),
    };
    match &new.previous {
        Some(previous) => entry.insert("previous".to_owned(), earlier(previous)),
        None => entry.remove("previous"),
    };
    list[0] = Value::Object(entry);
    plugins[id.to_string()] = Value::Array(list);
}

fn earlier(installation: &Installation) -> Value {
    let mut entry = json!({
        "installPath": installation.path.display().to_string(),
        "version": installation.version,
    });
    if let Some(commit) = &installation.commit {
        entry["gitCommitSha"] = json!(commit);
    }
    entry
}

/// Takes an installation out.
pub(super) fn take_installation(record: &mut Map<String, Value>, id: &PluginId) -> Option<Installation> {
    let found = installation(record, id);
    if let Some(Value::Object(plugins)) = record.get_mut("plugins") {
        plugins.remove(&id.to_string());
    }
    found
}

/// Gives an installation another name; nothing happens if that one is there.
pub(super) fn rename_installation(record: &mut Map<String, Value>, old: &PluginId, new: &PluginId) -> bool {
    let Some(Value::Object(plugins)) = record.get_mut("plugins") else { return false };
    if plugins.contains_key(&new.to_string()) {
        return false;
    }
    let Some(entry) = plugins.remove(&old.to_string()) else { return false };
    plugins.insert(new.to_string(), entry);
    true
}

/// The directories that a registry refers to.
pub(super) fn directories(record: &Map<String, Value>) -> Vec<PathBuf> {
    let plugins = record.get("plugins").and_then(Value::as_object);
    let entries = plugins.into_iter().flat_map(Map::values).flat_map(|entry| match entry {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    });
    let paths = entries.flat_map(|entry| [Some(entry), entry.get("previous")]).flatten();
    paths.filter_map(|entry| Some(PathBuf::from(entry.get("installPath")?.as_str()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: HOK-085
    #[test]
    fn what_others_wrote_stays() {
        let mut record = json!({
            "version": 2, "future": {"x": 1},
            "plugins": {
                "a@m": [{"installPath": "/old", "version": "1", "installedAt": "then", "theirs": [7]}],
                "b@m": {"installPath": "/b", "version": "1"},
                "Odd Name": [{"kept": true}],
            },
        });
        let record = record.as_object_mut().unwrap();
        let id = PluginId::new("a", "m").unwrap();
        let old = installation(record, &id).unwrap();
        let new = Installation {
            path: "/new".into(),
            version: "2".to_owned(),
            commit: Some("c".to_owned()),
            enabled: false,
            previous: Some(Box::new(old)),
        };
        put_installation(record, &id, PluginScope::User, &new, "now");
        let entry = &record["plugins"]["a@m"][0];
        assert_eq!((&entry["theirs"], &entry["installedAt"]), (&json!([7]), &json!("then")));
        assert_eq!(
            (&record["future"]["x"], &record["plugins"]["Odd Name"][0]["kept"]),
            (&json!(1), &json!(true))
        );
        assert_eq!(installation(record, &id), Some(Installation { ..new }));
        let mut paths = directories(record);
        paths.sort();
        assert_eq!(paths, ["/b", "/new", "/old"].map(PathBuf::from));
        assert_eq!(installations(record).len(), 2);
        assert!(!rename_installation(record, &id, &PluginId::new("b", "m").unwrap()));
        assert!(rename_installation(record, &id, &PluginId::new("c", "m").unwrap()));
        assert_eq!(record["plugins"]["c@m"][0]["theirs"], json!([7]));

        let mut record = json!({"mine": 1, "marketplaces": [{"name": "m", "sourceType": "local", "sourceUri": "/m", "x": 2}]});
        let record = record.as_object_mut().unwrap();
        let known = marketplaces(record).remove(0);
        put_marketplace(record, &known, Path::new("/m/c.json"), "now");
        assert_eq!((&record["marketplaces"][0]["x"], &record["mine"]), (&json!(2), &json!(1)));
        assert!(take_marketplace(record, "m") && !take_marketplace(record, "m"));
    }
}
