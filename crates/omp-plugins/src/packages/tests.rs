use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use omp_shell::Environment;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::git::tests::Repository;
use crate::git::{Git, GitSource, Revision};
use crate::registry::{Registry, RegistryConfig};
use crate::{Fetch, FetchError, Fetched};

const HOST: &str = "https://registry.test/";

/// A registry in memory.
#[derive(Clone, Default)]
struct FakeRegistry {
    packages: Arc<Mutex<BTreeMap<String, Value>>>,
    files: Arc<Mutex<HashMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

fn tarball(document: &Value, files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let document = document.to_string();
    for (path, content) in files.iter().copied().chain([("package.json", document.as_str())]) {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, format!("package/{path}"), content.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

impl FakeRegistry {
    /// Publishes a version of a package.
    fn publish(&self, name: &str, version: &str, more: Value, files: &[(&str, &str)]) {
        let mut document = more;
        document["name"] = name.into();
        document["version"] = version.into();
        let content = tarball(&document, files);
        let sum = ring::digest::digest(&ring::digest::SHA512, &content);
        let url = format!("{HOST}{name}/-/{version}.tgz");
        document["dist"] = json!({"tarball": url, "integrity": format!("sha512-{}", STANDARD.encode(sum))});
        self.files.lock().unwrap().insert(url, content);
        let mut packages = self.packages.lock().unwrap();
        let package =
            packages.entry(name.to_owned()).or_insert_with(|| json!({"dist-tags": {}, "versions": {}}));
        package["versions"][version] = document;
        package["dist-tags"]["latest"] = version.into();
    }

    fn installer(&self) -> Installer {
        let home = tempfile::tempdir().unwrap();
        let env = |name: &str| (name == "npm_config_registry").then(|| HOST.to_owned());
        let config = RegistryConfig::load(home.path(), &env, &mut Vec::new());
        let cancel = CancellationToken::new();
        Installer {
            registry: Registry::new(config, Arc::new(self.clone())),
            git: Git::new(Environment::inherited(), cancel.clone()),
            provided: Arc::new(|name| matches!(name, "zod" | "@api/pi-tui" | "@api/pi-coding-agent")),
            progress: Arc::new(|_| {}),
            cancel,
        }
    }
}

impl Fetch for FakeRegistry {
    fn get<'a>(
        &'a self,
        url: &'a str,
        _: &'a [(String, String)],
        _: u64,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        let name = url.trim_start_matches(HOST).replace("%2f", "/");
        self.asked.lock().unwrap().push(name.clone());
        let package =
            self.packages.lock().unwrap().get(&name).map(|package| package.to_string().into_bytes());
        let file = || self.files.lock().unwrap().get(url).cloned();
        let found = package.or_else(file).ok_or(FetchError::Status(404));
        std::future::ready(found.map(|body| Fetched { body })).boxed()
    }
}

/// The packages of a user who has none.
struct World {
    home: tempfile::TempDir,
    registry: FakeRegistry,
}

impl World {
    fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), registry: FakeRegistry::default() }
    }

    fn plugins(&self) -> PathBuf {
        self.home.path().join("plugins")
    }

    fn packages(&self) -> Packages {
        Packages::new(&self.plugins(), self.home.path())
    }

    async fn install(&self, typed: &str, mode: InstallMode) -> Result<Installed, PackageError> {
        let target = InstallTarget::parse(typed, self.home.path(), self.home.path(), &|_| false)?;
        self.packages().install(&target, &self.registry.installer(), mode).await
    }

    /// Every `package.json` that is installed, as `path@version`.
    fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        versions(&self.plugins().join("node_modules"), "", &mut found);
        found.sort();
        found
    }

    /// Everything below the home, with contents.
    fn everything(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        all_files(self.home.path(), &mut found);
        found.retain(|(path, _)| !path.ends_with(".lock"));
        found.sort();
        found
    }
}

fn versions(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_name().to_string_lossy().starts_with('@') {
            versions(&entry.path(), &format!("{name}/"), found);
            continue;
        }
        let document = std::fs::read_to_string(entry.path().join("package.json")).unwrap_or_default();
        let document: Value = serde_json::from_str(&document).unwrap_or_default();
        found.push(format!("{name}@{}", document["version"].as_str().unwrap_or_default()));
        versions(&entry.path().join("node_modules"), &format!("{name}>"), found);
    }
}

fn all_files(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() && !path.is_symlink() {
            true => all_files(&path, found),
            false => found.push((path.clone(), std::fs::read(&path).unwrap_or_default())),
        }
    }
}

