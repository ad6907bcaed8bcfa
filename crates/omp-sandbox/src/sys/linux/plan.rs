//! A confinement as a list of system calls.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::bytes::Writer;
use super::landlock;
use super::seccomp::{self, Around};
use super::surroundings::{self, CoverKind};
use crate::policy::{Network, Policy};
use crate::sys::PROXY_PORT;

/// What one entry of a plan does. See `forked` for how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Step {
    /// Becomes traceable for a moment, or it could not write its own maps of users.
    Traceable = 1,
    Unshare,
    WriteFile,
    Mount,
    Attributes,
    MakeDirectory,
    MakeFile,
    LoopbackUp,
    Listen,
    DropPrivileges,
    NoNewPrivileges,
    Rules,
    Rule,
    EnterRules,
    Filter,
}

impl Step {
    pub(crate) const ALL: [Self; 15] = [
        Self::Traceable,
        Self::Unshare,
        Self::WriteFile,
        Self::Mount,
        Self::Attributes,
        Self::MakeDirectory,
        Self::MakeFile,
        Self::LoopbackUp,
        Self::Listen,
        Self::DropPrivileges,
        Self::NoNewPrivileges,
        Self::Rules,
        Self::Rule,
        Self::EnterRules,
        Self::Filter,
    ];
}

/// Whether a step may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Failure {
    /// Then the command does not run.
    Fatal = 0,
    /// Then the sandbox is no weaker: there was nothing to confine.
    Fine = 1,
}

/// Where things that cover others are made; a private file system is put over it at the end.
const SHARED_MEMORY: &str = "/dev/shm";

/// System calls as bytes. Made by the parent, carried out by the child.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    writer: Writer,
}

impl Plan {
    pub fn bytes(&self) -> &[u8] {
        &self.writer.0
    }

    fn step(&mut self, step: Step, failure: Failure) -> &mut Writer {
        self.writer.byte(step as u8);
        self.writer.byte(failure as u8);
        &mut self.writer
    }

    fn mount(&mut self, source: &Path, target: &Path, kind: &str, flags: u64, data: &str, failure: Failure) {
        let writer = self.step(Step::Mount, failure);
        writer.text(source.as_os_str().as_bytes());
        writer.text(target.as_os_str().as_bytes());
        writer.text(kind.as_bytes());
        writer.number(flags);
        writer.text(data.as_bytes());
    }

    /// A path becomes a mount of its own.
    fn bind(&mut self, source: &Path, target: &Path, failure: Failure) {
        self.mount(source, target, "", libc::MS_BIND | libc::MS_REC, "", failure);
    }

    fn attributes(&mut self, target: &Path, set: u64, clear: u64, failure: Failure) {
        let writer = self.step(Step::Attributes, failure);
        writer.text(target.as_os_str().as_bytes());
        writer.number(set);
        writer.number(clear);
    }

    fn write_file(&mut self, path: &str, text: &str) {
        let writer = self.step(Step::WriteFile, Failure::Fatal);
        writer.text(path.as_bytes());
        writer.block(text.as_bytes());
    }

    fn make(&mut self, step: Step, path: &str, mode: u64) {
        let writer = self.step(step, Failure::Fatal);
        writer.text(path.as_bytes());
        writer.number(mode);
    }

    fn rule(&mut self, path: &Path, rights: u64) {
        let writer = self.step(Step::Rule, Failure::Fine);
        writer.text(path.as_os_str().as_bytes());
        writer.number(rights);
    }
}

const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;

/// The whole plan of the strongest rung.
pub(crate) fn with_namespaces(policy: &Policy, landlock: u32, owner: Owner) -> Plan {
    let mut plan = Plan::default();
    plan.step(Step::Traceable, Failure::Fatal);
    own_namespaces(&mut plan, policy.network, owner);
    let roots = roots(policy);
    own_file_system(&mut plan, policy, &roots, owner.pid);
    own_network(&mut plan, policy.network);
    plan.step(Step::DropPrivileges, Failure::Fatal);
    if landlock > 0 {
        writing_rules(&mut plan, &roots, landlock);
    }
    plan.step(Step::Filter, Failure::Fatal).block(&seccomp::filter(Around::Namespaces));
    plan
}

/// The plan without namespaces.
pub(crate) fn with_landlock(policy: &Policy, landlock: u32) -> Plan {
    let mut plan = Plan::default();
    let roots = roots(policy);
    plan.step(Step::DropPrivileges, Failure::Fatal);
    let readable = surroundings::around(&policy.hidden);
    let writer = plan.step(Step::Rules, Failure::Fatal);
    writer.number(landlock::writing(landlock) | landlock::reading());
    writer.number(landlock::scopes(landlock));
    for path in &readable {
        plan.rule(path, landlock::reading());
    }
    rules_for_roots(&mut plan, &roots, landlock);
    plan.step(Step::EnterRules, Failure::Fatal);
    plan.step(Step::Filter, Failure::Fatal).block(&seccomp::filter(Around::Nothing(policy.network)));
    plan
}

/// What is done before `bwrap` takes over.
pub(crate) fn before_bubblewrap() -> Plan {
    let mut plan = Plan::default();
    // It needs the privileges that root has, and drops them itself.
    plan.step(Step::NoNewPrivileges, Failure::Fatal);
    plan.step(Step::Filter, Failure::Fatal).block(&seccomp::filter(Around::Bubblewrap));
    plan
}

