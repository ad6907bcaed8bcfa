//! The sandbox, from outside: what a confined command can do on each rung, as a user without privileges.

use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use omp_testkit::{Home, ModelOptions, Output, Reply, Server, Wire, run};
use serde_json::{Value, json};

/// The user and group of nobody.
const NOBODY: u32 = 65_534;
const LIMIT: Duration = Duration::from_secs(120);
const CONFIG: &str = "home/.omp/agent/config.yml";
const CASES: &str = include_str!("../../../../tests/attacks/escapes.txt");

/// A home that belongs to somebody without privileges, and the program that they run.
pub(crate) struct Unprivileged {
    pub(crate) home: Home,
    program: PathBuf,
}

impl Unprivileged {
    pub(crate) fn new() -> Self {
        let home = Home::new();
        let program = Self::reachable(&home);
        for (path, text) in [
            ("home/.ssh/id_ed25519", "CANARY-SECRET\n"),
            ("home/.ssh/config", "Host *\n"),
            ("home/.omp/agent/agent.db", "CANARY-SECRET\n"),
            ("home/.codex/auth.json", "CANARY-SECRET\n"),
            ("home/.bashrc", "# canary\n"),
            ("outside/canary", "canary\n"),
            ("work/.omp/note", "canary\n"),
        ] {
            home.write(path, text);
        }
        std::fs::create_dir(home.path("outside/empty")).unwrap();
        let git = |args: &[&str]| assert!(home.command("git").args(args).status().unwrap().success());
        git(&["init", "-q"]);
        git(&["config", "user.name", "x"]);
        git(&["config", "user.email", "x@example.com"]);
        Self { home, program }
    }

    /// A copy of the program that everybody may run, if the one that was built is in a place nobody else may enter.
    pub(crate) fn reachable(home: &Home) -> PathBuf {
        let built = PathBuf::from(env!("CARGO_BIN_EXE_omp"));
        let open = built.ancestors().skip(1).all(|directory| {
            std::fs::metadata(directory).is_ok_and(|found| found.permissions().mode() & 0o001 != 0)
        });
        if open {
            return built;
        }
        let copy = home.path("omp");
        std::fs::copy(built, &copy).unwrap();
        copy
    }

    pub(crate) fn configure(&self, config: &str) {
        self.home.write(CONFIG, config);
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        as_nobody(&self.home, &self.program, args)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        run(self.command(args), Some(b""), LIMIT)
    }

    /// Every file with its content, but for what the program keeps for itself.
    fn tree(&self) -> Vec<(String, Vec<u8>)> {
        let own = |path: &String| {
            ["home/.omp/agent/", "tmp/", "home/.local"].iter().any(|start| path.starts_with(start))
        };
        let is_file = |path: &String| self.home.path(path).is_file();
        let files = self.home.list_files().into_iter().filter(|path| !own(path) && is_file(path));
        files.map(|path| (path.clone(), self.home.read_bytes(&path))).collect()
    }
}

/// The program as somebody without privileges runs it in a home, which is theirs from then on.
pub(crate) fn as_nobody(home: &Home, program: &Path, args: &[&str]) -> Command {
    let root = nix::unistd::geteuid().is_root();
    let mut command = match root {
        true => {
            give_away(home.root());
            let mut command = home.command("setpriv");
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
            command
        }
        false => home.command(program),
    };
    command.args(args);
    command
}

/// Everything below belongs to nobody from now on.
fn give_away(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in std::fs::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path());
        }
    }
}

/// Servers and processes outside of the sandbox.
struct Outside {
    port: u16,
    udp: u16,
    socket: PathBuf,
    name: String,
    other: Child,
    reached: Arc<AtomicUsize>,
}