#[tokio::test]
async fn what_is_needed_goes_as_high_as_it_can() {
    let world = World::new();
    let publish = |name: &str, version: &str, more: Value| world.registry.publish(name, version, more, &[]);
    publish(
        "plugin",
        "1.0.0",
        json!({
            "pi": {"extensions": []},
            "dependencies": {"a": "^1.0.0", "b": "1", "@s/c": "*", "@api/pi-tui": "^1", "other": "npm:d@1", "far": "github:x/y"},
            "peerDependencies": {"@api/pi-coding-agent": "*", "@api/pi-server": "*", "zod": "*", "peer": "^2"},
            "optionalDependencies": {"elsewhere": "1", "gone": "1"},
        }),
    );
    publish("a", "1.0.0", json!({"dependencies": {"d": "^2.0.0"}}));
    publish("a", "1.4.0", json!({"dependencies": {"d": "^2.0.0", "b": "2.x"}}));
    publish("b", "1.0.0", json!({"dependencies": {"a": "1.4.0"}}));
    publish("b", "2.0.0", json!({"dependencies": {"d": "1.0.0"}}));
    publish("@s/c", "3.0.0-beta.1", json!({}));
    publish(
        "@s/c",
        "2.0.0",
        json!({"scripts": {"postinstall": "touch pwned"}, "dependencies": {"zod": "3"}}),
    );
    publish("d", "1.0.0", json!({}));
    publish("d", "2.2.0", json!({}));
    publish("zod", "3.1.0", json!({}));
    publish("peer", "2.0.0", json!({"scripts": {"install": "x", "test": "y"}}));
    publish("elsewhere", "1.0.0", json!({"os": ["!linux", "!darwin"]}));
    let installed = world.install("plugin", InstallMode::Normal).await.unwrap();
    assert_eq!(
        world.tree(),
        [
            "plugin>@s/c@2.0.0",
            "plugin>a>b>d@1.0.0",
            "plugin>a>b@2.0.0",
            "plugin>a@1.4.0",
            "plugin>b@1.0.0",
            "plugin>d@2.2.0",
            "plugin>other@1.0.0",
            "plugin>peer@2.0.0",
            "plugin>zod@3.1.0",
            "plugin@1.0.0",
        ]
    );
    assert_eq!(installed.dependencies, 9);
    let warnings = installed.warnings.join("\n");
    assert!(warnings.contains("@s/c, peer have install scripts"), "{warnings}");
    assert!(warnings.contains("plugin needs far from outside a registry"), "{warnings}");
    let asked = world.registry.asked.lock().unwrap().clone();
    assert!(asked.iter().all(|name| !name.starts_with("@api")), "{asked:?}");
    assert!(world.everything().iter().all(|(path, _)| !path.ends_with("pwned")));
    assert_eq!(std::fs::read_dir(world.plugins().join(".staging")).unwrap().count(), 0);
}

// An optional package is left out with everything around it that cannot be without it.
#[tokio::test]
async fn what_is_optional_is_whole_or_not_there() {
    let world = World::new();
    let publish = |name: &str, more: Value| world.registry.publish(name, "1.0.0", more, &[]);
    publish("plugin", json!({"dependencies": {"a": "1", "kept": "1"}}));
    publish("a", json!({"optionalDependencies": {"maybe": "1"}}));
    publish("maybe", json!({"dependencies": {"inner": "1", "kept": "1"}}));
    publish("inner", json!({"dependencies": {"gone": "1"}}));
    publish("kept", json!({"optionalDependencies": {"gone": "1"}}));
    world.install("plugin", InstallMode::Normal).await.unwrap();
    assert_eq!(world.tree(), ["plugin>a@1.0.0", "plugin>kept@1.0.0", "plugin@1.0.0"]);
}

