//! Issues and pull requests through a `gh` that writes down what it is asked.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_github::{Address, CacheOptions, Gh, Github, ItemKind, Text};
use omp_shell::{Environment, Scope};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// A directory with a `gh` in it, and what that says to whom.
struct Place {
    directory: tempfile::TempDir,
    environment: Environment,
    soft_ttl: u64,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().join("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(directory.path().join("answers")).unwrap();
        // The first two words choose the answer, so that the test sees the others.
        let script = format!(
            "#!/bin/sh\ncd '{0}'\nprintf '%s\\n' \"$*\" >> log\nname=\"answers/$1-$2\"\n\
             [ \"$1\" = api ] && name=answers/api\n\
             [ -f \"$name.hang\" ] && exec sleep 1000\n\
             [ -f \"$name.err\" ] && {{ cat \"$name.err\" >&2; exit 1; }}\ncat \"$name\"\n",
            directory.path().display()
        );
        let gh = bin.join("gh");
        fs::write(&gh, script).unwrap();
        fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let environment = [("PATH", path.as_str()), ("GH_TOKEN", "token-of-ann")].into_iter().collect();
        Self { directory, environment, soft_ttl: 300 }
    }

    fn answer(&self, name: &str, text: impl Into<String>) {
        fs::write(self.directory.path().join("answers").join(name), text.into()).unwrap();
    }

    fn cache(&self) -> PathBuf {
        self.directory.path().join("cache/github-cache.db")
    }

    fn github(&self) -> Arc<Github> {
        self.github_with(Some(CacheOptions {
            path: self.cache(),
            soft_ttl: self.soft_ttl,
            hard_ttl: 604_800,
        }))
    }

    fn github_with(&self, cache: Option<CacheOptions>) -> Arc<Github> {
        let gh = Gh {
            scope: Arc::new(Scope::new()),
            cwd: self.directory.path().to_owned(),
            environment: self.environment.clone(),
        };
        Github::new(gh, cache)
    }

