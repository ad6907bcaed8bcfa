//! Commands that cannot be undone.

use std::path::{Path, PathBuf};

use brush_parser::ast::{
    AndOrList, Command, CompoundCommand, CompoundList, FunctionDefinition, Pipeline, SeparatorOperator,
};

use super::delete;
use super::path::Target;
use super::simple::Call;
use super::word::Text;
use crate::effects::{Effects, Scene, evaluate};

const ACCOUNTS: &str = "Changes system accounts or permissions";
const DISK: &str = "Formats a disk or writes to it directly";
const SHUTDOWN: &str = "Shuts down or restarts the machine";
const OVERWRITES: &str = "Overwrites or deletes a file known only at run time";
const DATA: &str = "Deletes data of a service, a container or a database";
const BOMB: &str = "Starts endless copies of itself (fork bomb)";

/// Why this call is dangerous, if it is.
pub(super) fn reason(call: &Call<'_>) -> Option<&'static str> {
    // Behind other arguments not every program takes it for a question.
    if let [only] = call.arguments()
        && matches!(only.known(), Some("--help" | "--version"))
    {
        return None;
    }
    delete::reason(call)
        .or_else(|| changed_files(call))
        .or_else(|| disks(call))
        .or_else(|| shutdown(call))
        .or_else(|| databases(call))
        .or_else(|| by_table(call))
}

/// Places of which something would be gone.
pub(super) fn at_stake(call: &Call<'_>) -> Vec<PathBuf> {
    match call.program() {
        "rm" | "find" => delete::places(call),
        "shred" | "truncate" | "dd" | "rsync" | "unlink" => {
            effects(call).destroys.into_iter().filter_map(|target| target.real).collect()
        }
        _ => Vec::new(),
    }
}

fn effects(call: &Call<'_>) -> Effects {
    let words: Vec<_> = call.words.iter().map(Text::word).collect();
    let scene = Scene { cwds: call.cwd.map(|cwd| vec![cwd.clone()]), place: call.place, depth: 0 };
    evaluate(&words, &scene).effects
}

/// What the table of effects says about the call.
fn by_table(call: &Call<'_>) -> Option<&'static str> {
    let effects = effects(call);
    // Single files that a variable names are deleted all the time.
    let counts = call.program() != "rm";
    let uncertain = counts && effects.destroys.iter().any(|target| target.path.is_none());
    let unread = matches!(call.program(), "shred" | "truncate") && effects.unknown.is_some();
    effects.irreversible.or_else(|| (uncertain || unread).then_some(OVERWRITES))
}

/// Statements that delete a database or all rows of a table.
fn databases(call: &Call<'_>) -> Option<&'static str> {
    const CLIENTS: &[&str] = &[
        "psql",
        "mysql",
        "mariadb",
        "sqlite3",
        "redis-cli",
        "mongosh",
        "mongo",
        "duckdb",
        "cqlsh",
        "clickhouse-client",
    ];
    const STATEMENTS: &[&str] = &[
        "drop database",
        "drop table",
        "drop schema",
        "drop keyspace",
        "truncate ",
        "flushall",
        "flushdb",
        "dropdatabase(",
        ".drop(",
    ];
    if !CLIENTS.contains(&call.program()) {
        return None;
    }
    let deletes = |word: &str| {
        let lower = word.to_lowercase();
        STATEMENTS.iter().any(|statement| lower.contains(statement))
            || lower.contains("delete from") && !lower.contains("where")
    };
    call.known().any(deletes).then_some(DATA)
}

/// What writing to a place means.
pub(super) fn written(target: &Target) -> Option<&'static str> {
    target.names().into_iter().find_map(|path| {
        if is_account_file(path) {
            Some(ACCOUNTS)
        } else if is_disk(path) {
            Some(DISK)
        } else if path == Path::new("/proc/sysrq-trigger") {
            Some(SHUTDOWN)
        } else {
            None
        }
    })
}

fn is_account_file(path: &Path) -> bool {
    let files = ["/etc/passwd", "/etc/shadow", "/etc/gshadow", "/etc/group", "/etc/sudoers"];
    files.iter().any(|file| path == Path::new(file)) || path.starts_with("/etc/sudoers.d")
}

/// A device that holds file systems.
fn is_disk(path: &Path) -> bool {
    let Ok(device) = path.strip_prefix("/dev") else { return false };
    let name = device.to_string_lossy();
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    let lettered = |prefix: &str| {
        name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_lowercase()))
    };
    ["sd", "hd", "vd", "xvd"].into_iter().any(lettered)
        || ["nvme", "mmcblk", "md", "dm-", "disk", "rdisk"].into_iter().any(numbered)
        || name.starts_with("mapper/")
        || name.starts_with("disk/")
}

