//! Marketplaces: adding them, installing what they offer, keeping it, and what hostile ones achieve.

mod attacks;
mod health;
mod parts;
mod versions;

use std::path::PathBuf;

use omp_testkit::{Home, Output};
use serde_json::{Value, json};

use crate::support::omp_run;

/// What it says when it works.
pub(crate) fn said(home: &Home, args: &[&str]) -> String {
    let output = run(home, args);
    assert_eq!(output.code, Some(0), "{args:?}: {output:?}");
    output.stdout
}

/// Why it does not.
fn refused(home: &Home, args: &[&str]) -> String {
    let output = run(home, args);
    assert_eq!(output.code, Some(1), "{args:?}: {output:?}");
    output.stderr
}

fn run(home: &Home, args: &[&str]) -> Output {
    let words: Vec<&str> = ["plugin"].iter().chain(args).copied().collect();
    omp_run(home, &words)
}

/// A catalogue in `work/<directory>`.
pub(crate) fn catalogue(home: &Home, directory: &str, plugins: &Value) {
    let all = json!({"name": "team", "owner": {"name": "Ann"}, "plugins": plugins});
    home.write(format!("work/{directory}/.claude-plugin/marketplace.json"), all.to_string());
}

/// A plugin with a skill and a command.
pub(crate) fn plugin(home: &Home, directory: &str, skill: &str) {
    let text = format!("---\nname: {skill}\ndescription: Knows {skill}\n---\nThe body of {skill}");
    home.write(format!("work/{directory}/skills/{skill}/SKILL.md"), text);
    home.write(
        format!("work/{directory}/commands/go.md"),
        "---\ndescription: goes\n---\nGo and review $ARGUMENTS",
    );
}

/// A home with the marketplace `team` in `work/market`, which offers `review`.
fn with_review() -> Home {
    let home = Home::new();
    catalogue(&home, "market", &json!([{"name": "review", "source": "./review", "version": "1.0.0"}]));
    plugin(&home, "market/review", "careful");
    said(&home, &["marketplace", "add", "./market"]);
    home
}

