//! What this machine can enforce.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_sandbox::{Confinement, Network, Policy, Rung, boot_id, landlock_abi};
use omp_shell::{Confined, Environment, Exit, Program, Scope, Stdio};

/// `sandbox.rung`: the best there is, or a certain one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    #[default]
    Best,
    Namespaces,
    Bubblewrap,
    Landlock,
    None,
}

impl Choice {
    /// The choice of a word in the settings. One that nobody knows is the best there is: it must not weaken anything.
    pub fn from_word(word: &str) -> Self {
        match word {
            "namespaces" => Self::Namespaces,
            "bubblewrap" => Self::Bubblewrap,
            "landlock" => Self::Landlock,
            "none" => Self::None,
            _ => Self::Best,
        }
    }
}

/// Bubblewrap is a program of its own and may take a moment.
const PATIENCE: Duration = Duration::from_secs(5);

/// The rung for this session. What was found is remembered until the next boot.
pub(super) async fn rung(
    scope: &Scope,
    environment: &Environment,
    choice: Choice,
    memory: Option<&Path>,
) -> Rung {
    let stamp = stamp();
    if choice == Choice::Best
        && let Some(known) = memory.and_then(|file| recall(file, &stamp))
    {
        return known;
    }
    let found = look(scope, environment, choice).await;
    if let Some(file) = memory.filter(|_| choice == Choice::Best) {
        // Costs another look next time.
        let _ = remember(file, &format!("{stamp}\n{}\n", found.word()));
    }
    found
}

async fn look(scope: &Scope, environment: &Environment, choice: Choice) -> Rung {
    let abi = landlock_abi();
    let wanted = |rung: Choice| choice == Choice::Best || choice == rung;
    let namespaces = Rung::Namespaces { landlock: abi };
    if wanted(Choice::Namespaces) && works(scope, namespaces) {
        return namespaces;
    }
    if wanted(Choice::Bubblewrap) && wraps(scope, environment).await {
        return Rung::Bubblewrap;
    }
    let landlock = Rung::Landlock { abi };
    if wanted(Choice::Landlock) && abi > 0 && works(scope, landlock) {
        return landlock;
    }
    Rung::None
}

/// A policy with something of everything.
fn example() -> Policy {
    let temporary = std::env::temp_dir();
    Policy { writable: vec![temporary], network: Network::Filtered, ..Policy::default() }
}

fn works(scope: &Scope, rung: Rung) -> bool {
    scope.probe(&Confinement::new(example(), rung)).is_ok()
}

async fn wraps(scope: &Scope, environment: &Environment) -> bool {
    let program = Program {
        path: PathBuf::from("true"),
        arguments: Vec::new(),
        cwd: PathBuf::from("/"),
        environment: environment.clone(),
        stdin: Stdio::Null,
        stdout: Stdio::Null,
        stderr: Stdio::Null,
    };
    let confinement = Confinement::new(example(), Rung::Bubblewrap);
    let Ok(mut child) = scope.spawn_confined(program, &Confined { confinement, hosts: None }) else {
        return false;
    };
    let exit = tokio::time::timeout(PATIENCE, child.wait()).await;
    exit.is_ok_and(|exit| exit == Exit::Exited(0))
}

/// Changes with every boot, with the user and with this program.
fn stamp() -> String {
    format!("{} {} {}", boot_id(), nix::unistd::geteuid(), env!("CARGO_PKG_VERSION"))
}

fn remember(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600).open(file)?.write_all(text.as_bytes())
}

fn recall(file: &Path, stamp: &str) -> Option<Rung> {
    let text = std::fs::read_to_string(file).ok()?;
    let (written, word) = text.trim_end().split_once('\n')?;
    if written != stamp {
        return None;
    }
    let abi = landlock_abi();
    match word {
        "namespaces" => Some(Rung::Namespaces { landlock: abi }),
        "bubblewrap" => Some(Rung::Bubblewrap),
        "landlock" => Some(Rung::Landlock { abi }),
        // Somebody may have installed or allowed something.
        _ => None,
    }
}
