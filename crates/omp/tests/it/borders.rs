//! Where file tools write without a question, and what they never read.

use omp_testkit::{Home, ModelOptions, Reply, Server, Wire};
use serde_json::{Value, json};

use crate::support::{omp, omp_run};

/// Stands in every store and must not be in any request.
const CANARY: &str = "canary-5f1c";

/// What a model that makes these calls, one after the other, reads about them.
fn told(home: &Home, args: &[&str], calls: Vec<Reply>) -> Vec<String> {
    let server = Server::start(calls.into_iter().chain([Reply::new().text("done")]).collect::<Vec<_>>());
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    crate::support::omp_run_refusing(home, &[&["-p", "go"], args].concat());
    let body = server.requests().last().unwrap().body.clone();
    server.finish();
    let messages = body["messages"].as_array().unwrap();
    let results = messages.iter().filter(|message| message["role"] == "tool");
    results.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect()
}

fn call(tool: &str, mut arguments: Value) -> Reply {
    arguments["_i"] = json!("why");
    Reply::new().tool_call(tool, arguments)
}

fn read(path: &str) -> Reply {
    call("read", json!({"path": path}))
}

fn write(path: &str) -> Reply {
    call("write", json!({"path": path, "content": "written"}))
}

fn database(path: &std::path::Path) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection
        .execute_batch(&format!("CREATE TABLE keys (k TEXT); INSERT INTO keys VALUES ('{CANARY}')"))
        .unwrap();
}

/// Credential stores in all the places where this program and others keep them.
fn with_stores() -> Home {
    let home = Home::new();
    for path in [
        ".omp/agent/agent.db-wal",
        ".omp/profiles/p/agent/agent.db",
        ".ssh/id_ed25519",
        ".ssh/deploy",
        ".claude/.credentials.json",
        ".codex/auth.json",
        ".gemini/oauth_creds.json",
        ".local/share/opencode/auth.json",
        ".config/gh/hosts.yml",
        ".aws/credentials",
        ".netrc",
        ".npmrc",
        ".git-credentials",
        ".cargo/credentials.toml",
        ".kube/config",
        ".docker/config.json",
        ".mozilla/firefox/x/logins.json",
    ] {
        home.write(format!("home/{path}"), format!("{CANARY}\n"));
    }
    home.write("home/notes.txt", "plain text of the user\n");
    home.write("work/a.txt", "hello\n");
    home
}

/// Nothing leads to the content of a store: paths, links, other names, databases, searches; in no mode.
// proves: SEC-034
#[test]
fn stores_are_never_read() {
    for mode in ["yolo", "write", "always-ask"] {
        let home = with_stores();
        let own = home.path("home/.omp/agent/store.db");
        database(&own);
        std::fs::hard_link(home.path("home/.omp/agent/agent.db-wal"), home.path("work/copy.txt")).unwrap();
        std::fs::hard_link(home.path("home/.ssh/deploy"), home.path("work/picture.png")).unwrap();
        std::os::unix::fs::symlink(home.path("home/.ssh"), home.path("work/docs")).unwrap();
        std::os::unix::fs::symlink(home.path("home/.aws/credentials"), home.path("work/link.txt")).unwrap();
        let root = format!("/proc/self/root{}", home.path("home/.netrc").display());
        let mut calls: Vec<Reply> = [
            "~/.omp/agent/agent.db-wal",
            "~/.omp/profiles/p/agent/agent.db",
            "~/.ssh/id_ed25519",
            "~/.ssh/deploy:raw",
            "~/.claude/.credentials.json",
            "~/.codex/auth.json",
            "~/.gemini/oauth_creds.json",
            "~/.local/share/opencode/auth.json",
            "~/.config/gh/hosts.yml",
            "~/.netrc",
            "~/.npmrc",
            "~/.git-credentials",
            "~/.cargo/credentials.toml",
            "~/.kube/config",
            "~/.docker/config.json",
            "~/.mozilla/firefox/x/logins.json",
            "copy.txt",
            "picture.png",
            "docs/id_ed25519",
            "link.txt",
            root.as_str(),
            "/proc/self/environ",
        ]
        .map(read)
        .into();
        let refused = calls.len();
        calls.extend([
            call("search", json!({"pattern": "canary", "paths": ["~"]})),
            call("search", json!({"pattern": "canary", "paths": ["~/.aws/credentials"]})),
            call("search", json!({"pattern": "canary", "paths": ["docs", "copy.txt", "link.txt"]})),
            call("search", json!({"pattern": "plain", "paths": ["~"], "gitignore": false})),
            call("inspect_image", json!({"path": "picture.png", "question": "what"})),
            read("~/notes.txt"),
        ]);
        let told = told(&home, &["--approval-mode", mode], calls);
        for result in &told[..refused] {
            assert!(result.contains("which omp never reads"), "{mode}: {result}");
        }
        for result in &told {
            assert!(!result.contains(CANARY), "{mode}: {result}");
        }
        assert!(told[refused + 3].contains("plain text of the user"), "{}", told[refused + 3]);
        assert!(told[refused + 5].contains("plain text of the user"), "{}", told[refused + 5]);
    }
}

