use super::*;

fn with_roots<T>(test: impl Fn(&Roots) -> T) -> T {
    let workspace = [PathBuf::from("/h/code/project"), PathBuf::from("/tmp")];
    let own = [PathBuf::from("/h/.omp"), PathBuf::from("/data/omp")];
    test(&Roots { workspace: &workspace, home: Some(Path::new("/h")), own: &own })
}

fn is_protected(path: &str) -> bool {
    with_roots(|roots| protected(Path::new(path), roots).is_some())
}

fn is_secret(path: &str) -> bool {
    with_roots(|roots| secret(Path::new(path), roots).is_some())
}

#[test]
fn what_git_runs_is_protected_in_every_repository_of_the_workspace() {
    let project = |rest: &str| is_protected(&format!("/h/code/project/{rest}"));
    for path in [
        ".git",
        ".git/hooks",
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/config.worktree",
        ".git/info/attributes",
        ".git/commondir",
        ".GIT/Hooks/x",
        "vendor/lib/.git/config",
        ".git/modules/lib/hooks/x",
        ".git/modules/a/b/config",
        ".git/worktrees/w/config.worktree",
        ".git/modules/lib",
    ] {
        assert!(project(path), "{path}");
    }
    for path in
        [".git/index", ".git/refs/heads/config", ".git/COMMIT_EDITMSG", "hooks/x", "config", ".github/x"]
    {
        assert!(!project(path), "{path}");
    }
}

/// Every entry itself, what is below it, and the directories on the way to it.
#[test]
fn every_entry_protects_itself_and_its_parents() {
    let tables = [
        ("/h/code/project/deep/down", PROTECTED_IN_WORKSPACE),
        ("/h", PROTECTED_IN_HOME),
        ("/h", SECRET_IN_HOME),
        ("/h", PROGRAM_SECRET_IN_HOME),
        ("", PROTECTED_ABSOLUTE),
    ];
    for (root, table) in tables {
        for (entry, why) in table {
            let path = format!("{root}/{}", entry.replace('*', "x"));
            assert!(is_protected(&path), "{path}");
            assert!(is_protected(&format!("{path}/below")), "{path}");
            assert!(!why.is_empty() && !why.ends_with('.'), "{entry}");
            if let Some((parent, _)) = entry.split_once('/') {
                assert!(is_protected(&format!("{root}/{parent}")), "{parent}");
            }
        }
    }
}

#[test]
fn ordinary_files_are_neither_protected_nor_secret() {
    for path in [
        "/h/code/project/src/main.rs",
        "/h/code/project/.gitignore",
        "/h/code/project/.cargo/audit.toml",
        "/h/code/project/package.json",
        "/h/code/project/.env",
        "/tmp/x",
        "/h/notes.txt",
        "/h",
        "/h/code",
    ] {
        assert!(!is_protected(path), "{path}");
        assert!(!is_secret(path), "{path}");
    }
}

#[test]
fn own_directories_are_protected_and_their_stores_secret() {
    assert!(is_protected("/h/.omp/agent/config.yml"));
    assert!(is_protected("/data/omp/sessions/x.jsonl"));
    for name in ["agent.db", "agent.db-wal", "agent.db-shm", "agent.db-journal", "agent.db.bak", ".env"] {
        assert!(is_secret(&format!("/h/.omp/agent/{name}")), "{name}");
        assert!(is_secret(&format!("/h/.omp/profiles/w/agent/{name}")), "{name}");
        assert!(is_secret(&format!("/data/omp/{name}")), "{name}");
    }
    assert!(!is_secret("/h/.omp/agent/config.yml"));
    assert!(!is_secret("/h/.omp/agent/AGENTS.md"));
    // A file of that name elsewhere is not ours.
    assert!(!is_secret("/h/code/project/agent.db"));
}

#[test]
fn every_credential_entry_is_secret() {
    for (root, table) in [("/h", SECRET_IN_HOME), ("/h", PROGRAM_SECRET_IN_HOME), ("", SECRET_ABSOLUTE)] {
        for (entry, _) in table {
            let path = format!("{root}/{}", entry.replace('*', "1"));
            assert!(is_secret(&path), "{path}");
        }
    }
    // A directory on the way is not secret, it can be listed.
    assert!(!is_secret("/h/.aws") && !is_secret("/h/.config") && !is_secret("/h/.aws/config"));
}

#[test]
fn keys_in_ssh_may_have_any_name() {
    for name in ["id_rsa", "id_ed25519", "work", "key.pem", "github", "agent/sock"] {
        assert!(is_secret(&format!("/h/.ssh/{name}")), "{name}");
    }
    for name in ["id_rsa.pub", "known_hosts", "known_hosts.old", "config", "config.d/x", "authorized_keys"] {
        assert!(!is_secret(&format!("/h/.ssh/{name}")), "{name}");
    }
    assert!(!is_secret("/h/.ssh"));
}

#[test]
fn a_star_stays_inside_its_component() {
    assert!(names("a*c", "abbc") && names("a*c", "AC") && names("*x*", "axb") && names("ä*", "äb"));
    assert!(!names("a*c", "ab") && !names("a*a", "a") && !names("*x*", "ab") && !names("é", "e"));
    assert!(!is_secret("/proc/1/fd/environ"));
    assert!(is_secret("/proc/self/environ") && is_secret("/proc/1/task/2/environ"));
}

#[test]
fn a_walk_knows_where_it_needs_not_look() {
    with_roots(|roots| {
        assert!(may_hold_secrets(Path::new("/"), roots));
        assert!(may_hold_secrets(Path::new("/h"), roots));
        assert!(
            may_hold_secrets(Path::new("/h/.config"), roots) && may_hold_secrets(Path::new("/h/snap"), roots)
        );
        assert!(may_hold_secrets(Path::new("/h/.omp/agent/sessions"), roots));
        assert!(!may_hold_secrets(Path::new("/h/code/project"), roots));
        assert!(!may_hold_secrets(Path::new("/srv/project"), roots));
    });
}
