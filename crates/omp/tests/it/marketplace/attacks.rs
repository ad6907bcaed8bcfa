//! What hostile catalogues, plugins and projects achieve: nothing.

use std::os::unix::fs::symlink;

use omp_testkit::pages::{Page, PageServer};
use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use super::{PROJECT, USER, cached, catalogue, commit, git, plugin, refused, run, said, staged, with_review};
use crate::support::omp_run;

// proves: HOK-079, HOK-082
#[test]
fn sources_stay_where_they_belong() {
    let home = with_review();
    plugin(&home, "outside", "outside");
    symlink(home.path("work/outside"), home.path("work/market/link")).unwrap();
    let try_source = |source: Value| {
        catalogue(&home, "market", &json!([{"name": "review", "source": source}]));
        refused(&home, &["install", "review@team"])
    };
    for path in ["./../outside", "./review/../../outside", "./link"] {
        let said = try_source(json!(path));
        assert!(said.contains("leaves the marketplace; refused"), "{path}: {said}");
    }
    assert!(try_source(json!("/etc")).contains("\"review@team\" not found"), "no path, no entry");
    plugin(&home, "repo", "x");
    symlink("..", home.path("work/repo/up")).unwrap();
    commit(&home, "work/repo");
    for path in ["../..", "up", "/etc"] {
        let said = try_source(json!({"source": "git-subdir", "url": home.path("work/repo"), "path": path}));
        assert!(said.contains("leaves the repository; refused"), "{path}: {said}");
    }
    let said = try_source(json!({"source": "url", "url": "ext::sh -c 'touch ran'"}));
    assert!(said.contains("is not the address of a git repository"), "{said}");
    for part in ["lspServers", "skills", "hooks"] {
        let entry = json!([{"name": "review", "source": "./review", part: "../../../etc/passwd"}]);
        catalogue(&home, "market", &entry);
        let said = refused(&home, &["install", "review@team"]);
        assert!(said.contains(part) && said.contains("leaves the plugin; refused"), "{said}");
    }
    assert!(cached(&home).is_empty() && !home.exists(USER) && !home.exists("work/ran") && staged(&home) == 0);
    for id in ["../x@team", "review@../team", "Review@team", "review@team@x"] {
        let output = run(&home, &["uninstall", id]);
        assert_eq!(output.code, Some(1), "{id}: {output:?}");
    }
}

/// Links that lead out of a plugin are left out, and nothing that a terminal obeys is printed.
#[test]
fn what_a_plugin_links_to_stays_where_it_is() {
    let home = with_review();
    home.write("home/secret.txt", "secret");
    symlink(home.path("home/secret.txt"), home.path("work/market/review/skills/careful/secret.txt")).unwrap();
    catalogue(
        &home,
        "market",
        &json!([
            {"name": "review", "source": "./review", "description": "\u{1b}]0;owned\u{7}\u{9b}2J", "version": "1\u{1b}[2J/../.."},
            {"name": "\u{1b}[2J", "source": "./review"},
        ]),
    );
    let shown =
        [said(&home, &["discover"]), said(&home, &["install", "review@team"]), said(&home, &["list"])]
            .concat();
    assert!(shown.contains("left out") && shown.contains("secret.txt"), "{shown}");
    assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{shown:?}");
    let [directory] = cached(&home).try_into().unwrap();
    assert!(directory.starts_with("team___review___1-"), "{directory}");
    assert!(!home.exists(format!("home/.omp/plugins/cache/plugins/{directory}/skills/careful/secret.txt")));
}