/// The database of keys by its tables, through SQL, and under a second name.
// proves: SEC-034
#[test]
fn the_database_of_keys_is_never_queried() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("home/.omp/agent")).unwrap();
    database(&home.path("home/.omp/profiles-agent.db"));
    std::fs::create_dir_all(home.path("home/.omp/profiles/p/agent")).unwrap();
    let store = home.path("home/.omp/profiles/p/agent/agent.db");
    database(&store);
    std::fs::hard_link(&store, home.path("work/mine.db")).unwrap();
    database(&home.path("work/other.db"));
    let sql = "?q=SELECT%20*%20FROM%20keys";
    let calls = vec![
        read("~/.omp/profiles/p/agent/agent.db"),
        read("~/.omp/profiles/p/agent/agent.db:keys"),
        read(&format!("~/.omp/profiles/p/agent/agent.db{sql}")),
        read("mine.db"),
        read("mine.db:keys"),
        call("write", json!({"path": "mine.db:keys", "content": "{k: 'mine'}"})),
        read("other.db:keys"),
    ];
    let told = told(&home, &["--approval-mode", "yolo"], calls);
    for result in &told[..6] {
        assert!(result.contains("which omp never reads") && !result.contains(CANARY), "{result}");
    }
    assert!(told[6].contains(CANARY), "other databases are read: {}", told[6]);
}

/// A store is not destroyed by text either, and a row does not reach a database elsewhere through a second name of it.
#[test]
fn databases_are_neither_overwritten_nor_changed_elsewhere() {
    let home = Home::new();
    std::fs::create_dir_all(home.path("home/.omp/profiles/p/agent")).unwrap();
    let store = home.path("home/.omp/profiles/p/agent/agent.db");
    database(&store);
    let before = std::fs::read(&store).unwrap();
    let told_of = |mode: &str, calls| told(&home, &["--approval-mode", mode], calls);
    let said = told_of("yolo", vec![write("~/.omp/profiles/p/agent/agent.db")]);
    assert!(said[0].contains("SQLite"), "{}", said[0]);
    assert_eq!(std::fs::read(&store).unwrap(), before);

    database(&home.path("home/notes.db"));
    std::fs::hard_link(home.path("home/notes.db"), home.path("work/mine.db")).unwrap();
    let row = || call("write", json!({"path": "mine.db:keys", "content": "{k: 'mine'}"}));
    let said = told_of("write", vec![row()]);
    assert!(said[0].contains("hard links"), "{}", said[0]);
    assert!(told_of("yolo", vec![row()])[0].contains("Inserted"));
}

/// A person who attaches a store is told instead.
// proves: SEC-034
#[test]
fn stores_are_not_attached() {
    let home = with_stores();
    let server = Server::start([]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let output = omp_run(&home, &["-p", "@~/.ssh/id_ed25519", "what is it"]);
    assert!(!output.status.success(), "{}", output.stdout);
    assert!(output.stderr.contains("which omp never reads"), "{}", output.stderr);
    assert!(server.requests().is_empty());
}

/// Paths that lead out of the workspace, each in its own way.
fn ways_out(home: &Home) -> Vec<String> {
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(home.path(target), home.path(format!("work/{name}"))).unwrap();
    };
    home.write("home/there.txt", "there\n");
    link("home", "away");
    link("home/there.txt", "file-link.txt");
    link("home/new.txt", "dangling.txt");
    let absolute = home.path("home/absolute.txt").display().to_string();
    vec![
        "../home/dots.txt".to_owned(),
        "missing/../../home/more-dots.txt".to_owned(),
        "~/tilde.txt".to_owned(),
        "away/linked.txt".to_owned(),
        "file-link.txt".to_owned(),
        "dangling.txt".to_owned(),
        format!("/proc/self/root{absolute}"),
        "/proc/self/cwd/../home/process.txt".to_owned(),
        format!("file://{absolute}"),
        absolute,
        "away/archive.zip:member.txt".to_owned(),
    ]
}

fn tree(home: &Home) -> Vec<(String, Vec<u8>)> {
    let ours = |path: &String| path.starts_with("home/") && !path.contains("/.omp/");
    let files = home.list_files().into_iter().filter(ours);
    files.map(|path| (path.clone(), home.read_bytes(&path))).collect()
}

