//! What a repository would have git run, against repositories that git itself made.
#![allow(clippy::disallowed_methods, reason = "helpers that are waited for at once")]

use std::path::Path;
use std::process::Command;

use omp_workspace::repository::{IgnoredFiles, first_risk, untracked};

fn git(directory: &Path, words: &[&str]) {
    let mut command = Command::new("git");
    let own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    command.current_dir(directory).args(own).args(words).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", directory);
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn repository(directory: &Path, init: &[&str]) {
    std::fs::create_dir_all(directory).unwrap();
    git(directory, &[&["init", "-q"], init].concat());
    std::fs::write(directory.join("a"), "a").unwrap();
    git(directory, &["add", "a"]);
    git(directory, &["commit", "-q", "-m", "first"]);
}

#[test]
fn ordinary_repositories_are_harmless() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().join("one");
    repository(&root, &[]);
    assert_eq!(first_risk(&root), None);
    git(&root, &["remote", "add", "origin", "https://example.com/a.git"]);
    git(&root, &["config", "branch.main.remote", "origin"]);
    git(&root, &["config", "branch.main.merge", "refs/heads/main"]);
    git(&root, &["config", "core.hooksPath", ".husky/_"]);
    git(&root, &["config", "core.fsmonitor", "true"]);
    git(&root, &["config", "filter.lfs.clean", "git-lfs clean -- %f"]);
    std::fs::create_dir(root.join("below")).unwrap();
    assert_eq!(first_risk(&root.join("below")), None);
    for version in ["2", "3", "4"] {
        git(&root, &["update-index", "--index-version", version]);
        assert_eq!(first_risk(&root), None, "{version}");
    }
    git(&root, &["worktree", "add", "-q", "../tree"]);
    git(&root, &["config", "extensions.worktreeConfig", "true"]);
    assert_eq!(first_risk(&base.path().join("tree")), None);
    repository(&base.path().join("long"), &["--object-format=sha256"]);
    assert_eq!(first_risk(&base.path().join("long")), None);
    assert_eq!(first_risk(base.path()), None, "no repository");
}

#[test]
fn what_runs_programs_is_named() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path();
    repository(root, &[]);
    let plain = std::fs::read_to_string(root.join(".git/config")).unwrap();
    let risky = [
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.lfs.clean",
        "merge.x.driver",
        "core.sshCommand",
        "core.fsmonitor",
        "core.alternateRefsCommand",
        "remote.origin.uploadpack",
        "remote.origin.promisor",
        "extensions.partialClone",
        "gc.recentObjectsHook",
        "gpg.program",
        "include.path",
        "pager.status",
        "alias.lfs",
        "credential.helper",
        "core.worktree",
        "branch.main.mergeOptions",
    ];
    for name in risky {
        std::fs::write(root.join(".git/config"), &plain).unwrap();
        git(root, &["config", name, "./evil"]);
        assert_eq!(first_risk(root), Some(lowered(name)));
    }
    for (name, value) in [("submodule.x.update", "!evil"), ("core.hooksPath", "~/hooks")] {
        std::fs::write(root.join(".git/config"), &plain).unwrap();
        git(root, &["config", name, value]);
        assert_eq!(first_risk(root), Some(lowered(name)));
    }
}

/// Section and key do not depend on case.
fn lowered(name: &str) -> String {
    let mut parts: Vec<String> = name.split('.').map(str::to_owned).collect();
    let last = parts.len() - 1;
    parts[last] = parts[last].to_lowercase();
    parts.join(".")
}

/// Forms in which git never writes and in which something could be hidden from us.
#[test]
fn what_cannot_be_read_for_certain_is_named() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path();
    repository(root, &[]);
    let config = root.join(".git/config");
    let plain = std::fs::read_to_string(&config).unwrap();
    for hidden in [
        "[diff] external = evil\n",
        "[diff]\n\tcontext = 1 \\\nexternal = evil\n",
        "[DIFF]\n\tEXTERNAL = evil\n",
        "[diff.x]\n\tcommand = evil\n",
        "[diff \"x\\\"\"]\n\tcommand = evil\n",
        "[core] # \n[diff]\n\texternal\n",
        "external = evil\n[diff \"x",
        "[diff \"\u{1b}]52;c;eA==\u{7}\"]\n\tcommand = evil\n",
    ] {
        std::fs::write(&config, format!("{plain}{hidden}")).unwrap();
        let risk = first_risk(root).unwrap_or_else(|| panic!("{hidden}"));
        assert!(!risk.contains(char::is_control), "{risk:?}");
    }
    std::fs::write(&config, [plain.as_bytes(), b"\xff\n"].concat()).unwrap();
    assert_eq!(first_risk(root).as_deref(), Some("an unreadable config"));
    std::fs::write(&config, &plain).unwrap();
    std::fs::write(root.join(".git/config.worktree"), "[diff]\n\texternal = evil\n").unwrap();
    assert_eq!(first_risk(root).as_deref(), Some("diff.external"));
}

