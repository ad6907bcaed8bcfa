//! What it costs to keep what a command is about to delete, against the deletion and against a plain copy:
//! `cargo run --release -p omp-history --example deletion_speed`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use omp_history::{History, Options};
use omp_shell::scope::{Program, Stdio};
use omp_shell::{Environment, Scope};

const RUNS: usize = 9;

/// Files and the bytes in each.
const TREES: [(&str, usize, usize); 4] = [
    ("one file, 4 kB", 1, 4 << 10),
    ("100 files, 8 kB each", 100, 8 << 10),
    ("1,900 files, 8 kB each", 1900, 8 << 10),
    ("60 files, 1 MB each", 60, 1 << 20),
];

fn fill(tree: &Path, files: usize, bytes: usize) -> std::io::Result<()> {
    std::fs::create_dir_all(tree)?;
    for number in 0..files {
        let folder = tree.join(format!("d{}", number / 50));
        std::fs::create_dir_all(&folder)?;
        let line =
            format!("let value_{number} = compute(source, {number}); // a line as programs have them\n");
        let text: String = line.chars().cycle().take(bytes).collect();
        std::fs::write(folder.join(format!("f{number}.rs")), text)?;
    }
    Ok(())
}

async fn run(scope: &Scope, path: &str, words: &[&Path]) -> Duration {
    let arguments = std::iter::once("-r".into()).chain(words.iter().map(Into::into)).collect();
    let (cwd, environment) = (std::env::temp_dir(), Environment::inherited());
    let (stdin, stdout, stderr) = (Stdio::Null, Stdio::Null, Stdio::Null);
    let program = Program { path: path.into(), arguments, cwd, environment, stdin, stdout, stderr };
    let begun = Instant::now();
    if let Ok(mut child) = scope.spawn(program) {
        child.wait().await;
    }
    begun.elapsed()
}

/// The middle of copying, keeping and deleting a tree.
async fn measure(base: &Path, files: usize, bytes: usize) -> std::io::Result<[Duration; 3]> {
    let scope = Scope::new();
    let mut times = [const { Vec::new() }; 3];
    for number in 0..RUNS {
        let work = base.join(format!("{files}-{bytes}-{number}"));
        let tree = work.join("tree");
        fill(&tree, files, bytes)?;
        times[0].push(run(&scope, "cp", &[&tree, &work.join("copy")]).await);
        let history = History::new(Options {
            directory: work.join("store"),
            cwd: work.clone(),
            environment: Environment::inherited(),
            is_trusted: Arc::new(|| true),
            largest_file: 5 << 20,
            most_bytes: 512 << 20,
        });
        history.begin("prompt");
        history.before_change().await;
        let begun = Instant::now();
        history.declare_doomed(std::slice::from_ref(&tree));
        times[1].push(begun.elapsed());
        times[2].push(run(&scope, "rm", &[&tree]).await);
        history.settle();
        let _ = std::fs::remove_dir_all(&work); // What settles in the background may still write.
    }
    Ok(times.map(|mut times| {
        times.sort();
        times[RUNS / 2]
    }))
}

#[tokio::main]
#[allow(clippy::print_stdout, reason = "a measurement is printed")]
async fn main() -> std::io::Result<()> {
    let directory = tempfile::tempdir()?;
    let base: PathBuf = directory.path().canonicalize()?;
    println!("{:26} {:>9} {:>9} {:>9}   keep : copy", "", "copy ms", "keep ms", "rm ms");
    for (name, files, bytes) in TREES {
        let [copy, keep, delete] = measure(&base, files, bytes).await?;
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let ratio = ms(keep) / ms(copy);
        println!("{name:26} {:9.2} {:9.2} {:9.2}   {ratio:.2}", ms(copy), ms(keep), ms(delete));
    }
    Ok(())
}
