use omp_config::discovery::Level;

use crate::world::World;

// proves: CFG-096, CFG-097, CFG-104
#[test]
fn native_files_are_the_users_and_the_nearest() {
    let world = World::new(&[
        ("home/.omp/agent/AGENTS.md", "mine"),
        ("repo/.omp/AGENTS.md", "far"),
        ("repo/.omp/RULES.md", "far rule"),
        ("repo/packages/api/.omp/AGENTS.md", "near"),
    ]);
    let discovery = world.at("repo/packages/api");
    let files = discovery.context_files();
    assert_eq!(world.used(&files), ["home/.omp/agent/AGENTS.md", "repo/packages/api/.omp/AGENTS.md"]);
    assert_eq!(files.all.len(), 2, "the farther one is not even a candidate");
    assert_eq!(world.used(&discovery.sticky_rules()), ["repo/.omp/RULES.md"], "the walk is per file");
    assert!(world.used(&world.without("repo/packages/api", &["native"]).context_files()).is_empty());
}

// proves: CFG-093, CFG-103
#[test]
fn empty_folders_and_files_say_nothing() {
    let world = World::new(&[
        ("home/.omp/agent/AGENTS.md", " \n\t\n"),
        ("repo/.omp/AGENTS.md", "far"),
        ("repo/a/.omp/AGENTS.md", ""),
        ("repo/a/AGENTS.md", "\n"),
        ("repo/AGENTS.md", ""),
    ]);
    world.folder("repo/a/b/.omp");
    assert_eq!(world.used(&world.at("repo/a/b").context_files()), ["repo/.omp/AGENTS.md"]);
}

// proves: CFG-098
#[test]
fn standalone_files_up_to_the_repository() {
    let world = World::new(&[
        ("AGENTS.md", "outside"),
        ("repo/AGENTS.md", "root"),
        ("repo/.hidden/AGENTS.md", "in a folder with a dot"),
        ("repo/.hidden/a/AGENTS.md", "below it"),
    ]);
    let files = world.at("repo/.hidden/a").context_files();
    assert_eq!(world.used(&files), ["repo/AGENTS.md", "repo/.hidden/a/AGENTS.md"]);
    let depths: Vec<_> = files.active().map(|finding| finding.item.depth).collect();
    assert_eq!(depths, [Some(2), Some(0)]);
}

// proves: CFG-098
#[test]
fn standalone_files_up_to_home_without_a_repository() {
    let world = World::new(&[
        ("AGENTS.md", "above home"),
        ("home/AGENTS.md", "in home"),
        ("home/code/AGENTS.md", "in between"),
        ("home/code/a/AGENTS.md", "here"),
        ("elsewhere/AGENTS.md", "of anyone"),
        ("elsewhere/a/AGENTS.md", "here too"),
    ]);
    assert_eq!(
        world.used(&world.at("home/code/a").context_files()),
        ["home/AGENTS.md", "home/code/AGENTS.md", "home/code/a/AGENTS.md"]
    );
    assert_eq!(world.used(&world.at("elsewhere/a").context_files()), ["elsewhere/a/AGENTS.md"]);
}

#[test]
fn a_worktree_is_a_repository_and_home_may_be_a_link() {
    let world = World::new(&[("AGENTS.md", "above"), ("tree/.git", "gitdir: x"), ("tree/AGENTS.md", "root")]);
    world.folder("tree/a");
    assert_eq!(world.used(&world.at("tree/a").context_files()), ["tree/AGENTS.md"]);

    let linked = World::new(&[("real/AGENTS.md", "home"), ("real/a/AGENTS.md", "here")]);
    std::fs::remove_dir_all(linked.path("home")).unwrap();
    linked.link("real", "home");
    assert_eq!(linked.used(&linked.at("real/a").context_files()), ["real/AGENTS.md", "real/a/AGENTS.md"]);
}

// proves: CFG-099
#[test]
fn claude_and_gemini_have_one_file_each_for_user_and_directory() {
    for (folder, name, provider) in [(".claude", "CLAUDE.md", "claude"), (".gemini", "GEMINI.md", "gemini")] {
        let world = World::new(&[]);
        let user = format!("home/{folder}/{name}");
        let here = format!("repo/a/{folder}/{name}");
        for path in [&user, &here, &format!("repo/{folder}/{name}"), &format!("repo/a/{name}")] {
            world.write(path, path);
        }
        let files = world.at("repo/a").context_files();
        assert_eq!(world.used(&files), [user.as_str(), here.as_str()]);
        assert!(files.all.iter().all(|finding| finding.origin.provider == provider));
        assert_eq!(files.all[0].origin.level, Level::User);
        assert_eq!(files.all[1].origin.level, Level::Project);
    }
}

// proves: CFG-100
#[test]
fn codex_and_opencode_have_a_user_file_only() {
    for user in ["home/.codex/AGENTS.md", "home/.config/opencode/AGENTS.md"] {
        let world = World::new(&[
            ("repo/.codex/AGENTS.md", "x"),
            ("repo/.opencode/AGENTS.md", "y"),
            ("repo/.config/opencode/AGENTS.md", "z"),
            (user, "user"),
        ]);
        assert_eq!(world.used(&world.at("repo").context_files()), [user]);
    }
}

// proves: CFG-101
#[test]
fn github_has_a_file_of_the_directory_only() {
    let world = World::new(&[
        ("home/.github/copilot-instructions.md", "user"),
        ("repo/.github/copilot-instructions.md", "parent"),
        ("repo/a/.github/copilot-instructions.md", "here"),
    ]);
    assert_eq!(world.used(&world.at("repo/a").context_files()), ["repo/a/.github/copilot-instructions.md"]);
}

