//! How long the file tools take, beside ripgrep and fd on the same questions.
//!
//! `bench/files [TREE]` builds this in release and runs it. TREE is the directory to search; the cargo registry's
//! sources unless it is named. What a machine does not have (`rg`, `fd`) is left out of the table. `--only PART` runs
//! one part alone: search, edit, summary, huge, or crowd, which is left out otherwise unless `--crowd` asks for it.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a table, beside programs that are not ours"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_agent::{Invocation, Tool, ToolError, Updates};
use omp_shell::{Environment, Scope};
use omp_tools::{Context, builtin};
use omp_types::{ToolOutput, UserBlock};
use serde_json::{Value, json};

const RUNS: usize = 7;

struct Bench {
    tools: Vec<Arc<dyn Tool>>,
    runtime: tokio::runtime::Runtime,
}

impl Bench {
    fn new(cwd: &Path) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let environment: Environment = [("PATH", path)].into_iter().collect();
        let mut context = Context::new(cwd.to_owned(), None, Arc::new(Scope::new()), environment);
        context.settings.edit.active = true;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { tools: builtin(&Arc::new(context)), runtime }
    }

    fn call(&self, name: &str, arguments: &Value) -> Result<ToolOutput, ToolError> {
        let tool = self.tools.iter().find(|tool| tool.definition().name == name).expect("a built-in tool");
        let arguments = arguments.as_object().expect("an object").clone();
        let call = Invocation {
            id: "call".to_owned(),
            arguments,
            cancel: Default::default(),
            updates: Updates::ignored(),
        };
        self.runtime.block_on(tool.run(call))
    }

    fn text(&self, name: &str, arguments: &Value) -> String {
        match self.call(name, arguments) {
            Ok(output) => output.content.iter().filter_map(UserBlock::as_text).collect(),
            Err(error) => error.message,
        }
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// Ours and the peer's, taking turns so that both see the same machine.
fn compare(label: &str, ours: impl Fn(), peer: Option<&dyn Fn()>) {
    ours();
    let (mut mine, mut theirs) = (Vec::new(), Vec::new());
    if let Some(peer) = peer {
        peer();
    }
    for _ in 0..RUNS {
        mine.push(timed(&ours));
        theirs.extend(peer.map(timed));
    }
    let mine = median(mine);
    match theirs.is_empty() {
        true => println!("{label:<44} {:>9.2} ms", millis(mine)),
        false => {
            let theirs = median(theirs);
            let ratio = mine.as_secs_f64() / theirs.as_secs_f64();
            println!("{label:<44} {:>9.2} ms {:>9.2} ms {ratio:>6.2} x", millis(mine), millis(theirs));
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The first of these programs that is there.
fn program(names: &[&'static str]) -> Option<&'static str> {
    let runs = |name: &&&str| {
        let version =
            Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    };
    names.iter().find(runs).copied()
}

fn run(program: &str, arguments: &[&str], cwd: &Path) {
    let output = Command::new(program).args(arguments).current_dir(cwd).stdin(Stdio::null()).output();
    output.expect("the peer runs");
}

fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown").to_owned()
}

/// Forgets the peak so far, so that the next one is about what follows.
fn forget_peak() {
    let _unknown_system = std::fs::write("/proc/self/clear_refs", "5");
}

fn searches(tree: &Path) {
    let bench = Bench::new(tree);
    let rg = program(&["rg"]);
    let patterns = ["unlikely_name_of_nothing", r"fn\s+poll_\w+_closed\(", "(?i)deprecated since 0\\.9"];
    for pattern in patterns {
        let arguments = json!({"pattern": pattern, "paths": ["."]});
        let peer = rg.map(|rg| {
            move || {
                run(
                    rg,
                    &["--hidden", "--no-require-git", "--glob", "!.git", "-n", "-B1", "-A3", pattern, "."],
                    tree,
                );
            }
        });
        let peer = peer.as_ref().map(|peer| peer as &dyn Fn());
        compare(&format!("search {pattern}"), || drop(bench.call("search", &arguments)), peer);
    }
    println!("after the searches: {}", peak_memory());
    let fd = program(&["fd", "fdfind"]);
    for (glob, limit) in [("**/nothing_is_called_this.rs", 200), ("**/build.rs", 200)] {
        let arguments = json!({"paths": [glob], "limit": limit, "timeout": 60});
        let name = glob.trim_start_matches("**/");
        let peer = fd.map(|fd| move || run(fd, &["--hidden", "--no-require-git", "--glob", name], tree));
        let old = fd.map(|fd| move || run(fd, &["--hidden", "--glob", name], tree));
        // Older releases of fd do not know the switch, and need none outside of repositories.
        let knows = fd.is_some_and(|fd| {
            let help = Command::new(fd).arg("--help").output();
            help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("no-require-git"))
        });
        let peer = match knows {
            true => peer.as_ref().map(|peer| peer as &dyn Fn()),
            false => old.as_ref().map(|old| old as &dyn Fn()),
        };
        compare(&format!("find {glob}"), || drop(bench.call("find", &arguments)), peer);
    }
}

fn edits(directory: &Path) {
    let text: String = (0..10_000).map(|line| format!("    let value_{line} = compute({line});\n")).collect();
    let file = directory.join("long.rs");
    std::fs::write(&file, text).expect("the file is written");
    let bench = Bench::new(directory);
    let header = |text: &str| text.lines().find(|line| line.starts_with('[')).unwrap_or_default().to_owned();
    let mut tag = header(&bench.text("read", &json!({"path": "long.rs:1-3"})));
    let (mut times, mut disk) = (Vec::new(), Vec::new());
    for round in 0..RUNS * 3 {
        let input = format!("{tag}\nSWAP 5000.=5000:\n+    let value = {round};");
        let mut answer = String::new();
        times.push(timed(|| answer = bench.text("edit", &json!({"input": input}))));
        disk.push(timed(|| replace(directory, &file)));
        let next = header(&answer);
        assert!(next.starts_with("[long.rs#"), "{answer}");
        tag = next;
    }
    let (all, disk) = (median(times), median(disk));
    println!(
        "{:<44} {:>9.2} ms {:>9.2} ms {:>6.2} x",
        "edit one of 10,000 lines, chained (disk)",
        millis(all),
        millis(disk),
        all.as_secs_f64() / disk.as_secs_f64()
    );
}

/// What the disk alone takes: the same bytes under another name, flushed, and the old file replaced by them.
fn replace(directory: &Path, file: &Path) {
    let bytes = std::fs::read(file).expect("the file is read");
    let (other, new) = (directory.join("other"), directory.join("new"));
    let mut out = std::fs::File::create(&new).expect("a file is created");
    std::io::Write::write_all(&mut out, &bytes).expect("there is room");
    out.sync_all().expect("the disk takes it");
    std::fs::rename(&new, &other).expect("the file is renamed");
}

fn huge(directory: &Path) {
    let file = directory.join("huge.txt");
    let line = format!("{}\n", "x".repeat(99));
    let block = line.repeat(10_000);
    let mut out = std::fs::File::create(&file).expect("the file is created");
    for _ in 0..1074 {
        std::io::Write::write_all(&mut out, block.as_bytes()).expect("there is room for 1 GB");
    }
    drop(out);
    // What may still change is not remembered.
    std::thread::sleep(Duration::from_secs(4));
    let bench = Bench::new(directory);
    forget_peak();
    for (label, first, last) in [("the start", 100, 400), ("the end", 10_739_000, 10_739_300)] {
        let arguments = json!({"path": format!("huge.txt:{first}-{last}")});
        assert!(bench.text("read", &arguments).contains("xxx"));
        let script = format!("{first},{last}p;{last}q");
        for peer in [&["wc", "-l", "huge.txt"][..], &["sed", "-n", &script, "huge.txt"]] {
            compare(
                &format!("read 300 lines of 1 GB, near {label} ({})", peer[0]),
                || drop(Bench::new(directory).call("read", &arguments)),
                Some(&|| run(peer[0], &peer[1..], directory)),
            );
        }
        compare("  again in the same session", || drop(bench.call("read", &arguments)), None);
    }
    println!("after the reads: {}", peak_memory());
    std::fs::remove_file(&file).expect("the file is removed");
}

fn summary(directory: &Path) {
    let function = |at: usize| {
        let body: String = (0..17).map(|line| format!("    let v{line} = {at} + {line};\n")).collect();
        format!("/// Number {at}.\npub fn function_{at}(x: u64) -> u64 {{\n{body}}}\n\n")
    };
    let text: String = (0..238).map(function).collect();
    std::fs::write(directory.join("code.rs"), text).expect("the file is written");
    let bench = Bench::new(directory);
    let arguments = json!({"path": "code.rs"});
    compare("read, summary of 5,000 lines of Rust", || drop(bench.call("read", &arguments)), None);
}

fn crowd(directory: &Path) {
    let place = directory.join("crowd");
    std::fs::create_dir(&place).expect("the directory is created");
    for at in 0..1_000_000 {
        std::fs::File::create(place.join(format!("entry-{at:07}"))).expect("an entry is created");
    }
    let bench = Bench::new(directory);
    let listing = json!({"path": "crowd"});
    compare("read a directory of 1,000,000 entries", || drop(bench.call("read", &listing)), None);
    let find = json!({"paths": ["crowd/*99"]});
    forget_peak();
    compare("find in it", || drop(bench.call("find", &find)), None);
    println!("while finding: {}", peak_memory());
    forget_peak();
    let search = json!({"pattern": "nothing at all", "paths": ["crowd"]});
    let rg = program(&["rg"]).map(|rg| move || run(rg, &["--hidden", "nothing at all", "crowd"], directory));
    compare("search in it", || drop(bench.call("search", &search)), rg.as_ref().map(|rg| rg as &dyn Fn()));
    println!("while searching: {}", peak_memory());
    std::fs::remove_dir_all(&place).expect("the directory is removed");
}

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let (mut tree, mut only, mut with_crowd) = (None, None, false);
    while let Some(argument) = arguments.next() {
        match argument.to_str() {
            Some("--crowd") => with_crowd = true,
            Some("--only") => only = arguments.next().map(|part| part.to_string_lossy().into_owned()),
            _ => tree = Some(PathBuf::from(argument)),
        }
    }
    let tree = tree.or_else(|| {
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
        home.map(|home| home.join("registry/src"))
    });
    println!("{:<44} {:>12} {:>12}", "", "ours", "the other");
    let wants = |part: &str| only.as_deref().map_or(part != "crowd" || with_crowd, |only| only == part);
    if let Some(tree) = tree.filter(|tree| tree.is_dir() && wants("search")) {
        searches(&tree);
    }
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (part, run) in [("edit", edits as fn(&Path)), ("summary", summary), ("huge", huge), ("crowd", crowd)]
    {
        if wants(part) {
            run(directory.path());
        }
    }
}
