//! Architecture as tests: see ARCHITECTURE.md.

mod claims;
mod dependencies;
mod effects;
mod sizes;
mod systems;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Files of the project, without what is built or fetched.
fn files(below: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(below).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "target" | ".git" | "out" | "__pycache__") {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&root().join("crates"), &mut found);
    found.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    found
}

fn manifest(path: &Path) -> toml::Table {
    read(path).parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Layers from the bottom up; a crate may use crates of lower layers only.
const LAYERS: &[&[&str]] = &[
    &["omp-grammars"],
    &[
        "omp-types",
        "omp-schema",
        "omp-cli",
        "omp-testkit",
        "omp-edits",
        "omp-syntax",
        "omp-jobs",
        "omp-sandbox",
        "omp-tui",
    ],
    &["omp-dialects"],
    &[
        "omp-llm",
        "omp-tokens",
        "omp-agent",
        "omp-workspace",
        "omp-shell",
        "omp-session",
        "omp-stats",
        "omp-web",
        "omp-guard",
    ],
    &[
        "omp-documents",
        "omp-github",
        "omp-history",
        "omp-hooks",
        "omp-ssh",
        "omp-lsp",
        "omp-mcp",
        "omp-embedded-shell",
        "omp-replay",
        "omp-script",
        "omp-theme",
        "omp-keys",
        "omp-editor",
        "omp-compaction",
        "omp-snapcompact",
        "omp-config",
    ],
    &["omp-tools", "omp-auth", "omp-extension-host", "omp-plugins", "omp-import", "omp-export", "omp-view"],
    &["omp-extend", "omp-panels", "omp-models", "omp-modes", "omp-mcp-session"],
    &["omp-resources", "omp-fuzz"],
    &["omp-sdk"],
    &["omp-commands", "omp-commit"],
    &["omp-interactive", "omp-plain"],
    &["omp"],
];

fn layer(name: &str) -> usize {
    let found = LAYERS.iter().position(|layer| layer.contains(&name));
    found.unwrap_or_else(|| panic!("{name} has no layer: add it to LAYERS and to ARCHITECTURE.md"))
}

#[test]
fn arrows_point_down() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let directory = entry.unwrap().path();
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        let table = manifest(&directory.join("Cargo.toml"));
        let dependencies = table.get("dependencies").and_then(|d| d.as_table()).cloned().unwrap_or_default();
        for dependency in dependencies.keys().filter(|dependency| dependency.starts_with("omp")) {
            assert!(layer(dependency) < layer(&name), "{name} must not depend on {dependency}");
            assert_ne!(dependency, "omp-testkit", "{name}: the testkit is for tests only");
        }
    }
}

/// One crate knows the network's wires, one will know the terminal, one spawns processes.
#[test]
fn heavy_libraries_stay_in_their_crate() {
    // Requests to models, for pages and to MCP servers differ in all but TLS and proxies, which `omp-llm` sets up for all.
    // Arguments are checked by the loop, results of MCP tools by whoever knows their schemas.
    let owners: BTreeMap<&str, &[&str]> = [
        ("reqwest", ["omp-llm", "omp-web", "omp-mcp", "omp-script"].as_slice()),
        ("rustls", &["omp-llm"]),
        ("image", &["omp-workspace"]),
        ("alacritty_terminal", &["omp-shell"]),
        ("jsonschema", &["omp-agent", "omp-mcp"]),
        ("brush-core", &["omp-embedded-shell"]),
        ("brush-builtins", &["omp-embedded-shell"]),
        ("dom_query", &["omp-web", "omp-documents"]),
        ("rmcp", &["omp-mcp"]),
        ("hyper", &["omp-mcp", "omp-script"]),
        ("rquickjs", &["omp-script"]),
        ("oxc_parser", &["omp-script"]),
    ]
    .into();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let directory = entry.unwrap().path();
        let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
        let table = manifest(&directory.join("Cargo.toml"));
        let dependencies = table.get("dependencies").and_then(|d| d.as_table()).cloned().unwrap_or_default();
        for (library, owners) in &owners {
            assert!(
                !dependencies.contains_key(*library) || owners.contains(&name.as_str()),
                "{name} uses {library}, which belongs to {owners:?}"
            );
        }
    }
}