// proves: IOP-025
#[tokio::test]
async fn scripts_do_not_run_and_lies_are_not_installed() {
    let world = World::new();
    let scripts = json!({"scripts": {"preinstall": "touch pwned", "postinstall": "touch pwned"}, "omp": {}});
    world.registry.publish("plugin", "1.0.0", scripts, &[]);
    let installed = world.install("plugin", InstallMode::Normal).await.unwrap();
    assert_eq!(
        installed.warnings,
        ["plugin has install scripts (preinstall, postinstall), which omp never runs"]
    );
    let before = world.everything();
    assert!(before.iter().all(|(path, _)| !path.ends_with("pwned")));

    world.registry.publish("plugin", "2.0.0", json!({"omp": {}, "dependencies": {"liar": "1"}}), &[]);
    world.registry.publish("liar", "1.0.0", json!({}), &[]);
    world
        .registry
        .files
        .lock()
        .unwrap()
        .insert(format!("{HOST}liar/-/1.0.0.tgz"), tarball(&json!({"name": "liar"}), &[]));
    let error = world.install("plugin", InstallMode::Normal).await.unwrap_err().to_string();
    assert!(
        error.contains("liar@1.0.0 was not installed: its content does not have the checksum"),
        "{error}"
    );
    assert_eq!(world.everything(), before);

    world.registry.publish("imposter", "1.0.0", json!({}), &[]);
    let other = world.registry.packages.lock().unwrap()["imposter"].clone();
    world.registry.packages.lock().unwrap().insert("wanted".to_owned(), other);
    let error = world.install("wanted", InstallMode::Normal).await.unwrap_err().to_string();
    assert!(error.contains("another one"), "{error}");
    assert_eq!(world.everything(), before);
}

// proves: HOK-110
#[tokio::test]
async fn what_fails_leaves_everything_as_it_was() {
    let world = World::new();
    let features = |names: &[&str]| json!({"omp": {"features": names.iter().map(|name| ((*name).to_owned(), json!({}))).collect::<serde_json::Map<_, _>>()}});
    world.registry.publish("plugin", "1.0.0", features(&["a", "b"]), &[]);
    world.install("plugin[a]", InstallMode::Normal).await.unwrap();
    let before = world.everything();
    world.registry.publish("plugin", "2.0.0", features(&["b", "c"]), &[]);
    let error = world.install("plugin[nope]", InstallMode::Normal).await.unwrap_err().to_string();
    assert_eq!(error, "plugin has no feature \"nope\" (it has b, c)");
    assert_eq!(world.everything(), before);
    world.registry.publish("broken", "1.0.0", json!({"dependencies": {"missing": "^1"}}), &[]);
    let error = world.install("broken", InstallMode::Normal).await.unwrap_err().to_string();
    assert!(error.contains("has no package missing"), "{error}");
    assert_eq!(world.everything(), before);
    // Features that are still there stay chosen.
    let installed = world.install("plugin", InstallMode::Normal).await.unwrap();
    assert_eq!((installed.previous.as_deref(), installed.version.as_deref()), (Some("1.0.0"), Some("2.0.0")));
    assert!(installed.active_features.is_empty());
    let installer = world.registry.installer();
    installer.cancel.cancel();
    let target = InstallTarget::parse("plugin@1", world.home.path(), world.home.path(), &|_| false).unwrap();
    let before = world.everything();
    let stopped = world.packages().install(&target, &installer, InstallMode::Force).await;
    assert!(matches!(stopped, Err(PackageError::Cancelled)));
    assert_eq!(world.everything(), before);
}

// proves: HOK-109
#[tokio::test]
async fn a_dry_run_changes_nothing() {
    let world = World::new();
    world.registry.publish("plugin", "1.0.0", json!({"dependencies": {"a": "1"}}), &[]);
    world.registry.publish("a", "1.0.0", json!({}), &[]);
    let directory = world.home.path().join("mine");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(
        directory.join("package.json"),
        "{\"name\": \"mine\", \"version\": \"3.0.0\", \"pi\": {}}",
    )
    .unwrap();
    let before = world.everything();
    let installed = world.install("plugin", InstallMode::DryRun).await.unwrap();
    assert_eq!((installed.version.as_deref(), installed.dependencies), (Some("1.0.0"), 1));
    let linked = world.install("./mine", InstallMode::DryRun).await.unwrap();
    assert_eq!(linked.version.as_deref(), Some("3.0.0"));
    assert_eq!(world.everything(), before);
    assert!(!world.plugins().exists());
}