impl Outside {
    fn new(home: &Home) -> Self {
        let reached = Arc::new(AtomicUsize::new(0));
        let tcp = TcpListener::bind("0.0.0.0:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let counter = Arc::clone(&reached);
        std::thread::spawn(move || {
            for client in tcp.incoming().flatten() {
                counter.fetch_add(1, Ordering::SeqCst);
                let mut client = client;
                let _ = client.set_read_timeout(Some(Duration::from_millis(200)));
                let _ = client.read(&mut [0; 1024]);
                let _ = client
                    .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\nConnection: close\r\n\r\nreached");
            }
        });
        let counter = Arc::clone(&reached);
        std::thread::spawn(move || {
            let mut buffer = [0; 64];
            while let Ok((length, from)) = udp.recv_from(&mut buffer) {
                counter.fetch_add(1, Ordering::SeqCst);
                let _ = udp.send_to(&buffer[..length], from);
            }
        });
        let socket = home.path("outside/socket");
        let listener = UnixListener::bind(&socket).unwrap();
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o777)).unwrap();
        let name = format!("omp-test-{}-{port}", std::process::id());
        let abstract_listener =
            UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for listener in [listener, abstract_listener] {
            let counter = Arc::clone(&reached);
            std::thread::spawn(move || {
                for _ in listener.incoming().flatten() {
                    counter.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let mut sleep = match nix::unistd::geteuid().is_root() {
            true => {
                let mut command = home.command("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sleep", "300"]);
                command
            }
            false => {
                let mut command = home.command("sleep");
                command.arg("300");
                command
            }
        };
        let other = sleep.spawn().unwrap();
        Self { port, udp: udp_port, socket, name, other, reached }
    }

    fn environment(&self, home: &Home) -> Vec<(&'static str, String)> {
        let path = |name: &str| home.path(name).display().to_string();
        vec![
            ("OUT", path("outside")),
            ("SECRET", path("home/.ssh/id_ed25519")),
            ("PORT", self.port.to_string()),
            ("UDP", self.udp.to_string()),
            ("SOCKET", self.socket.display().to_string()),
            ("ABSTRACT", self.name.clone()),
            ("OTHER", self.other.id().to_string()),
            ("ANTHROPIC_API_KEY", format!("CANARY-KEY-{}", self.port)),
        ]
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        let _ = self.other.kill();
        let _ = self.other.wait();
    }
}

/// The names of the cases and their scripts.
fn cases() -> Vec<(&'static str, &'static str)> {
    let blocks = CASES.split("\n=== ").skip(1);
    blocks.map(|block| block.split_once('\n').expect("a heading and a script")).collect()
}

/// Runs every case in one sandbox; the names of those that got out.
fn escaped(rung: &str) -> Vec<String> {
    let user = Unprivileged::new();
    user.configure(&format!("sandbox:\n  rung: {rung}\n  network: deny\n"));
    for (number, (_, script)) in cases().iter().enumerate() {
        user.home.write(format!("work/cases/{number:03}"), script);
    }
    let driver = r#"
OMP=$(p=$PPID; while [ "${p:-1}" -gt 1 ]; do
  n=$(awk '/^PPid:/{print $2}' /proc/$p/status 2>/dev/null)
  [ "$(cat /proc/$p/comm 2>/dev/null)" = scope-keeper ] && { echo $n; break; }; p=$n; done)
export OMP=${OMP:-4194300}
for case in cases/*; do
  echo "CASE ${case#cases/}"
  timeout 20 bash "$case" </dev/null 2>/dev/null
  find . -mindepth 1 -maxdepth 1 ! -name .git ! -name .omp ! -name cases ! -name driver -exec rm -rf {} + 2>/dev/null
done
echo FINISHED
"#;
    user.home.write("work/driver", driver);
    let outside = Outside::new(&user.home);
    let before = user.tree();
    let mut command = user.command(&["sandbox", "run", "--", "bash", "driver"]);
    command.envs(outside.environment(&user.home));
    let output = run(command, Some(b""), LIMIT);
    assert!(output.stdout.contains("FINISHED"), "{rung}: {}\n{}", output.stdout, output.stderr);
    let names = cases();
    let mut found = Vec::new();
    for part in output.stdout.split("CASE ").skip(1) {
        let number: usize = part[..3].parse().unwrap();
        if part.contains("ESCAPED") {
            found.push(names[number].0.to_owned());
        }
    }
    if rung != "landlock" {
        let changed: Vec<String> =
            user.tree().into_iter().filter(|file| !before.contains(file)).map(|file| file.0).collect();
        assert_eq!(changed, Vec::<String>::new(), "{rung}: files were changed");
        assert_eq!(outside.reached.load(Ordering::SeqCst), 0, "{rung}: somebody outside was reached");
    }
    found
}

/// What only a mount could prevent: SECURITY.md lists it.
const LANDLOCK_LETS_THROUGH: &[&str] = &[
    "write: extended attributes",
    "protected: hook",
    "protected: git configuration",
    "protected: git config command",
    "protected: rename over a file",
    "protected: hard link out and write",
    "protected: rename the hooks away",
    "protected: rename the whole repository away",
    "protected: delete the repository",
    "protected: exchange by renameat2",
    "protected: settings of omp in the project",
    "secret: through a hard link",
];

// proves: SEC-003, SEC-004, SEC-010
#[test]
fn nothing_gets_out_of_namespaces() {
    assert!(cases().len() >= 60);
    assert_eq!(escaped("namespaces"), Vec::<String>::new());
}

#[test]
fn nothing_gets_out_of_bubblewrap() {
    assert_eq!(escaped("bubblewrap"), Vec::<String>::new());
}

#[test]
fn landlock_alone_lets_through_what_it_says() {
    let unexpected: Vec<String> = escaped("landlock")
        .into_iter()
        .filter(|name| !LANDLOCK_LETS_THROUGH.contains(&name.as_str()))
        .collect();
    assert_eq!(unexpected, Vec::<String>::new());
}

/// Fifty ways to write, in plan mode.
// proves: SEC-001
#[test]
fn a_plan_changes_nothing_whatever_it_runs() {
    let user = Unprivileged::new();
    for (path, text) in [("work/a", "a\n"), ("work/b", "b\n"), ("work/d/e", "e\n")] {
        user.home.write(path, text);
    }
    let writers = "touch n|echo x > n|echo x >> a|rm a|rm -rf d|mv a n|cp a n|ln a n|ln -s a n|mkdir n|rmdir d|truncate -s 0 a|\
        tee n < a|dd if=a of=n|sed -i s/a/b/ a|perl -pi -e s/a/b/ a|sort -o a a|install a n|chmod 777 a|touch -d 2000-01-01 a|\
        git add a|git commit --allow-empty -m x|git checkout -b n|git stash|git config x.y z|git init n|git tag n|\
        tar cf n.tar a|gzip a|zip n.zip a|patch a < b|python3 -c \"open('n','w')\"|python3 -c \"import os;os.remove('a')\"|\
        node -e \"require('fs').writeFileSync('n','x')\"|perl -e 'open F,\">n\"'|awk 'BEGIN{print 1 > \"n\"}'|mkfifo n|\
        mknod n p|split a n|csplit a 1|shred -u a|unlink a|rsync a n|curl -o n file:///etc/passwd|find . -delete|\
        find . -exec touch n ;|xargs -I{} touch {} < b|env touch n|nohup touch n|bash -c 'touch n'|sh <<< 'touch n'|\
        cat a > n|printf x > n|: > a|exec 3> n|cp -r d n|mv d n|git rm -q a|git mv a n";
    let scripts: Vec<&str> = writers.split('|').map(str::trim).collect();
    assert!(scripts.len() >= 50);
    user.home.write("tmp/writers", scripts.join("\n"));
    let before = user.tree();
    let driver = format!(
        "while IFS= read -r line; do (eval \"$line\") </dev/null; done < {}; echo FINISHED",
        user.home.path("tmp/writers").display()
    );
    for rung in ["namespaces", "bubblewrap", "landlock"] {
        user.configure(&format!("sandbox:\n  rung: {rung}\n"));
        let output = user.run(&["sandbox", "run", "--plan", "--", "bash", "-c", &driver]);
        assert!(output.stdout.ends_with("FINISHED\n"), "{rung}: {output:?}");
        let times_and_modes = |path: &str| {
            let metadata = std::fs::metadata(user.home.path(path)).unwrap();
            (metadata.permissions().mode(), metadata.len())
        };
        assert_eq!(user.tree(), before, "{rung}");
        // Landlock knows nothing of modes and times; the other rungs do.
        if rung != "landlock" {
            assert_eq!(times_and_modes("work/a").0 & 0o777, 0o644, "{rung}");
        }
    }
}

fn bash(command: &str) -> Reply {
    Reply::new().tool_call("bash", json!({"_i": "x", "command": command}))
}

/// What the model reads about its calls, and the exit code.
fn results(user: &Unprivileged, config: &str, calls: &[&str]) -> (Vec<String>, Output) {
    let replies = calls.iter().map(|call| bash(call)).chain([Reply::new().text("done")]);
    let server = Server::start(replies.collect::<Vec<_>>());
    user.home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    user.configure(config);
    let output = user.run(&["-p", "go"]);
    let requests = server.requests();
    let body: Value = requests.last().unwrap().body.clone();
    let tools = body["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "tool");
    let text = tools.map(|message| message["content"].as_str().unwrap_or_default().to_owned()).collect();
    server.finish();
    (text, output)
}

/// A fresh home: what stays in the workspace runs, what leaves it is refused with a line and an exit code of its own.
// proves: SEC-002, SEC-050, SEC-031
#[test]
fn auto_keeps_commands_in_the_workspace() {
    for rung in ["namespaces", "bubblewrap"] {
        let user = Unprivileged::new();
        let outside = user.home.path("outside");
        let out = outside.display();
        let config = format!("sandbox:\n  rung: {rung}\n");
        let calls = [
            "echo inside > inside.txt".to_owned(),
            format!("echo x > {out}/new"),
            format!("python3 -c \"open('{out}/new','w')\""),
            format!("ln -s {out} link && python3 -c \"open('link/new','w')\""),
            "python3 -c \"open('../new','w')\"".to_owned(),
        ];
        let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
        let (said, output) = results(&user, &config, &calls);
        assert!(user.home.exists("work/inside.txt"), "{rung}: {said:?}");
        assert!(!user.home.exists("outside/new") && !user.home.exists("new"), "{rung}: {said:?}");
        assert_eq!(output.code, Some(3), "{rung}: {output:?}");
        assert!(said[1].contains("outside the workspace"), "{rung}: {}", said[1]);
        assert!(said[2].contains("The sandbox blocked writing"), "{rung}: {}", said[2]);
        assert!(
            output.stderr.contains("Not run, because it needs approval: bash: echo x >"),
            "{}",
            output.stderr
        );
    }
    // Without a full rung it is the mode write: commands are asked about, and here nobody can be.
    for config in ["sandbox:\n  rung: landlock\n", "sandbox:\n  rung: none\n", "sandbox:\n  mode: off\n"] {
        let user = Unprivileged::new();
        let (said, output) = results(&user, config, &["python3 -c \"open('new','w')\""]);
        assert!(!user.home.exists("work/new") && output.code == Some(3), "{config}: {said:?}");
    }
}

/// In the stricter modes as well: what runs without a question is confined.
#[test]
fn the_stricter_modes_confine_what_they_let_run() {
    for mode in ["write", "always-ask"] {
        let user = Unprivileged::new();
        let out = user.home.path("outside");
        let config = format!("tools:\n  approvalMode: {mode}\n  approval:\n    bash: allow\n");
        let call = format!("echo in > in.txt; python3 -c \"open('{}/new','w')\"", out.display());
        let (said, _) = results(&user, &config, &[&call]);
        assert!(user.home.exists("work/in.txt") && !user.home.exists("outside/new"), "{mode}: {said:?}");
    }
    let user = Unprivileged::new();
    let out = user.home.path("outside");
    let call = format!("echo x > {}/new", out.display());
    results(&user, "tools:\n  approvalMode: yolo\n", &[&call]);
    assert!(user.home.exists("outside/new"), "yolo is what it says");
}

/// What holds is said, on every rung.
// proves: SEC-006, SEC-007
#[test]
fn each_rung_says_what_it_holds() {
    for (rung, full, words) in [
        ("namespaces", true, "namespaces"),
        ("bubblewrap", true, "by bubblewrap"),
        ("landlock", false, "by Landlock"),
        ("none", false, "none: no sandbox is available on this system"),
    ] {
        let user = Unprivileged::new();
        user.configure(&format!("sandbox:\n  rung: {rung}\n"));
        let output = user.run(&["sandbox", "status", "--json"]);
        let status: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!((status["rung"].as_str(), status["full"].as_bool()), (Some(rung), Some(full)));
        assert!(status["held"].as_str().unwrap().contains(words), "{status}");
        assert_eq!(status["missing"].as_array().unwrap().is_empty(), rung == "namespaces", "{status}");
        user.configure(&format!("sandbox:\n  rung: {rung}\n  mode: required\n"));
        let output = user.run(&["sandbox", "run", "--", "touch", "ran"]);
        assert_eq!(
            (output.code == Some(0), user.home.exists("work/ran")),
            (full, full),
            "{rung}: {output:?}"
        );
    }
}

/// Each command's result says what held for it.
#[test]
fn results_say_what_held() {
    let user = Unprivileged::new();
    let server = Server::start([bash("true"), Reply::new().text("done")]);
    user.home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let output = user.run(&["--mode", "json", "go"]);
    let lines: Vec<Value> =
        output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let held = lines.iter().find_map(|line| line.pointer("/result/details/sandbox")?.as_str());
    assert!(
        held.is_some_and(|held| held.starts_with("writes: workspace · network: by host · by ")),
        "{held:?}"
    );
    server.finish();
}

/// Hosts that are listed are reached through the proxy; others, and everything that does not ask it, are not.
// proves: SEC-005
#[test]
fn only_listed_hosts_are_reached() {
    let user = Unprivileged::new();
    let outside = Outside::new(&user.home);
    let fetch = |host: &str| {
        let script = "import os,sys,urllib.request as u; print(u.urlopen('http://%s:%s/' % (sys.argv[1], sys.argv[2]), timeout=10).read().decode())";
        user.run(&["sandbox", "run", "--", "python3", "-c", script, host, &outside.port.to_string()])
    };
    user.configure("sandbox:\n  network: deny\n  allowedHosts: [127.0.0.2]\n");
    let listed = fetch("127.0.0.2");
    assert!(listed.stdout.contains("reached"), "{listed:?}");
    assert_eq!(outside.reached.swap(0, Ordering::SeqCst), 1);
    for host in ["127.0.0.3", "127.0.0.1", "localhost"] {
        let refused = fetch(host);
        assert!(!refused.stdout.contains("reached"), "{host}: {refused:?}");
    }
    assert_eq!(outside.reached.load(Ordering::SeqCst), 0);
    user.configure("sandbox:\n  network: allow\n");
    assert!(fetch("127.0.0.3").stdout.contains("reached"), "allow is everything");
}

/// Shells of every kind, terminals apart (they need a person to look at them), and jobs.
// proves: SEC-009
#[test]
fn shells_and_jobs_are_confined_alike() {
    for shell in ["bash", "sh", "embedded"] {
        let user = Unprivileged::new();
        let path = match shell {
            "embedded" => "embedded".to_owned(),
            shell => format!("/bin/{shell}"),
        };
        let config = format!("shellPath: {path}\n");
        let out = user.home.path("outside");
        let call = format!(
            "echo in > in.txt; cat \"$HOME\"/.ssh/id_ed25519; (echo x > {0}/new; touch {0}/other)",
            out.display()
        );
        let config = format!("{config}tools:\n  approval:\n    bash: allow\n  approvalMode: write\n");
        let (said, _) = results(&user, &config, &[&call]);
        assert!(user.home.exists("work/in.txt"), "{shell}: {said:?}");
        assert!(!user.home.exists("outside/new") && !user.home.exists("outside/other"), "{shell}: {said:?}");
        assert!(!said[0].contains("CANARY"), "{shell}: {said:?}");
    }
    let user = Unprivileged::new();
    let out = user.home.path("outside");
    let command = format!("echo in > in.txt; python3 -c \"open('{}/new','w')\"", out.display());
    let job = Reply::new().tool_call("bash", json!({"_i": "x", "command": command, "async": true}));
    let server = Server::start([job, Reply::new().text("started"), Reply::new().text("done")]);
    user.home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    user.configure("async:\n  enabled: true\n");
    let output = user.run(&["-p", "go"]);
    assert!(user.home.exists("work/in.txt") && !user.home.exists("outside/new"), "{output:?}");
}

/// The process of omp gives nothing away, and its children have no key in their environment.
// proves: SEC-043
#[test]
fn nobody_looks_into_the_process() {
    let user = Unprivileged::new();
    let call = "(for p in $(ls /proc | grep -E '^[0-9]+$'); do tr '\\0' '\\n' < /proc/$p/environ; done) 2>/dev/null | grep -c CANARY-KEY-$TAIL; env | grep -c CANARY-KEY-$TAIL";
    let server = Server::start([bash(call), Reply::new().text("done")]);
    user.home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    user.configure("tools:\n  approvalMode: yolo\n");
    let mut command = user.command(&["-p", "go"]);
    // Other tests have keys of their own.
    let tail = std::process::id().to_string();
    command.env("ANTHROPIC_API_KEY", format!("CANARY-KEY-{tail}")).env("TAIL", tail);
    run(command, Some(b""), LIMIT);
    let body = server.requests()[1].body.clone();
    let tool = body["messages"].as_array().unwrap().iter().find(|message| message["role"] == "tool").unwrap();
    assert!(tool["content"].as_str().unwrap().contains("0\n0"), "{tool}");
    server.finish();
}

/// A repository that was made to run something when it is looked at.
// proves: SEC-016
#[test]
fn a_hostile_repository_runs_nothing() {
    let user = Unprivileged::new();
    let trap = user
        .home
        .write("work/trap", format!("#!/bin/sh\ntouch {}\n", user.home.path("tmp/sprung").display()));
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let git = |args: &[&str]| assert!(user.home.command("git").args(args).status().unwrap().success());
    for name in ["core.fsmonitor", "core.pager"] {
        git(&["config", name, &trap.display().to_string()]);
    }
    // A bare repository inside, which git would take for one when it stands in it.
    git(&["init", "-q", "--bare", "inner"]);
    let inner = user.home.path("work/inner");
    git(&["-C", inner.to_str().unwrap(), "config", "core.fsmonitor", &trap.display().to_string()]);
    git(&["-C", inner.to_str().unwrap(), "config", "core.bare", "false"]);
    git(&["-C", inner.to_str().unwrap(), "config", "core.worktree", inner.to_str().unwrap()]);
    let _ = std::fs::remove_file(user.home.path("tmp/sprung"));
    // Confined or not: where nothing confines commands, what is judged to read runs all the same.
    for config in ["", "sandbox:\n  mode: off\ntools:\n  approval:\n    bash: allow\n"] {
        let commands = ["git status", "git diff", "git log -1 --oneline", "cd inner && git status"];
        results(&user, config, &commands);
        assert!(!user.home.exists("tmp/sprung"), "{config}");
    }
}

/// Variables that make other programs of the ones that are named are refused outside of yolo.
// proves: SEC-025
#[test]
fn risky_variables_are_refused() {
    for name in ["LD_PRELOAD", "PATH", "BASH_ENV", "GIT_PAGER", "PAGER", "EDITOR", "ENV", "GIT_SSH_COMMAND"] {
        let user = Unprivileged::new();
        let call =
            Reply::new().tool_call("bash", json!({"_i": "x", "command": "touch ran", "env": {name: "./x"}}));
        let server = Server::start([call, Reply::new().text("done")]);
        user.home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
        user.configure("tools:\n  approval:\n    bash: allow\n");
        user.run(&["-p", "go"]);
        assert!(!user.home.exists("work/ran"), "{name}");
        let body = server.requests()[1].body.to_string();
        assert!(body.contains(&format!("The variable {name} decides which programs run")), "{name}: {body}");
        server.finish();
    }
}

/// What can confine commands is looked up with the first of them, and remembered until the next boot.
// proves: SEC-011
#[test]
fn the_rung_is_remembered() {
    let user = Unprivileged::new();
    let memory = user.home.path("home/.omp/agent/sandbox-rung");
    let (_, output) = results(&user, "", &[]);
    assert!(!memory.exists(), "nothing is looked up without a command: {output:?}");
    results(&user, "", &["true"]);
    let text = std::fs::read_to_string(&memory).unwrap_or_default();
    assert!(text.ends_with("namespaces\n") || text.ends_with("bubblewrap\n"), "{text}");
    std::fs::write(&memory, text.replace("namespaces", "landlock").replace("bubblewrap", "landlock"))
        .unwrap();
    let status = user.run(&["sandbox", "status", "--json"]).stdout;
    assert!(status.contains("\"rung\": \"landlock\""), "what is written there is believed: {status}");
    std::fs::write(&memory, "another boot\nlandlock\n").unwrap();
    let status = user.run(&["sandbox", "status", "--json"]).stdout;
    assert!(!status.contains("\"rung\": \"landlock\""), "but not after a boot: {status}");
}