/// Every version is in the workspace table, with its reason on the same line.
#[test]
fn every_dependency_has_a_reason() {
    let text = read(&root().join("Cargo.toml"));
    let table = text.split("[workspace.dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    for line in table.lines().filter(|line| line.contains('=') && !line.trim_start().starts_with('#')) {
        let reason = line.rsplit_once(" # ").map(|(_, reason)| reason.trim()).unwrap_or_default();
        assert!(reason.len() >= 12, "give a reason: {line}");
    }
    let mut used = BTreeSet::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let path = entry.unwrap().path().join("Cargo.toml");
        let table = manifest(&path);
        let for_targets = table.get("target").and_then(|d| d.as_table()).into_iter().flatten();
        let tables = for_targets.filter_map(|(_, target)| target.as_table()).chain([&table]);
        let sections = ["dependencies", "dev-dependencies", "build-dependencies"];
        for (table, section) in tables.flat_map(|table| sections.map(|section| (table, section))) {
            for (name, value) in table.get(section).and_then(|d| d.as_table()).into_iter().flatten() {
                let from_workspace = value.get("workspace").and_then(|w| w.as_bool());
                assert_eq!(
                    from_workspace,
                    Some(true),
                    "{}: {name} must say workspace = true",
                    path.display()
                );
                used.insert(name.clone());
            }
        }
    }
    let declared =
        manifest(&root().join("Cargo.toml"))["workspace"]["dependencies"].as_table().unwrap().clone();
    for name in declared.keys() {
        assert!(used.contains(name), "{name} is declared but nobody uses it");
    }
}

/// Whoever embeds omp reads the documentation of every public item; clippy runs with `-D warnings`.
#[test]
fn the_embedding_api_is_documented() {
    for name in ["omp-sdk", "omp-models", "omp-modes", "omp-commit", "omp-resources"] {
        let text = read(&root().join("crates").join(name).join("src/lib.rs"));
        assert!(text.contains("#![warn(missing_docs)]"), "{name} must warn about missing documentation");
    }
}

/// Processes are started in one module, so that nothing outlives its owner.
#[test]
fn only_the_scope_spawns() {
    let standard = [["process::", "Command"].concat(), ["Command", "::new("].concat()];
    let raw = [["SYS_", "clone"].concat(), ["libc::", "fork"].concat(), ["posix_", "spawn"].concat()];
    for path in sources() {
        let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let allowed = shown.starts_with("crates/omp-shell/src/scope")
            // How a scope forks on each system.
            || shown.starts_with("crates/omp-shell/src/sys/")
            // Names the call to refuse it.
            || shown == "crates/omp-sandbox/src/sys/linux/seccomp.rs"
            || shown.starts_with("crates/omp-testkit/")
            // Runs when omp is built.
            || shown.starts_with("crates/omp-grammars/build/")
            || shown.contains("/tests/");
        let text = read(&path);
        let spawns = standard.iter().all(|needle| text.contains(needle.as_str()))
            || raw.iter().any(|needle| text.contains(needle.as_str()));
        assert!(allowed || !spawns, "{shown} starts a process outside omp_shell::scope");
    }
}

/// What is printed goes through `omp_tui::console`, which neutralises what a terminal would obey.
// proves: SEC-047
#[test]
fn printing_has_one_way_out() {
    let ways = [
        ["print", "ln!("].concat(),
        ["print", "!("].concat(),
        ["db", "g!("].concat(),
        ["stdout", "()"].concat(),
        ["stderr", "()"].concat(),
        ["STDOUT", "_FILENO"].concat(),
        ["STDERR", "_FILENO"].concat(),
    ];
    // Standard output itself is the terminal in these: it is measured, taken over and given back, with bytes of ours.
    let owners = [
        "crates/omp-tui/src/console.rs",
        "crates/omp-tui/src/terminal",
        "crates/omp/src/guardian.rs",
        "crates/omp/src/limits.rs",
    ];
    // Not those of this program: a shell's, for the command it runs, and code in an example.
    let others = [
        "crates/omp-embedded-shell/src/",
        "crates/omp-grammars/build/",
        "crates/omp-testkit/src/",
        "crates/omp-view/src/gallery/samples.rs",
        "crates/omp-tools/src/sandbox/run.rs",
    ];
    for path in sources() {
        let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let ours =
            shown.contains("/src/") && !owners.iter().chain(&others).any(|owner| shown.starts_with(owner));
        if !ours || shown.contains("/tests/") {
            continue;
        }
        for line in read(&path).lines().filter(|line| !line.trim_start().starts_with("//")) {
            let asks = line.replace("stdout().is_terminal()", "").replace("stderr().is_terminal()", "");
            let prints = ways.iter().any(|way| asks.contains(way.as_str()));
            assert!(!prints, "{shown} prints past omp_tui::console: {line}");
        }
    }
}