/// A repository, and the answer of git's last command in it.
fn git(home: &Home, directory: &str, commands: &[&[&str]]) -> String {
    let mut last = String::new();
    std::fs::create_dir_all(home.path(directory)).unwrap();
    for words in commands {
        let mut command = home.command("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]);
        let output = command.args(*words).current_dir(home.path(directory)).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        last = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    }
    last
}

/// Commits everything in a repository, and answers the commit.
fn commit(home: &Home, directory: &str) -> String {
    git(home, directory, &[&["init", "-q"], &["add", "-A"], &["commit", "-qm", "x"], &["rev-parse", "HEAD"]])
}

/// Directories of plugins in the cache.
fn cached(home: &Home) -> Vec<String> {
    let entries =
        std::fs::read_dir(home.path("home/.omp/plugins/cache/plugins")).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// What is being prepared at the moment: nothing.
fn staged(home: &Home) -> usize {
    std::fs::read_dir(home.path("home/.omp/plugins/cache/.staging")).map_or(0, Iterator::count)
}

fn registry(home: &Home, file: &str) -> Value {
    serde_json::from_str(&home.read(file)).unwrap()
}

const USER: &str = "home/.omp/plugins/installed_plugins.json";
const PROJECT: &str = "work/.omp/plugins/installed_plugins.json";

/// What adds a marketplace, and what does not.
// proves: HOK-076, HOK-077, HOK-080, HOK-092
#[test]
fn marketplaces_are_added_listed_and_removed() {
    let home = with_review();
    assert!(said(&home, &["marketplace", "list"]).starts_with("team  "));
    let exists = refused(&home, &["marketplace", "add", "./market"]);
    assert!(exists.contains("Marketplace \"team\" already exists"), "{exists}");
    let offered = said(&home, &["discover", "team"]);
    assert!(offered.contains("review@team 1.0.0"), "{offered}");
    assert!(refused(&home, &["discover", "other"]).contains("\"other\" not found"));
    // The catalogue of omp comes before that of Claude Code.
    let own = json!({"name": "own", "owner": {"name": "B"}, "plugins": []});
    home.write("work/both/.omp-plugin/marketplace.json", own.to_string());
    catalogue(&home, "both", &json!([]));
    assert!(
        said(&home, &["marketplace", "add", &home.path("work/both").display().to_string()]).contains("own")
    );
    home.write("work/empty/README", "");
    let missing = refused(&home, &["marketplace", "add", "./empty"]);
    assert!(missing.contains("has no marketplace"), "{missing}");
    let hint = refused(&home, &["marketplace", "add", "market"]);
    assert!(hint.contains("use ./market"), "{hint}");
    assert!(refused(&home, &["marketplace", "add", "ext::sh -c x"]).contains("use owner/repo"));
    for action in ["remove", "update"] {
        let unknown = refused(&home, &["marketplace", action, "nobody"]);
        assert!(unknown.contains("Marketplace \"nobody\" not found"), "{unknown}");
    }
    let updated = said(&home, &["marketplace", "update"]);
    assert!(updated.contains("team updated: 1 plugin") && updated.contains("own updated"), "{updated}");
    said(&home, &["marketplace", "remove", "own"]);
    assert!(!said(&home, &["marketplace", "list"]).contains("own"));
}

/// A repository is cloned: here by an ssh that stays on this machine.
// proves: HOK-076, HOK-096
#[test]
fn a_marketplace_in_a_repository_is_cloned() {
    let home = Home::new();
    catalogue(&home, "market", &json!([{"name": "review", "source": "./review"}]));
    plugin(&home, "market/review", "careful");
    let sha = commit(&home, "work/market");
    let ssh = home.write("bin/ssh.sh", "#!/bin/sh\nfor last; do :; done\neval \"$last\"\n");
    let through = |args: &[&str]| {
        let mut command = crate::support::omp(&home, args);
        command.env("GIT_SSH_COMMAND", format!("sh {}", ssh.display()));
        omp_testkit::run(command, Some(b""), crate::support::LIMIT)
    };
    let address = format!("git@localhost:{}", home.path("work/market").display());
    let added = through(&["plugin", "marketplace", "add", &address]);
    assert_eq!(added.code, Some(0), "{added:?}");
    said(&home, &["install", "review@team"]);
    // Without any other version the commit is one.
    assert_eq!(cached(&home), [format!("team___review___{sha}")]);
    assert!(!home.path("home/.omp/plugins/cache/marketplaces/team/.git").exists());
    let gone = format!("git@localhost:{}", home.path("work/nowhere").display());
    let failed = through(&["plugin", "marketplace", "add", &gone]);
    assert!(failed.code == Some(1) && failed.stderr.contains("cannot clone"), "{failed:?}");
    assert_eq!(staged(&home), 0);
}

// proves: HOK-083, HOK-084, HOK-085
#[test]
fn installing_copies_and_records() {
    let home = with_review();
    home.write(USER, r#"{"version": 2, "theirs": 1, "plugins": {"other@x": [{"kept": true}]}}"#);
    let installed = said(&home, &["install", "review@team"]);
    assert!(installed.contains("review@team 1.0.0 installed (user)"), "{installed}");
    let record = registry(&home, USER);
    let entry = &record["plugins"]["review@team"][0];
    let path: PathBuf = entry["installPath"].as_str().unwrap().into();
    assert_eq!(path, home.path("home/.omp/plugins/cache/plugins/team___review___1.0.0"));
    assert!(path.join("skills/careful/SKILL.md").is_file());
    assert_eq!((&record["theirs"], &record["plugins"]["other@x"][0]["kept"]), (&json!(1), &json!(true)));
    assert_eq!((&record["version"], &entry["scope"]), (&json!(2), &json!("user")));
    let again = refused(&home, &["install", "review@team"]);
    assert!(again.contains("Plugin \"review@team\" is already installed"), "{again}");
    plugin(&home, "market/review", "bold");
    said(&home, &["install", "--force", "review@team"]);
    assert!(path.join("skills/bold/SKILL.md").is_file());
    assert!(refused(&home, &["install", "nothing@team"]).contains("Plugin \"nothing@team\" not found"));
    // A file that nobody understands is not replaced.
    home.write(USER, "{ broken");
    let broken = refused(&home, &["install", "--force", "review@team"]);
    assert!(broken.contains("installed_plugins.json") && home.read(USER) == "{ broken", "{broken}");
}

// proves: HOK-086, HOK-090, HOK-092
#[test]
fn scopes_are_apart() {
    let home = with_review();
    git(&home, "work", &[&["init", "-q"]]);
    said(&home, &["install", "review@team"]);
    said(&home, &["install", "--scope", "project", "review@team"]);
    assert!(home.exists(PROJECT));
    let listed = said(&home, &["list"]);
    assert!(listed.contains("review@team 1.0.0 (project)"), "{listed}");
    assert!(listed.contains("review@team 1.0.0 (user, shadowed by the project)"), "{listed}");
    let both = refused(&home, &["disable", "review@team"]);
    assert!(both.contains("--scope user or --scope project"), "{both}");
    said(&home, &["disable", "--scope", "project", "review@team"]);
    let listed = said(&home, &["list"]);
    assert!(listed.contains("(project, disabled)") && listed.contains("(user)"), "{listed}");
    said(&home, &["uninstall", "--scope", "user", "review@team"]);
    assert_eq!(cached(&home).len(), 1, "the project still refers to it");
    said(&home, &["uninstall", "review@team"]);
    assert!(cached(&home).is_empty());
    let gone = refused(&home, &["enable", "review@team"]);
    assert!(gone.contains("Plugin \"review@team\" is not installed"), "{gone}");

    let nowhere = with_review();
    let said = refused(&nowhere, &["install", "--scope", "project", "review@team"]);
    assert!(said.contains("there is no project here"), "{said}");
}
