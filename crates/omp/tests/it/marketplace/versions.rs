//! Sources, pinned commits, newer versions and the way back.

use omp_testkit::Home;
use serde_json::{Value, json};

use super::{USER, cached, catalogue, commit, plugin, refused, registry, run, said, staged, with_review};

/// A marketplace `team` that offers `review` from this source.
fn offering(home: &Home, source: &Value) {
    catalogue(home, "market", &json!([{"name": "review", "source": source}]));
}

// proves: HOK-081, HOK-084
#[test]
fn a_plugin_comes_from_where_its_source_says() {
    let home = Home::new();
    plugin(&home, "repo/deep/review", "first");
    home.write("work/repo/.claude-plugin/plugin.json", r#"{"name": "review", "version": "3.1.4"}"#);
    let first = commit(&home, "work/repo");
    plugin(&home, "repo/deep/review", "second");
    let second = commit(&home, "work/repo");
    let url = home.path("work/repo");
    let install = |source: Value| {
        offering(&home, &source);
        said(&home, &["install", "--force", "review@team"]);
        let entry = registry(&home, USER)["plugins"]["review@team"][0].clone();
        let path = entry["installPath"].as_str().unwrap().to_owned();
        (path, entry["version"].as_str().unwrap().to_owned(), entry["gitCommitSha"].clone())
    };
    offering(&home, &json!("./x"));
    said(&home, &["marketplace", "add", "./market"]);
    let (_, version, sha) = install(json!({"source": "url", "url": url}));
    assert_eq!((version.as_str(), sha), ("3.1.4", json!(second)));
    let (path, version, sha) =
        install(json!({"source": "git-subdir", "url": url, "path": "deep/review", "sha": first}));
    assert_eq!((version.as_str(), sha), (first.as_str(), json!(first)));
    assert!(!std::path::Path::new(&path).join("skills/second").exists(), "the pinned commit has one skill");
    let (_, version, _) =
        install(json!({"source": "git-subdir", "url": url, "path": "./deep/review", "ref": "main"}));
    assert_eq!(version, second);

    plugin(&home, "market/plugins/near", "near");
    let all = json!({
        "name": "team", "owner": {"name": "A"}, "metadata": {"pluginRoot": "./plugins"},
        "plugins": [{"name": "review", "source": "./near"}, {"name": "pack", "source": {"source": "npm", "package": "x"}}],
    });
    home.write("work/market/.claude-plugin/marketplace.json", all.to_string());
    said(&home, &["install", "--force", "review@team"]);
    assert!(cached(&home).contains(&"team___review___0.0.0".to_owned()), "{:?}", cached(&home));
    let npm = refused(&home, &["install", "pack@team"]);
    assert!(npm.contains("npm plugin sources are not yet supported"), "{npm}");
}

/// A catalogue that lies about its hash is refused in one sentence, and nothing is left of it.
#[test]
fn a_commit_that_is_not_there_is_refused() {
    let home = Home::new();
    plugin(&home, "repo", "first");
    commit(&home, "work/repo");
    let url = home.path("work/repo");
    offering(&home, &json!("./x"));
    said(&home, &["marketplace", "add", "./market"]);
    let lie = "0123456789abcdef0123456789abcdef01234567";
    for reference in [Value::Null, json!("main")] {
        offering(&home, &json!({"source": "url", "url": url, "sha": lie, "ref": reference}));
        let said = refused(&home, &["install", "review@team"]);
        assert!(
            said.contains(&format!("does not have the commit {lie}")) && said.contains("refused"),
            "{said}"
        );
        assert_eq!(said.trim().lines().count(), 1, "{said}");
    }
    offering(&home, &json!({"source": "url", "url": url, "sha": "HEAD"}));
    assert!(refused(&home, &["install", "review@team"]).contains("is not a branch, a tag or a commit"));
    assert!(cached(&home).is_empty() && !home.exists(USER) && staged(&home) == 0);
}

// proves: HOK-091
#[test]
fn upgrades_bring_newer_versions_and_can_be_undone() {
    let home = with_review();
    said(&home, &["install", "review@team"]);
    let offer = |version: &str, source: &str| {
        catalogue(&home, "market", &json!([{"name": "review", "source": source, "version": version}]));
    };
    assert!(said(&home, &["upgrade"]).contains("up to date"));
    offer("0.9.0", "./review");
    assert!(said(&home, &["upgrade"]).contains("up to date"), "an older version is none");
    said(&home, &["disable", "review@team"]);
    offer("1.10.0", "./review");
    let upgraded = said(&home, &["upgrade"]);
    assert!(upgraded.contains("review@team 1.0.0 -> 1.10.0 (user)"), "{upgraded}");
    let entry = || registry(&home, USER)["plugins"]["review@team"][0].clone();
    assert_eq!((&entry()["version"], &entry()["enabled"]), (&json!("1.10.0"), &json!(false)));

    // What fails leaves everything as it was.
    offer("2.0.0", "./nowhere");
    let failed = run(&home, &["upgrade"]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stdout.contains("review@team stays at 1.10.0 (user)"), "{failed:?}");
    assert_eq!(entry()["version"], json!("1.10.0"));
    assert_eq!(staged(&home), 0);

    let back = said(&home, &["rollback", "review@team"]);
    assert!(back.contains("1.10.0 -> 1.0.0"), "{back}");
    assert_eq!((&entry()["version"], &entry()["enabled"]), (&json!("1.0.0"), &json!(false)));
    assert!(said(&home, &["rollback", "review@team"]).contains("1.0.0 -> 1.10.0"));
    assert_eq!(cached(&home).len(), 2);
    said(&home, &["uninstall", "review@team"]);
    assert!(cached(&home).is_empty());
}

/// What has another name now is followed; what is gone stays.
#[test]
fn renames_are_followed() {
    let home = with_review();
    said(&home, &["install", "review@team"]);
    let all = json!({
        "name": "team", "owner": {"name": "A"}, "plugins": [{"name": "critic", "source": "./review"}],
        "renames": {"review": "critic", "lost": null},
    });
    home.write("work/market/.claude-plugin/marketplace.json", all.to_string());
    let updated = said(&home, &["marketplace", "update", "team"]);
    assert!(updated.contains("review@team is now critic@team"), "{updated}");
    let listed = said(&home, &["list"]);
    assert!(listed.contains("critic@team 1.0.0 (user)") && !listed.contains("review@team"), "{listed}");
    said(&home, &["uninstall", "critic@team"]);
    let installed = said(&home, &["install", "review@team"]);
    assert!(installed.contains("critic@team 0.0.0 installed"), "{installed}");
}