    /// The command lines of `gh`, in order.
    fn calls(&self) -> Vec<String> {
        let log = fs::read_to_string(self.directory.path().join("log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }

    fn calls_of(&self, start: &str) -> usize {
        self.calls().iter().filter(|call| call.starts_with(start)).count()
    }

    fn kept(&self) -> rusqlite::Connection {
        let cache = rusqlite::Connection::open(self.cache()).unwrap();
        cache.busy_timeout(Duration::from_secs(5)).unwrap();
        cache
    }

    /// Is there a row that begins so? Looking through a reader would make it read again.
    fn keeps(&self, beginning: &str) -> bool {
        let count = "SELECT count(*) FROM github_cache WHERE rendered LIKE ?1 || '%'";
        self.kept().query_row(count, [beginning], |row| row.get::<_, i64>(0)).unwrap() > 0
    }

    /// Makes every kept row older.
    fn age(&self, seconds: i64) {
        self.kept().execute("UPDATE github_cache SET fetched_at = fetched_at - ?1", [seconds]).unwrap();
    }
}

async fn read(github: &Arc<Github>, url: &str) -> Result<Text, String> {
    let (scheme, rest) = url.split_once("://").unwrap();
    let kind = if scheme == "pr" { ItemKind::PullRequest } else { ItemKind::Issue };
    let (target, query) = rest.split_once('?').unwrap_or((rest, ""));
    let pairs: Vec<(&str, &str)> = query.split('&').filter_map(|pair| pair.split_once('=')).collect();
    let value = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let address = Address::parse(kind, target, value).map_err(|error| error.to_string())?;
    github.read(&address, &CancellationToken::new()).await
}

async fn text(github: &Arc<Github>, url: &str) -> String {
    read(github, url).await.unwrap().text
}

fn issue(title: &str) -> Value {
    json!({"number": 7, "title": title, "state": "OPEN", "author": {"login": "ann"}, "body": "It fails.",
        "createdAt": "2026-01-01", "labels": [{"name": "bug"}], "url": "https://github.com/o/r/issues/7",
        "comments": [{"author": {"login": "bob"}, "createdAt": "2026-01-02", "body": "Here too."}]})
}

fn pull_request(files: usize) -> Value {
    let files: Vec<Value> = (1..=files)
        .map(|number| json!({"path": format!("f{number}"), "additions": 2, "deletions": 1}))
        .collect();
    json!({"number": 8, "title": "Fix", "state": "OPEN", "isDraft": true, "author": {"login": "ann"}, "body": "",
        "headRefName": "fix", "baseRefName": "main", "additions": 5, "deletions": 3, "changedFiles": files.len(),
        "files": files, "reviewDecision": "CHANGES_REQUESTED",
        "reviews": [{"author": {"login": "cid"}, "state": "CHANGES_REQUESTED", "body": "Not yet.", "submittedAt": "2026-01-03"}],
        "comments": [{"author": {"login": "bob"}, "createdAt": "2026-01-02", "body": "Nice."}]})
}

/// proves: FIL-072
#[tokio::test(flavor = "multi_thread")]
async fn items_are_read_once_and_refreshed_in_the_background() {
    let place = Place::new();
    place.answer("issue-view", issue("It breaks").to_string());
    place.answer("repo-view", "o/r\n");
    let github = place.github();
    let first = text(&github, "issue://o/r/7").await;
    assert_eq!(
        first,
        "# It breaks (#7)\n\n- State: open\n- Author: ann\n- Created: 2026-01-01\n- Labels: bug\n\
         - URL: https://github.com/o/r/issues/7\n\nIt fails.\n\n## Comment by bob, 2026-01-02\n\nHere too.\n"
    );
    // The short form is the same row, also in another session.
    assert_eq!(text(&place.github(), "issue://7").await, first);
    assert_eq!(text(&github, "issue://O/R/7").await, first);
    assert_eq!(place.calls_of("issue view"), 1);
    let bare = text(&github, "issue://7?comments=0").await;
    assert_eq!(place.calls_of("issue view"), 2);
    let last = place.calls().pop().unwrap();
    assert!(last.starts_with("issue view 7 --repo=o/r --json=") && !last.contains("comments"), "{last}");
    assert!(bare.contains("It fails."));
    // Old, but not too old: what is kept is given at once, and read again behind it.
    place.answer("issue-view", issue("It broke").to_string());
    place.age(301);
    assert_eq!(text(&github, "issue://7").await, first);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !place.keeps("# It broke") {
        assert!(Instant::now() < deadline, "the row was never refreshed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(text(&place.github(), "issue://o/r/7").await.starts_with("# It broke"));
    // Too old.
    let before = place.calls_of("issue view");
    place.age(604_800);
    place.answer("issue-view", issue("It is gone").to_string());
    assert!(text(&github, "issue://7").await.starts_with("# It is gone"));
    assert_eq!(place.calls_of("issue view"), before + 1);
}

/// proves: FIL-073, WEB-049
#[tokio::test]
async fn lists_are_live() {
    let place = Place::new();
    let listed = json!([{"number": 7, "title": "It breaks", "state": "OPEN", "author": {"login": "ann"},
        "labels": [{"name": "bug"}], "updatedAt": "2026-01-02"}]);
    for name in ["issue-list", "pr-list"] {
        place.answer(name, listed.to_string());
    }
    place.answer("issue-view", issue("One").to_string());
    place.answer("pr-view", pull_request(1).to_string());
    place.answer("api", "[]");
    let github = place.github();
    let fields = "--json=number,title,state,author,labels,updatedAt,url";
    let expected = "- #7 It breaks (open, ann, updated 2026-01-02, bug)\n";
    for (url, call) in [
        ("issue://", format!("issue list {fields}")),
        (
            "issue://o/r?state=closed&limit=5",
            format!("issue list --repo=o/r --state=closed --limit=5 {fields}"),
        ),
        (
            "pr://?state=merged&author=ann&label=good",
            format!("pr list --state=merged --author=ann --label=good {fields}"),
        ),
        ("pr://o/r", format!("pr list --repo=o/r {fields}")),
    ] {
        for _ in 0..2 {
            let shown = text(&github, url).await;
            assert!(shown.contains(expected), "{shown}");
        }
        assert_eq!(
            place.calls().iter().filter(|made| **made == call).count(),
            2,
            "{url}: {:?}",
            place.calls()
        );
    }
    let error = read(&github, "issue://?state=merged").await.unwrap_err();
    assert_eq!(error, "state=merged is not one of open, closed, all");
    assert!(text(&github, "issue://o/r/7").await.starts_with("# One (#7)"));
    assert!(text(&github, "pr://o/r/8").await.starts_with("# Fix (#8)"));
}

const DIFF: &str = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1,2 @@\n-old\n+new\n+more\n\
    diff --git a/b.rs b/b.rs\n--- a/b.rs\n+++ b/b.rs\n@@ -1 +0,0 @@\n-bye\n";

/// proves: FIL-074, WEB-050
#[tokio::test]
async fn a_diff_is_asked_for_once() {
    let place = Place::new();
    place.answer("pr-diff", DIFF);
    let github = place.github();
    let listing = read(&github, "pr://o/r/8/diff").await.unwrap();
    assert_eq!(
        listing.text,
        "2 files changed in pr://o/r/8\n\n1. a.rs (+2 -1): pr://o/r/8/diff/1\n2. b.rs (+0 -1): pr://o/r/8/diff/2\n\n\
         [pr://o/r/8/diff/all is the whole diff]\n"
    );
    assert_eq!(listing.mime, "text/plain");
    let one = read(&github, "pr://o/r/8/diff/2").await.unwrap();
    assert_eq!((one.text.as_str(), one.mime), (&DIFF[DIFF.rfind("diff --git").unwrap()..], "text/plain"));
    assert_eq!(read(&github, "pr://o/r/8/diff/all").await.unwrap().text, DIFF);
    let error = read(&github, "pr://o/r/8/diff/3").await.unwrap_err();
    assert_eq!(error, "pr://o/r/8/diff has no file 3, only 2 files");
    assert_eq!(place.calls(), ["pr diff 8 --repo=o/r --color=never"]);
}

/// proves: WEB-053
#[tokio::test]
async fn a_pull_request_with_all_that_was_said() {
    let place = Place::new();
    place.answer("pr-view", pull_request(60).to_string());
    let remark = json!([{"user": {"login": "dan"}, "path": "f1", "line": 3, "body": "Why?", "created_at": "2026-01-04"}]);
    place.answer("api", remark.to_string());
    let shown = text(&place.github(), "pr://o/r/8").await;
    for part in [
        "- State: open (draft)\n",
        "- Branches: fix into main\n",
        "- Review: changes requested\n",
        "- Changes: +5 -3 in 60 files\n",
        "\n(no description)\n",
        "- f50 (+2 -1)\n\n[10 more files; pr://8/diff lists all]\n",
        "## Review by cid, changes_requested, 2026-01-03\n\nNot yet.\n",
        "## dan on f1:3, 2026-01-04\n\nWhy?\n",
        "## Comment by bob, 2026-01-02\n\nNice.\n",
    ] {
        assert!(shown.contains(part), "{part:?} is not in {shown}");
    }
    assert!(!shown.contains("- f51 "));
    // What is said about lines is not worth failing for.
    let without = Place::new();
    without.answer("pr-view", pull_request(1).to_string());
    without.answer("api.err", "HTTP 500");
    assert!(text(&without.github(), "pr://o/r/8").await.contains("- f1 (+2 -1)"));
}

/// proves: WEB-052
#[tokio::test]
async fn what_one_user_saw_is_not_shown_to_another() {
    let mut place = Place::new();
    place.answer("issue-view", issue("Private").to_string());
    text(&place.github(), "issue://o/r/7").await;
    place.environment.set("GH_TOKEN", "token-of-bob");
    place.answer("issue-view.err", "GraphQL: Could not resolve to an issue");
    let error = read(&place.github(), "issue://o/r/7").await.unwrap_err();
    assert_eq!(error, "GraphQL: Could not resolve to an issue");
    let kept = fs::read(place.cache()).unwrap();
    assert!(!kept.windows(8).any(|part| part == b"token-of"), "tokens stay where they are");
    assert_eq!(fs::metadata(place.cache()).unwrap().permissions().mode() & 0o077, 0);
}

#[tokio::test]
async fn without_a_cache_every_read_asks() {
    let place = Place::new();
    place.answer("issue-view", issue("Now").to_string());
    let github = place.github_with(None);
    for _ in 0..2 {
        text(&github, "issue://o/r/7").await;
    }
    assert_eq!(place.calls_of("issue view"), 2);
    assert!(!place.cache().exists());
}

#[tokio::test]
async fn what_can_be_wrong_with_gh() {
    let place = Place::new();
    place.answer("issue-view.err", "To get started with GitHub CLI, please run:  gh auth login");
    place.answer("repo-view.err", "fatal: not a git repository (or any of the parent directories): .git");
    place.answer("pr-view", "");
    place.answer("api", "[]");
    place.answer("issue-list", "no json");
    let github = place.github();
    let error = async |url: &str| read(&github, url).await.unwrap_err();
    assert_eq!(error("issue://o/r/7").await, "GitHub CLI is not authenticated. Run `gh auth login`.");
    assert!(error("issue://7").await.contains("is not a GitHub repository"));
    assert!(error("pr://o/r/8").await.contains("printed nothing"));
    assert!(error("issue://o/r").await.contains("did not print JSON"));
    let mut nowhere = Place::new();
    nowhere.environment.set("PATH", "/nonexistent");
    let error = read(&nowhere.github(), "issue://o/r/7").await.unwrap_err();
    assert!(error.starts_with("GitHub CLI (gh) is not installed"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_gh_is_given_up() {
    let place = Place::new();
    place.answer("issue-view.hang", "");
    let github = place.github();
    let cancel = CancellationToken::new();
    let address = Address::parse(ItemKind::Issue, "o/r/7", |_| None).unwrap();
    let stop = async {
        while place.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(github.read(&address, &cancel), stop);
    assert_eq!(result.unwrap_err(), "Operation aborted");
}