#[tokio::test]
async fn repositories_are_cloned_and_completed() {
    let world = World::new();
    let repository = Repository::new();
    repository.git(&["init", "-q", "-b", "main"]).await;
    let manifest = |version: &str| {
        let scripts = json!({"prepare": "touch pwned"});
        json!({"name": "cloned", "version": version, "omp": {}, "scripts": scripts, "dependencies": {"a": "1"}}).to_string()
    };
    let first = repository.commit("package.json", &manifest("1.0.0")).await;
    world.registry.publish("a", "1.0.0", json!({}), &[]);
    let target = InstallTarget {
        source: InstallSource::Git {
            source: GitSource::local(&repository.path()),
            revision: Revision { reference: Some("main".to_owned()), sha: None },
            typed: "github:a/cloned#main".to_owned(),
        },
        features: FeatureChoice::Unsaid,
    };
    let install =
        async |mode| world.packages().install(&target, &world.registry.installer(), mode).await.unwrap();
    let dry = install(InstallMode::DryRun).await;
    assert_eq!((dry.name.as_str(), dry.dependencies, world.tree().len()), ("cloned", 1, 0));
    let installed = install(InstallMode::Normal).await;
    assert_eq!(installed.how, InstalledHow::Git(first.clone()));
    assert_eq!(installed.warnings, ["cloned has install scripts (prepare), which omp never runs"]);
    assert_eq!(world.tree(), ["cloned>a@1.0.0", "cloned@1.0.0"]);
    let record = world.packages().find("cloned").unwrap().record;
    assert_eq!((record.source.as_deref(), record.commit), (Some("github:a/cloned#main"), Some(first)));
    assert_eq!(install(InstallMode::Normal).await.how, InstalledHow::Unchanged);
    let second = repository.commit("package.json", &manifest("2.0.0")).await;
    let upgraded = install(InstallMode::Normal).await;
    assert_eq!((upgraded.how, upgraded.previous.as_deref()), (InstalledHow::Git(second), Some("1.0.0")));
    assert!(
        world.everything().iter().all(|(path, _)| !path.ends_with("pwned") && !path.ends_with(".git/HEAD"))
    );
}

#[tokio::test]
async fn what_is_there_is_not_downloaded_again() {
    let world = World::new();
    let features = json!({"omp": {"features": {"x": {"default": true}, "y": {}}}});
    world.registry.publish("plugin", "1.0.0", features, &[]);
    assert_eq!(world.install("plugin", InstallMode::Normal).await.unwrap().active_features, ["x"]);
    let downloads =
        || world.registry.asked.lock().unwrap().iter().filter(|url| url.ends_with(".tgz")).count();
    let again = world.install("plugin[*]", InstallMode::Normal).await.unwrap();
    assert_eq!((again.how, downloads()), (InstalledHow::Unchanged, 1));
    assert_eq!(again.active_features, ["x", "y"]);
    assert_eq!(world.install("plugin", InstallMode::Force).await.unwrap().how, InstalledHow::Registry);
    assert_eq!(downloads(), 2);
    let (packages, warnings) = world.packages().list();
    assert_eq!(packages[0].record.features.as_deref(), Some(&["x".to_owned(), "y".to_owned()][..]));
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn parts_are_inspected() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("node_modules/p");
    std::fs::create_dir_all(directory.join("skills/one")).unwrap();
    std::fs::write(directory.join("skills/one/SKILL.md"), "x").unwrap();
    std::fs::write(directory.join("a.ts"), "").unwrap();
    std::fs::write(directory.join(".mcp.json"), "{}").unwrap();
    let manifest = json!({"name": "p", "omp": {
        "extensions": ["./a.ts", "./b.ts", "../out.ts"],
        "features": {"more": {"tools": ["a.ts"]}},
    }});
    std::fs::write(directory.join("package.json"), manifest.to_string()).unwrap();
    let records = json!({"plugins": {"p": {"version": "1.0.0", "enabled": true}}});
    std::fs::write(home.path().join("omp-plugins.lock.json"), records.to_string()).unwrap();
    let packages = Packages::new(home.path(), home.path());
    let states = || -> Vec<(&str, String, PartState)> {
        let parts = inspect(&packages.find("p").unwrap()).into_iter();
        parts.map(|part| (part.kind, part.entry, part.state)).collect()
    };
    let broken = |reason: &str| PartState::Broken(reason.to_owned());
    assert_eq!(
        states(),
        [
            ("extensions", "./a.ts".to_owned(), PartState::Active),
            ("extensions", "./b.ts".to_owned(), broken("it does not exist")),
            ("extensions", "../out.ts".to_owned(), broken("it is outside the package")),
            ("tools", "a.ts".to_owned(), PartState::Off("the feature more is off".to_owned())),
            ("skills", "skills".to_owned(), PartState::Active),
            ("MCP servers", ".mcp.json".to_owned(), PartState::Active),
        ]
    );
    packages.set_enabled("p", false).unwrap();
    assert_eq!(states()[0].2, PartState::Off("the plugin is disabled".to_owned()));
}