/// In `write` mode a file tool writes in the workspace, in the temporary directory and in added directories. Elsewhere
/// it asks, and nobody is there to be asked.
// proves: SEC-032
#[test]
fn writing_stays_in_the_workspace() {
    let home = Home::new();
    home.write("more/readme", "");
    let ways = ways_out(&home);
    let before = tree(&home);
    let mut calls: Vec<Reply> = ways.iter().map(|path| write(path)).collect();
    calls.push(write("sub/inside.txt"));
    calls.push(write(&home.path("tmp/temporary.txt").display().to_string()));
    calls.push(write(&home.path("more/added.txt").display().to_string()));
    let more = home.path("more").display().to_string();
    let told = told(&home, &["--approval-mode", "write", "--add-dir", &more], calls);
    for (way, result) in ways.iter().zip(&told) {
        let where_to = home.path("home").canonicalize().unwrap();
        let named = result.contains(&format!("outside the workspace: {}", where_to.display()));
        assert!(named && result.contains("needs the user's approval"), "{way}: {result}");
    }
    assert_eq!(tree(&home), before);
    for inside in ["work/sub/inside.txt", "tmp/temporary.txt", "more/added.txt"] {
        assert_eq!(home.read(inside), "written", "{inside}");
    }
    assert!(!home.exists("work/missing"));
}

/// The same paths in the mode that never asks.
#[test]
fn yolo_writes_anywhere() {
    let home = Home::new();
    ways_out(&home);
    let told =
        told(&home, &["--approval-mode", "yolo"], vec![write("~/tilde.txt"), write("away/linked.txt")]);
    assert!(told.iter().all(|result| result.contains("Successfully wrote")), "{told:?}");
    assert_eq!(home.read("home/linked.txt"), "written");
}

/// Edits, moves and structural edits keep to the same borders.
// proves: SEC-032
#[test]
fn edits_stay_in_the_workspace() {
    let home = Home::new();
    home.write("home/code.js", "old(1);\n");
    home.write("work/mine.js", "old(2);\n");
    std::os::unix::fs::symlink(home.path("home"), home.path("work/away")).unwrap();
    home.write("home/.omp/agent/config.yml", "edit:\n  mode: replace\n");
    let replace = |path: &str| call("edit", json!({"path": path, "old_string": "old", "new_string": "new"}));
    let calls = vec![
        replace("away/code.js"),
        replace("~/code.js"),
        replace("mine.js"),
        call("ast_edit", json!({"ops": [{"pat": "old($A)", "out": "new($A)"}], "paths": ["~/code.js"]})),
        call("resolve", json!({"action": "apply", "reason": "good"})),
        call("resolve", json!({"action": "discard", "reason": "refused"})),
    ];
    let told = told(&home, &["--approval-mode", "write"], calls);
    for refused in [&told[0], &told[1], &told[4]] {
        assert!(refused.contains("outside the workspace: "), "{refused}");
    }
    assert_eq!(home.read("home/code.js"), "old(1);\n");
    assert_eq!(home.read("work/mine.js"), "new(2);\n");
}

/// Paths that decide what runs later are asked about wherever they are, also with the tool allowed.
// proves: SEC-033
#[test]
fn protected_paths_are_asked_about_inside_the_workspace() {
    let home = Home::new();
    let paths = [
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/modules/sub/config",
        "vendor/lib/.git/hooks/post-checkout",
        ".omp/config.yml",
        ".claude/settings.json",
        ".vscode/tasks.json",
        ".mcp.json",
        ".envrc",
        ".npmrc",
        ".cargo/config.toml",
        ".husky/pre-push",
        ".GIT/hooks/upper",
    ];
    home.write("work/.git/HEAD", "ref: refs/heads/main\n");
    std::os::unix::fs::symlink("../.git/hooks", home.path("work").join("hooks-link")).unwrap();
    std::os::unix::fs::symlink(".git", home.path("work").join("innocent")).unwrap();
    let mut calls: Vec<Reply> = paths.iter().map(|path| write(path)).collect();
    calls.push(write("innocent/hooks/x"));
    calls.push(write("src/config"));
    home.write("home/.omp/agent/config.yml", "tools:\n  approval:\n    write: allow\n");
    let told = told(&home, &["--approval-mode", "write"], calls);
    for (path, result) in paths.iter().chain([&"innocent/hooks/x"]).zip(&told) {
        assert!(result.contains("protected path ") && result.contains("approval"), "{path}: {result}");
        assert!(!home.exists(format!("work/{path}")), "{path}");
    }
    assert_eq!(home.read("work/src/config"), "written");
}

/// Own settings can be changed neither by their path nor in a workspace that holds them.
// proves: SEC-033
#[test]
fn own_settings_are_asked_about() {
    let home = Home::new();
    home.write("home/.omp/agent/config.yml", "# mine\n");
    let server = Server::start([
        write("~/.omp/agent/config.yml"),
        write("~/.bashrc"),
        write("~/plain.txt"),
        Reply::new().text("done"),
    ]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let mut command = omp(&home, &["-p", "go", "--approval-mode", "write", "--allow-home"]);
    command.current_dir(home.path("home"));
    let output = omp_testkit::run(command, Some(b""), crate::support::LIMIT);
    assert_eq!(output.code, Some(3), "{output:?}");
    server.finish();
    assert_eq!(home.read("home/.omp/agent/config.yml"), "# mine\n");
    assert!(!home.exists("home/.bashrc"));
    assert_eq!(home.read("home/plain.txt"), "written", "home is the workspace here");
}