#[test]
fn hooks_of_every_look_are_named() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path();
    repository(root, &[]);
    std::fs::write(root.join(".git/hooks/pre-commit"), "#!/bin/sh\n").unwrap();
    assert_eq!(first_risk(root), None, "commits are known to run it");
    git(root, &["config", "core.hooksPath", "hooks"]);
    std::fs::create_dir(root.join("hooks")).unwrap();
    std::fs::write(root.join("hooks/post-index-change"), "#!/bin/sh\n").unwrap();
    assert_eq!(first_risk(root).as_deref(), Some("core.hookspath"));
    git(root, &["config", "--unset", "core.hooksPath"]);
    std::fs::rename(root.join("hooks/post-index-change"), root.join(".git/hooks/post-index-change")).unwrap();
    assert_eq!(first_risk(root).as_deref(), Some("the hook post-index-change"));
}

/// A submodule that no file but the index names, with a git directory of its own.
#[test]
fn submodules_are_looked_at() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path();
    repository(root, &[]);
    repository(&root.join("very/deep"), &[]);
    for version in ["2", "4"] {
        git(root, &["add", "very/deep"]);
        git(root, &["update-index", "--index-version", version]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "deep"]);
        git(&root.join("very/deep"), &["config", "--unset-all", "core.bare"]);
        assert_eq!(first_risk(root), None, "{version}");
        git(&root.join("very/deep"), &["config", "filter.x.clean", "evil"]);
        assert_eq!(first_risk(root).as_deref(), Some("filter.x.clean"), "{version}");
        git(&root.join("very/deep"), &["config", "--unset", "filter.x.clean"]);
        git(&root.join("very/deep"), &["config", "core.bare", "false"]);
    }
    git(root, &["update-index", "--split-index"]);
    assert_eq!(first_risk(root).as_deref(), Some("an unreadable index"), "entries in another file");
}

/// Git goes on to look further up where a directory only looks like a repository.
#[test]
fn a_broken_repository_hides_nothing() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path();
    repository(root, &[]);
    git(root, &["config", "diff.external", "evil"]);
    let inner = root.join("inner");
    repository(&inner, &[]);
    assert_eq!(first_risk(&inner), None);
    std::fs::write(inner.join(".git/HEAD"), "nonsense\n").unwrap();
    assert_eq!(first_risk(&inner).as_deref(), Some("diff.external"));
    std::fs::remove_dir_all(inner.join(".git")).unwrap();
    std::fs::write(inner.join(".git"), "gitdir: ../.git\n").unwrap();
    assert_eq!(first_risk(&inner).as_deref(), Some("diff.external"));
}

/// What is found is what git says that it would delete.
#[test]
fn untracked_files_are_those_that_git_clean_names() {
    let base = tempfile::tempdir().unwrap();
    let root = base.path().canonicalize().unwrap().join("one");
    repository(&root, &[]);
    let files = [
        "src/tracked.rs",
        "src/new.rs",
        "src/deep/er/new.rs",
        "build/out.o",
        "build/keep/x",
        "notes.txt",
        "logs/a.log",
        "logs/b.txt",
        "mixed/a.log",
        "mixed/deep/c.log",
        "name with space/\u{e4}",
        "inner/file",
    ];
    for file in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file).unwrap();
    }
    std::fs::create_dir(root.join("empty")).unwrap();
    std::fs::write(root.join(".gitignore"), "*.log\n/build/*\n!/build/keep\n").unwrap();
    std::fs::write(root.join("src/.gitignore"), "new.rs\n").unwrap();
    std::fs::write(root.join(".git/info/exclude"), "notes.txt\n").unwrap();
    git(&root, &["add", "src/tracked.rs", ".gitignore", "src/.gitignore"]);
    repository(&root.join("inner"), &[]);
    for (letters, ignored, whole) in [
        ("-n", IgnoredFiles::Kept, false),
        ("-nd", IgnoredFiles::Kept, true),
        ("-nx", IgnoredFiles::Included, false),
        ("-ndx", IgnoredFiles::Included, true),
        ("-nX", IgnoredFiles::Only, false),
        ("-ndX", IgnoredFiles::Only, true),
    ] {
        for below in ["", "src"] {
            let directory = root.join(below);
            assert_eq!(
                files_below(&untracked(&directory, ignored, whole).unwrap()),
                would_delete(&directory, letters),
                "{letters} in {below:?}"
            );
        }
    }
    assert_eq!(untracked(base.path(), IgnoredFiles::Kept, true), None, "no repository");
}

/// The files that `git clean` would delete.
fn would_delete(directory: &Path, letters: &str) -> Vec<std::path::PathBuf> {
    let mut command = Command::new("git");
    command.current_dir(directory).args(["-c", "core.quotePath=false", "clean", letters]).env_clear();
    let output =
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", directory).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let named = |line: &str| {
        let name = line.strip_prefix("Would remove ")?;
        Some(directory.join(name.trim_matches('"')))
    };
    files_below(&text.lines().filter_map(named).collect::<Vec<_>>())
}

fn files_below(places: &[std::path::PathBuf]) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut waiting = places.to_vec();
    while let Some(path) = waiting.pop() {
        match std::fs::read_dir(&path) {
            Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    files
}