// proves: CFG-102
#[test]
fn agent_folders_are_found_on_the_way_up() {
    let world = World::new(&[
        ("home/.agents/AGENTS.md", "user"),
        ("repo/.agent/AGENTS.md", "far"),
        ("repo/a/.agents/AGENTS.md", "near"),
        ("repo/a/.agent/AGENTS.md", "nearer"),
    ]);
    let files = world.at("repo/a").context_files();
    assert_eq!(
        world.used(&files),
        ["home/.agents/AGENTS.md", "repo/.agent/AGENTS.md", "repo/a/.agent/AGENTS.md"]
    );
    world.write("home/.agent/AGENTS.md", "first");
    assert_eq!(world.used(&world.at("repo/a").context_files())[0], "home/.agent/AGENTS.md");
}

// proves: CFG-084, CFG-105
#[test]
fn one_file_of_the_user_survives() {
    let by_priority = [
        "home/.omp/agent/AGENTS.md",
        "home/.claude/CLAUDE.md",
        "home/.agent/AGENTS.md",
        "home/.agents/AGENTS.md",
        "home/.codex/AGENTS.md",
        "home/.gemini/GEMINI.md",
        "home/.config/opencode/AGENTS.md",
    ];
    let world = World::new(&[]);
    for path in by_priority {
        world.write(path, path);
    }
    for (removed, path) in by_priority.iter().enumerate() {
        let files = world.at("repo").context_files();
        assert_eq!(world.used(&files), [*path]);
        assert_eq!(world.hidden(&files).len(), by_priority.len() - removed - 1);
        world.remove(path);
    }
}

// proves: CFG-106, CFG-108
#[test]
fn one_file_for_each_depth_and_the_nearest_last() {
    let world = World::new(&[
        ("repo/AGENTS.md", "root"),
        ("repo/packages/api/AGENTS.md", "package"),
        ("repo/packages/api/.github/copilot-instructions.md", "copilot"),
    ]);
    let files = world.at("repo/packages/api").context_files();
    let copilot = "repo/packages/api/.github/copilot-instructions.md";
    assert_eq!(world.used(&files), ["repo/AGENTS.md", copilot]);
    assert_eq!(world.hidden(&files), [format!("repo/packages/api/AGENTS.md < {copilot}")]);
    let depths: Vec<_> = files.active().map(|finding| finding.item.depth).collect();
    assert_eq!(depths, [Some(2), Some(0)]);

    world.write("repo/packages/api/.omp/AGENTS.md", "native");
    let files = world.at("repo/packages/api").context_files();
    assert_eq!(world.used(&files), ["repo/AGENTS.md", "repo/packages/api/.omp/AGENTS.md"]);
}

// proves: CFG-107
#[test]
fn equal_files_collapse_to_the_nearest() {
    let world = World::new(&[
        ("home/.omp/agent/AGENTS.md", "same\n"),
        ("repo/AGENTS.md", "same\n"),
        ("repo/a/AGENTS.md", "other"),
        ("repo/a/b/AGENTS.md", "same\n"),
    ]);
    let files = world.at("repo/a/b").context_files();
    assert_eq!(world.used(&files), ["repo/a/AGENTS.md", "repo/a/b/AGENTS.md"]);
    assert_eq!(
        world.hidden(&files),
        ["home/.omp/agent/AGENTS.md < repo/a/b/AGENTS.md", "repo/AGENTS.md < repo/a/b/AGENTS.md"]
    );
}

// proves: CFG-120
#[test]
fn sticky_rules_stand_in_native_folders_only() {
    let world = World::new(&[
        ("home/.omp/agent/RULES.md", "---\nalwaysApply: false\n---\nMine.\n"),
        ("repo/a/.omp/RULES.md", "Ours."),
        ("repo/.omp/RULES.md", "Farther."),
        ("repo/a/RULES.md", "no"),
        ("repo/a/.claude/RULES.md", "no"),
        ("home/.claude/RULES.md", "no"),
    ]);
    let rules = world.at("repo/a").sticky_rules();
    let found: Vec<_> = rules.all.iter().map(|rule| (rule.item.level, rule.item.content.as_str())).collect();
    assert_eq!(found, [(Level::User, "Mine."), (Level::Project, "Ours.")]);
    assert!(world.at("repo/a").context_files().all.is_empty(), "they are no context");
}

// proves: CFG-121
#[test]
fn the_users_files_move_with_the_agent_directory() {
    let world = World::new(&[
        ("home/.omp/agent/RULES.md", "not this"),
        ("home/.omp/agent/AGENTS.md", "nor this"),
        ("moved/RULES.md", "rule"),
        ("moved/AGENTS.md", "context"),
    ]);
    let moved = world.path("moved").display().to_string();
    let places = world.places_with("repo", &[("PI_CODING_AGENT_DIR", &moved)]);
    let discovery = omp_config::discovery::Discovery::new(places, &[]);
    assert_eq!(world.used(&discovery.sticky_rules()), ["moved/RULES.md"]);
    assert_eq!(world.used(&discovery.context_files()), ["moved/AGENTS.md"]);

    world.write("home/.omp/profiles/job/agent/RULES.md", "of the profile");
    let places = world.places_with("repo", &[("OMP_PROFILE", "job")]);
    let discovery = omp_config::discovery::Discovery::new(places, &[]);
    assert_eq!(world.used(&discovery.sticky_rules()), ["home/.omp/profiles/job/agent/RULES.md"]);
    assert!(discovery.context_files().all.is_empty());
}