/// The registry of a project is a file of the project: it switches nothing on that the user has not agreed to.
// proves: HOK-086
#[test]
fn a_project_cannot_switch_plugins_on() {
    let home = with_review();
    let hooks =
        json!({"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch ran.txt"}]}]}});
    home.write("work/market/review/hooks/hooks.json", hooks.to_string());
    let server = Server::start(vec![Reply::new().text("done"); 4]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    git(&home, "work", &[&["init", "-q"]]);
    let ran = |home: &Home| {
        let output = omp_run(home, &["-p", "go", "--yolo"]);
        assert_eq!(output.code, Some(0), "{output:?}");
        let ran = home.exists("work/ran.txt");
        let _ = std::fs::remove_file(home.path("work/ran.txt"));
        (ran, output.stderr)
    };
    // The user has it, switched off.
    said(&home, &["install", "review@team"]);
    said(&home, &["disable", "review@team"]);
    let cache = home.path("home/.omp/plugins/cache/plugins/team___review___1.0.0");
    let claim = |path: &std::path::Path| {
        let entry = json!({"version": 2, "plugins": {"review@team": [{"scope": "project", "installPath": path, "version": "1.0.0"}]}});
        home.write(PROJECT, entry.to_string());
    };
    claim(&cache);
    let (has_run, told) = ran(&home);
    assert!(!has_run && told.contains("review@team of this project is not active"), "{told}");
    assert!(said(&home, &["list"]).contains("review@team 1.0.0 (project, not trusted in this project"));
    // Its own directory, or one that it leads to through the cache, is none of the user's plugins.
    for path in [home.path("work/market/review"), cache.join("../../../../../../work/market/review")] {
        claim(&path);
        assert!(!ran(&home).0, "{}", path.display());
        omp_run(&home, &["trust", "add"]);
        assert!(said(&home, &["list"]).contains("not in the plugin cache"), "{}", path.display());
    }
    claim(&cache);
    let agreed = omp_run(&home, &["trust", "add"]);
    assert!(agreed.stdout.contains("review@team"), "{agreed:?}");
    assert!(ran(&home).0, "the user has agreed");
    server.finish();

    // A registry that is a link out of the project is not written.
    std::fs::remove_file(home.path(PROJECT)).unwrap();
    symlink(home.path("home/elsewhere.json"), home.path(PROJECT)).unwrap();
    home.write("home/elsewhere.json", "{}");
    let said = refused(&home, &["install", "--scope", "project", "review@team"]);
    assert!(said.contains("leads out of the project; refused"), "{said}");
    assert_eq!(home.read("home/elsewhere.json"), "{}");
}

/// A catalogue that was added by URL has no directory, and none of this machine.
// proves: HOK-076, HOK-082
#[test]
fn a_catalogue_by_url_names_repositories_only() {
    let home = Home::new();
    let entry = |name: &str, source: Value| json!({"name": name, "source": source});
    let all = json!({"name": "far", "owner": {"name": "A"}, "plugins": [
        entry("near", json!("./near")),
        entry("mine", json!({"source": "url", "url": home.path("work/repo")})),
        entry("file", json!({"source": "url", "url": format!("file://{}", home.path("work/repo").display())})),
    ]});
    let server = PageServer::start([("/market.json", Page::new("application/json", all.to_string()))]);
    said(&home, &["marketplace", "add", &server.url("/market.json")]);
    let near = refused(&home, &["install", "near@far"]);
    assert!(near.contains("relative source, which a catalogue that was added by URL cannot have"), "{near}");
    for name in ["mine@far", "file@far"] {
        let local = refused(&home, &["install", name]);
        assert!(
            local.contains("is on this machine, which only a marketplace of this machine can name"),
            "{local}"
        );
    }
    let gone = refused(&home, &["marketplace", "add", &server.url("/other.json")]);
    assert!(gone.contains("status 404"), "{gone}");
    // Only the catalogue of a repository or a directory is one of a marketplace.
    home.write("work/flat/marketplace.json", all.to_string());
    assert!(refused(&home, &["marketplace", "add", "./flat"]).contains("has no marketplace"));
}

#[test]
fn a_huge_catalogue_is_only_refused() {
    let home = Home::new();
    let mut text = json!({"name": "team", "owner": {"name": "A"}, "plugins": []}).to_string();
    text.push_str(&" ".repeat(17 * 1024 * 1024));
    home.write("work/market/.claude-plugin/marketplace.json", text);
    let said = refused(&home, &["marketplace", "add", "./market"]);
    assert!(said.contains("more than 16 MiB"), "{said}");
    assert!(!home.exists("home/.omp/marketplaces.json"));
}