/// Files that a program changes, as far as its arguments name them.
fn changed_files(call: &Call<'_>) -> Option<&'static str> {
    let arguments = call.arguments();
    let all = || arguments.iter().collect::<Vec<_>>();
    let changed: Vec<&Text> = match call.program() {
        "tee" | "truncate" | "shred" | "rm" | "unlink" | "sponge" => all(),
        "cp" | "mv" | "install" | "ln" | "rsync" => arguments.last().into_iter().collect(),
        "sed" | "perl" if call.known().any(edits_in_place) => all(),
        "dd" => Vec::new(),
        _ => return None,
    };
    let output = call.known().filter_map(|word| word.strip_prefix("of=")).map(Text::literal);
    let output: Vec<Text> = if call.program() == "dd" { output.collect() } else { Vec::new() };
    changed.into_iter().chain(&output).find_map(|word| written(&call.target(word)?))
}

fn edits_in_place(word: &str) -> bool {
    word.starts_with("--in-place") || (word.starts_with('-') && !word.starts_with("--") && word.contains('i'))
}

fn disks(call: &Call<'_>) -> Option<&'static str> {
    let names_disk =
        || call.arguments().iter().any(|word| call.target(word).is_some_and(|t| written(&t) == Some(DISK)));
    let unknown = || call.arguments().iter().any(|word| word.known().is_none());
    let hit = match call.program() {
        program if program == "mkfs" || program.starts_with("mkfs.") => names_disk() || unknown(),
        "mkswap" | "wipefs" | "blkdiscard" | "newfs" | "hdparm" => names_disk(),
        "fdisk" | "sfdisk" | "gdisk" | "sgdisk" | "parted" | "cfdisk" => {
            names_disk() && !call.known().any(|word| matches!(word, "-l" | "--list" | "-p" | "print" | "-d"))
        }
        "diskutil" => {
            call.known().next().is_some_and(|verb| verb.starts_with("erase") || verb == "partitionDisk")
        }
        _ => false,
    };
    hit.then_some(DISK)
}

fn shutdown(call: &Call<'_>) -> Option<&'static str> {
    let first = || call.known().find(|word| !word.starts_with('-'));
    let hit = match call.program() {
        "shutdown" => !call.known().any(|word| matches!(word, "-c" | "--show")),
        "reboot" | "halt" | "poweroff" => true,
        "init" | "telinit" => matches!(first(), Some("0" | "6")),
        "systemctl" | "loginctl" => {
            matches!(first(), Some("reboot" | "poweroff" | "halt" | "kexec" | "soft-reboot"))
        }
        _ => false,
    };
    hit.then_some(SHUTDOWN)
}

/// A function that calls itself twice at once never ends, and never stops growing.
pub(super) fn fork_bomb(function: &FunctionDefinition) -> Option<&'static str> {
    let mut calls = Calls { name: &function.fname.value, all: 0, at_once: 0 };
    calls.compound(&function.body.0, false);
    (calls.all >= 2 && calls.at_once >= 1).then_some(BOMB)
}

/// How often a body calls its own function.
struct Calls<'n> {
    name: &'n str,
    all: usize,
    /// In a pipeline or in the background.
    at_once: usize,
}

impl Calls<'_> {
    fn list(&mut self, list: &CompoundList, at_once: bool) {
        for item in &list.0 {
            self.chain(&item.0, at_once || matches!(item.1, SeparatorOperator::Async));
        }
    }

    fn chain(&mut self, chain: &AndOrList, at_once: bool) {
        for (_, pipeline) in chain {
            self.pipeline(pipeline, at_once);
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, at_once: bool) {
        let at_once = at_once || pipeline.seq.len() > 1;
        for command in &pipeline.seq {
            match command {
                Command::Simple(simple) => {
                    let own = simple.word_or_name.as_ref().is_some_and(|word| word.value == self.name);
                    self.all += usize::from(own);
                    self.at_once += usize::from(own && at_once);
                }
                Command::Compound(compound, _) => self.compound(compound, at_once),
                Command::Function(_) | Command::ExtendedTest(..) => {}
            }
        }
    }

    fn compound(&mut self, compound: &CompoundCommand, at_once: bool) {
        match compound {
            CompoundCommand::BraceGroup(group) => self.list(&group.list, at_once),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list, at_once),
            CompoundCommand::WhileClause(clause) | CompoundCommand::UntilClause(clause) => {
                self.list(&clause.1.list, at_once);
            }
            CompoundCommand::ForClause(clause) => self.list(&clause.body.list, at_once),
            CompoundCommand::IfClause(clause) => self.list(&clause.then, at_once),
            _ => {}
        }
    }
}
