//! `omp commit`, in real repositories.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::support::{home, last_user, omp_run};

const CHANGELOG: &str = "# Changes\n\n## [Unreleased]\n\n### Fixed\n\n- an old thing\n\n## [1.0]\n";

fn git(home: &Home, args: &[&str]) -> String {
    let mut command: Command = home.command("git");
    let output = command.args(args).output().expect("git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository with one commit, and changes that are not staged.
fn repository(server: &Server) -> Home {
    let home = home(server, Wire::OpenAiCompletions);
    home.write(
        "home/.gitconfig",
        "[user]\n\tname = T\n\temail = t@example.org\n[init]\n\tdefaultBranch = main\n",
    );
    git(&home, &["init", "-q"]);
    home.write("work/CHANGELOG.md", CHANGELOG);
    home.write("work/src/door.txt", "closed\n");
    git(&home, &["add", "-A"]);
    git(&home, &["commit", "-q", "-m", "feat: a door"]);
    home.write("work/src/door.txt", "open wide\n");
    home.write("work/new file.txt", "a window\n");
    home
}

fn proposal(summary: &str) -> Value {
    json!({
        "type": "feat", "scope": "door", "summary": summary, "details": ["Air comes in."],
        "changelog": [{"category": "Added", "text": "Doors can be opened."}],
    })
}

fn proposes(summary: &str) -> Reply {
    let mut arguments = proposal(summary);
    arguments["_i"] = json!("done");
    Reply::new().tool_call("propose_commit", arguments)
}

fn answers(summary: &str) -> Reply {
    Reply::new().text(&format!("Here it is:\n```json\n{}\n```", proposal(summary)))
}

fn hook(home: &Home, name: &str, script: &str) {
    let path = home.write(format!("work/.git/hooks/{name}"), script);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
}

/// Everything in the repository, git's own files included.
fn everything(home: &Home) -> Vec<(String, Vec<u8>)> {
    let files = home.list_files().into_iter().filter(|path| path.starts_with("work/"));
    files.map(|path| (path.clone(), home.read_bytes(&path))).collect()
}

fn tools(body: &Value) -> Vec<&str> {
    let tools = body["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

/// With nothing staged everything is staged; an agent looks at it and corrects what was refused; the changelog gets its
/// line; hooks run; nothing is left over.
/// proves: CLI-103
#[test]
fn everything_is_committed_with_a_message_of_the_model() {
    let look = Reply::new().tool_call("staged_diff", json!({"_i": "look", "paths": ["src/door.txt"]}));
    let server = Server::start([look, proposes(&"x".repeat(61)), proposes("open it wide")]);
    let home = repository(&server);
    hook(&home, "commit-msg", "#!/bin/sh\ncp \"$1\" ../seen-by-hook\n");
    omp_run(&home, &["commit"]).assert_success();
    let message = "feat(door): open it wide\n\n- Air comes in.\n";
    assert_eq!(git(&home, &["log", "-1", "--format=%B"]).trim_end(), message.trim_end());
    assert_eq!(home.read("seen-by-hook"), message);
    let changed = git(&home, &["show", "--name-only", "--format="]);
    assert_eq!(changed.lines().collect::<Vec<_>>(), ["CHANGELOG.md", "new file.txt", "src/door.txt"]);
    let line = "- an old thing\n\n### Added\n\n- Doors can be opened.\n\n## [1.0]";
    assert!(home.read("work/CHANGELOG.md").contains(line), "{}", home.read("work/CHANGELOG.md"));
    assert_eq!(git(&home, &["status", "--porcelain"]), "");
    let requests = server.requests();
    assert_eq!(tools(&requests[0].body), ["read", "find", "search", "staged_diff", "propose_commit"]);
    let told = last_user(&requests[0].body).to_string();
    assert!(
        ["+open wide", "new file.txt", "feat: a door", "CHANGELOG.md"]
            .iter()
            .all(|words| told.contains(words)),
        "{told}"
    );
    assert!(requests[1].body.to_string().contains("-closed"), "the tool shows the difference");
    assert!(requests[2].body.to_string().contains("at most 72 are allowed"), "{}", requests[2].body);
    server.finish();
    assert!(crate::sessions::session_files(&home).is_empty(), "no session is kept");
    let again = omp_run(&home, &["commit"]);
    assert_eq!((again.code, again.stdout.as_str()), (Some(0), "No changes to commit.\n"));
}

/// What is staged is committed and nothing else; the other flags do what they say.
/// proves: CLI-103
#[test]
fn flags_of_commit() {
    let server = Server::start([answers(&"y".repeat(70)), answers("open the door")]);
    let home = repository(&server);
    let models = ModelOptions::new().id("writer");
    let yaml = models.yaml(&server.base_url_for(Wire::OpenAiCompletions), Wire::OpenAiCompletions);
    let both = home.read("home/.omp/agent/models.yml") + &yaml.replace("providers:\n  test:", "  other:");
    home.write("home/.omp/agent/models.yml", both);
    git(&home, &["init", "-q", "--bare", "../remote.git"]);
    git(&home, &["remote", "add", "origin", "../remote.git"]);
    git(&home, &["config", "push.autoSetupRemote", "true"]);
    git(&home, &["add", "src"]);
    let flags = ["commit", "--legacy", "--no-changelog", "--push", "-m", "other/writer", "-c", "closes #12"];
    omp_run(&home, &flags).assert_success();
    assert_eq!(
        git(&home, &["show", "--name-only", "--format=%s"]).trim_end(),
        "feat(door): open the door\n\nsrc/door.txt"
    );
    assert_eq!(git(&home, &["status", "--porcelain"]), "?? \"new file.txt\"\n");
    assert_eq!(home.read("work/CHANGELOG.md"), CHANGELOG);
    assert_eq!(
        git(&home, &["--git-dir", "../remote.git", "log", "-1", "--format=%s", "main"]),
        "feat(door): open the door\n"
    );
    let requests = server.requests();
    assert!(
        requests.iter().all(|request| request.body["model"] == "writer" && tools(&request.body).is_empty())
    );
    let told = last_user(&requests[1].body).to_string();
    assert!(told.contains("closes #12") && told.contains("refused") && !told.contains("a window"), "{told}");
    server.finish();
}

/// proves: CLI-103
#[test]
fn a_dry_run_changes_nothing() {
    let server = Server::start([proposes("open it wide")]);
    let home = repository(&server);
    let before = everything(&home);
    let output = omp_run(&home, &["commit", "--dry-run"]);
    output.assert_success();
    for words in [
        "feat(door): open it wide\n\n- Air comes in.\n",
        "2 files would be committed",
        "Added: Doors can be opened.",
    ] {
        assert!(output.stdout.contains(words), "{}", output.stdout);
    }
    assert!(last_user(&server.requests()[0].body).to_string().contains("a window"), "new files are shown");
    assert!(everything(&home) == before, "something was changed");
    server.finish();
}

fn refused(home: &Home, args: &[&str], words: &str) -> Output {
    let before = everything(home);
    let output = omp_run(home, args);
    assert_eq!(output.code, Some(1), "{}", output.stderr);
    assert!(output.stderr.contains(words), "{}", output.stderr);
    let kept = |files: &[(String, Vec<u8>)]| -> Vec<(String, Vec<u8>)> {
        // Objects that nothing names are git's own business.
        let own = |path: &str| path.contains(".git/objects/") || path.ends_with("COMMIT_EDITMSG");
        files.iter().filter(|(path, _)| !own(path)).cloned().collect()
    };
    assert!(kept(&everything(home)) == kept(&before), "something was changed");
    output
}

/// A hook that says no, a model that fails, a place without a repository: everything is as it was.
#[test]
fn what_is_not_committed_is_undone() {
    let wrong = json!({"error": {"message": "not today", "type": "invalid_request_error"}});
    let server = Server::start([
        proposes("open it wide"),
        Reply::status(400).body(wrong.clone()),
        Reply::status(400).body(wrong),
    ]);
    let home = repository(&server);
    hook(&home, "pre-commit", "#!/bin/sh\necho the-hook-objects >&2\nexit 1\n");
    let output = refused(&home, &["commit"], "the-hook-objects");
    assert!(output.stderr.contains("feat(door): open it wide"), "the message is not lost: {}", output.stderr);
    refused(&home, &["commit"], "not today");
    server.finish();
    home.write("home/.omp/agent/models.yml", "providers: {}\n");
    for args in [&["commit"][..], &["commit", "--legacy"], &["commit", "--dry-run"]] {
        refused(&home, args, "no model is connected");
    }
    let elsewhere = Home::new();
    refused(&elsewhere, &["commit"], "is not inside a git repository");
}

/// A repository without commits, and a changelog that the user is writing.
#[test]
fn first_commits_and_changelogs_of_the_user() {
    let server = Server::start([answers("begin"), answers("go on")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("home/.gitconfig", "[user]\n\tname = T\n\temail = t@example.org\n");
    git(&home, &["init", "-q"]);
    home.write("work/a.txt", "a\n");
    omp_run(&home, &["commit", "--legacy"]).assert_success();
    assert_eq!(git(&home, &["log", "--format=%s"]), "feat(door): begin\n");
    home.write("work/CHANGELOG.md", CHANGELOG);
    git(&home, &["add", "-A"]);
    git(&home, &["commit", "-q", "-m", "changelog"]);
    home.write("work/CHANGELOG.md", CHANGELOG.replace("old", "very old"));
    home.write("work/a.txt", "b\n");
    git(&home, &["add", "a.txt"]);
    let output = omp_run(&home, &["commit", "--legacy"]);
    output.assert_success();
    assert!(output.stderr.contains("CHANGELOG.md has unstaged changes"), "{}", output.stderr);
    assert_eq!(git(&home, &["show", "--name-only", "--format="]), "a.txt\n");
    server.finish();
}