/// Tools open and change files through `Context`, which knows the borders of the session.
#[test]
fn tools_reach_files_through_their_context() {
    // What a language server is told of was looked at before, or was just written.
    let allowed = ["borders.rs", "files.rs", "lsp/text.rs"];
    let ways = ["open::{Found, open}", "open::open(", "write::write", "{Mode, write", "File::open("];
    for path in sources() {
        let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let Some(inside) = shown.strip_prefix("crates/omp-tools/src/") else { continue };
        let text = read(&path);
        let found = ways.iter().find(|way| text.contains(**way));
        assert!(allowed.contains(&inside) || found.is_none(), "{shown} reaches files by {found:?}");
    }
}

/// The loop decides, it does not act.
#[test]
fn the_loop_does_no_io() {
    for path in sources() {
        let shown = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        if !shown.starts_with("crates/omp-agent/src") {
            continue;
        }
        let text = read(&path);
        for forbidden in [
            "std::fs",
            "std::net",
            "std::env",
            "std::process",
            "SystemTime",
            "Instant::now",
            "tokio::spawn",
            "tokio::time",
            "fastrand",
        ] {
            assert!(!text.contains(forbidden), "{shown} uses {forbidden}; hand it in through a trait");
        }
    }
}

/// Nothing in the project names the machine it was written on.
#[test]
fn no_machine_paths() {
    let mut all = Vec::new();
    files(&root(), &mut all);
    let forbidden = [
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/"].concat(),
        ["/home/", "user"].concat(),
        [".pyenv", "/"].concat(),
    ];
    for path in all {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // Inside a longer path the same words mean something else: `~/work/x`, `profiles/work/agent`.
        let names = |needle: &str| {
            text.match_indices(needle).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                before.is_none_or(|before| !before.is_alphanumeric() && !"~._-}".contains(before))
            })
        };
        for needle in &forbidden {
            assert!(!names(needle), "{} names {needle}", path.strip_prefix(root()).unwrap().display());
        }
    }
}

/// Sentences for the model are files of their own, short, and end in a newline.
#[test]
fn prompts_are_bounded() {
    let mut all = Vec::new();
    files(&root().join("crates"), &mut all);
    let prompts = all.into_iter().filter(|path| {
        let shown = path.to_string_lossy();
        (shown.contains("/prompts/") || shown.ends_with("prompt.md") || shown.ends_with("/tool.md"))
            && shown.ends_with(".md")
    });
    let prompts: Vec<PathBuf> = prompts.collect();
    assert!(prompts.len() >= 8, "{prompts:?}");
    for path in prompts {
        let text = read(&path);
        assert!(text.ends_with('\n') && text.len() < 6000, "{}: {} bytes", path.display(), text.len());
    }
}

/// What waits for a part is not proved, and what is proved does not wait.
#[test]
fn nothing_both_waits_and_is_proved() {
    let ids = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        let is_row = |word: &&str| {
            let (area, number) = word.split_once('-').unwrap_or_default();
            area.len() == 3 && number.len() == 3 && number.bytes().all(|digit| digit.is_ascii_digit())
        };
        words.filter(is_row).map(str::to_owned).collect()
    };
    let page = read(&root().join("docs/waiting.md"));
    let waiting: BTreeSet<String> =
        page.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).flat_map(ids).collect();
    assert!(waiting.len() > 50);
    let mark = ["proves", ": "].concat();
    for path in sources() {
        for line in read(&path).lines().filter_map(|line| Some(line.split_once(&mark)?.1)) {
            let both: Vec<String> = ids(line).intersection(&waiting).cloned().collect();
            assert!(both.is_empty(), "{both:?} are proved in {} and wait in docs/waiting.md", path.display());
        }
    }
}