/// Who confines: its user and group continue inside, its process is out of sight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) pid: u32,
}

fn own_namespaces(plan: &mut Plan, network: Network, owner: Owner) {
    let with_network = if network == Network::Open { 0 } else { libc::CLONE_NEWNET };
    let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | with_network;
    plan.step(Step::Unshare, Failure::Fatal).number(flags as u64);
    plan.write_file("/proc/self/setgroups", "deny");
    plan.write_file("/proc/self/uid_map", &format!("{0} {0} 1", owner.uid));
    plan.write_file("/proc/self/gid_map", &format!("{0} {0} 1", owner.gid));
}

/// The writable roots that exist, behind links, without those that lie in another.
fn roots(policy: &Policy) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut all: Vec<PathBuf> = policy.writable.iter().filter_map(|path| path.canonicalize().ok()).collect();
    all.sort();
    for root in all {
        if root != Path::new("/") && !found.iter().any(|other| root.starts_with(other)) {
            found.push(root);
        }
    }
    found
}

fn own_file_system(plan: &mut Plan, policy: &Policy, roots: &[PathBuf], owner: u32) {
    let slash = Path::new("/");
    plan.mount(Path::new("none"), slash, "", libc::MS_REC | libc::MS_PRIVATE, "", Failure::Fatal);
    for root in roots {
        plan.bind(root, root, Failure::Fatal);
    }
    plan.attributes(slash, READ_ONLY, 0, Failure::Fatal);
    for root in roots {
        plan.attributes(root, 0, READ_ONLY, Failure::Fatal);
    }
    for path in existing(&policy.pinned) {
        plan.bind(&path, &path, Failure::Fine);
    }
    for path in existing(&policy.protected) {
        plan.bind(&path, &path, Failure::Fatal);
        plan.attributes(&path, READ_ONLY, 0, Failure::Fatal);
    }
    cover(plan, policy, owner);
}

/// Those that exist, behind links, outer ones before inner ones.
fn existing(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
    found.sort();
    found.dedup();
    found
}

/// Puts something empty over what is hidden, over the services of the machine and over our own process.
fn cover(plan: &mut Plan, policy: &Policy, owner: u32) {
    let memory = Path::new(SHARED_MEMORY);
    plan.mount(Path::new("tmpfs"), memory, "tmpfs", 0, "size=64k,mode=0755", Failure::Fatal);
    let (directory, file) = (format!("{SHARED_MEMORY}/directory"), format!("{SHARED_MEMORY}/file"));
    plan.make(Step::MakeDirectory, &directory, 0);
    plan.make(Step::MakeFile, &file, 0);
    let (directory, file) = (PathBuf::from(directory), PathBuf::from(file));
    let own = PathBuf::from(format!("/proc/{owner}"));
    plan.bind(&directory, &own, Failure::Fine);
    for path in existing(&policy.hidden) {
        let cover = if path.is_dir() { &directory } else { &file };
        plan.bind(cover, &path, Failure::Fatal);
    }
    for (path, kind) in surroundings::services(&policy.writable) {
        let cover = if kind == CoverKind::Directory { &directory } else { &file };
        // A service may end at any time, and its socket with it.
        plan.bind(cover, &path, Failure::Fine);
    }
    plan.mount(Path::new("tmpfs"), memory, "tmpfs", 0, "mode=1777", Failure::Fatal);
}

fn own_network(plan: &mut Plan, network: Network) {
    if network == Network::Open {
        return;
    }
    plan.step(Step::LoopbackUp, Failure::Fatal);
    if network == Network::Filtered {
        plan.step(Step::Listen, Failure::Fatal).number(PROXY_PORT.into());
    }
}

/// The same as the mounts say, once more.
fn writing_rules(plan: &mut Plan, roots: &[PathBuf], abi: u32) {
    let writer = plan.step(Step::Rules, Failure::Fatal);
    writer.number(landlock::writing(abi));
    writer.number(landlock::scopes(abi));
    rules_for_roots(plan, roots, abi);
    plan.step(Step::EnterRules, Failure::Fatal);
}

fn rules_for_roots(plan: &mut Plan, roots: &[PathBuf], abi: u32) {
    for root in roots {
        let rights = if root.is_dir() { landlock::writing(abi) } else { landlock::writing_a_file(abi) };
        plan.rule(root, rights);
    }
    // Devices are guarded by their own permissions. What is written to a terminal or to nowhere changes no file.
    plan.rule(Path::new("/dev"), landlock::writing_a_file(abi));
    plan.rule(Path::new(SHARED_MEMORY), landlock::writing(abi));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_real_and_outermost() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        for name in ["a", "a/inner", "ab"] {
            std::fs::create_dir(base.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(base.join("ab"), base.join("link")).unwrap();
        let writable = ["a/inner", "a", "link", "ab", "missing"].map(|name| base.join(name)).to_vec();
        let policy = Policy { writable: [writable, vec!["/".into()]].concat(), ..Policy::default() };
        assert_eq!(roots(&policy), [base.join("a"), base.join("ab")], "and never everything");
    }

    #[test]
    fn numbers_of_steps_are_those_of_the_table() {
        for (number, step) in (1..).zip(Step::ALL) {
            assert_eq!(step as u8, number, "{step:?}");
        }
    }
}
