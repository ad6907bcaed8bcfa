//! Whatever the umask is, what a session leaves behind is for its owner only.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire, run};
use serde_json::json;

use crate::sessions::session_files;
use crate::support::LIMIT;

/// The program with a umask that takes nothing away.
fn open_to_all(mut command: Command, args: &[&str]) -> Command {
    command.env("OMP", env!("CARGO_BIN_EXE_omp"));
    command.args(["-c", "umask 0; exec \"$OMP\" \"$@\"", "sh"]).args(args);
    command
}

fn omp(home: &Home, args: &[&str]) -> Output {
    run(open_to_all(home.command("sh"), args), Some(b"s3cr3t-key-12345\n"), LIMIT)
}

fn bits(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().mode() & 0o777
}

/// Everything below a directory that others could look into.
fn open_entries(directory: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let mode = bits(&path);
        if !path.is_symlink() && mode & 0o077 != 0 {
            found.push(format!("{} {mode:o}", path.display()));
        }
        if path.is_dir() && !path.is_symlink() {
            open_entries(&path, found);
        }
    }
}

// proves: SEC-044
#[test]
fn nothing_is_left_open_whatever_the_umask() {
    let large = "seq 1 200000";
    let server = Server::start([
        Reply::new()
            .tool_call("bash", json!({"_i": "x", "command": large}))
            .tool_call("write", json!({"_i": "x", "path": "local://notes/a.md", "content": "text"}))
            .tool_call("write", json!({"_i": "x", "path": "made/by-the-model.txt", "content": "text"})),
        Reply::new().text("done"),
        Reply::new().text("on the screen"),
    ]);
    let home = Home::new();
    // The home is the user's, and so is what it has already.
    std::fs::set_permissions(home.home_dir(), Permissions::from_mode(0o755)).unwrap();
    let models = home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let described = std::fs::read_to_string(&models).unwrap();
    // Nobody outside is asked about the key.
    std::fs::write(models, described + "  groq:\n    baseUrl: http://127.0.0.1:9/v1\n").unwrap();
    let agent = home.path("home/.omp/agent");
    for (path, mode) in
        [("home/.omp", 0o700), ("home/.omp/agent", 0o700), ("home/.omp/agent/models.yml", 0o600)]
    {
        std::fs::set_permissions(home.path(path), Permissions::from_mode(mode)).unwrap();
    }
    home.write("work/pages/old.txt", "the user's");
    std::fs::set_permissions(home.path("work/pages"), Permissions::from_mode(0o755)).unwrap();

    omp(&home, &["--record", "run.rec", "-p", "go"]).assert_success();
    omp(&home, &["config", "set", "theme.dark", "titanium"]).assert_success();
    omp(&home, &["login", "groq", "--with-key"]);
    omp(&home, &["models"]).assert_success();
    omp(&home, &["stats", "--summary"]).assert_success();
    omp(&home, &["config", "init-xdg"]);
    let session = session_files(&home)[0].to_str().unwrap().to_owned();
    omp(&home, &["--export", &session, "pages/page.html"]).assert_success();
    omp(&home, &["session", "fork", &session]).assert_success();
    let mut screen = home.terminal_command("sh");
    screen.env("PI_TUI_WRITE_LOG", home.path("home/.omp/agent/logs/screen.log"));
    let mut terminal = Terminal::start(open_to_all(screen, &["-c"]), 40, 100, Answers::Kind);
    terminal.wait_for("scripted").send("again\r").wait_for("on the screen");
    terminal.send("/export pages/from-screen.html\r").wait_for("from-screen.html");
    terminal.send("\x04").wait_exit();

    let mut open = Vec::new();
    open_entries(&home.path("home/.omp"), &mut open);
    assert!(open.is_empty(), "{open:#?}");
    let count = home.list_files().iter().filter(|path| path.starts_with("home/.omp/")).count();
    assert!(count >= 8 && agent.join("history.db").exists(), "{:?}", home.list_files());
    for private in ["work/run.rec", "work/pages/page.html", "work/pages/from-screen.html"] {
        assert_eq!(bits(&home.path(private)), 0o600, "{private}");
    }
    // Files of the project are the user's, and get what the umask says; directories that were there stay as they are.
    assert_eq!(bits(&home.path("work/made/by-the-model.txt")), 0o666);
    assert_eq!(bits(&home.path("work/pages")), 0o755);
    assert_eq!(bits(&home.home_dir()), 0o755);
    server.finish();
}
