use omp_config::discovery::{
    BaseDirectory, Level, PromptFileName, config_directories, first_file, nearest_project_directories,
};

use crate::world::World;

fn shown(world: &World, bases: &[BaseDirectory]) -> Vec<String> {
    bases.iter().map(|base| world.short(&base.path)).collect()
}

// proves: CFG-081, CFG-013
#[test]
fn the_users_bases_come_first() {
    let world = World::new(&[]);
    let bases = config_directories(&world.places("repo"), "commands");
    assert_eq!(
        shown(&world, &bases),
        [
            "home/.omp/agent/commands",
            "home/.claude/commands",
            "home/.codex/commands",
            "home/.gemini/commands",
            "repo/.omp/commands",
            "repo/.claude/commands",
            "repo/.codex/commands",
            "repo/.gemini/commands",
        ]
    );
    assert_eq!((bases[1].provider, bases[1].level), ("claude", Level::User));
    assert_eq!((bases[4].provider, bases[4].level), ("native", Level::Project));
    world.write("repo/.pi/commands/x.md", "no");
    world.write("home/.pi/commands/x.md", "no");
    assert!(world.at("repo").commands().all.is_empty());
}

// proves: CFG-082
#[test]
fn the_first_file_in_that_order() {
    let world = World::new(&[]);
    let by_order =
        ["home/.omp/agent/x.json", "home/.gemini/x.json", "repo/.omp/x.json", "repo/.codex/x.json"];
    for path in by_order {
        world.write(path, "");
    }
    world.folder("home/.claude/x.json");
    for path in by_order {
        let found = first_file(&world.places("repo"), "x.json").unwrap();
        assert_eq!(world.short(&found.path), path);
        world.remove(path);
    }
    assert_eq!(first_file(&world.places("repo"), "x.json"), None);
}

// proves: CFG-083
#[test]
fn the_nearest_directory_of_each_base() {
    let world = World::new(&[("repo/a/.omp/agents", "a file, not a folder")]);
    for folder in [
        ".omp/agents",
        "repo/.omp/agents",
        "repo/.gemini/agents",
        "repo/a/.gemini/agents",
        "repo/.claude/agents",
        "repo/a/.claude",
    ] {
        world.folder(folder);
    }
    let found = nearest_project_directories(&world.places("repo/a/b"), "agents");
    assert_eq!(shown(&world, &found), ["repo/.omp/agents", "repo/.claude/agents", "repo/a/.gemini/agents"]);
}

// proves: LOP-167, CFG-093
#[test]
fn system_prompts_of_the_project_before_the_users() {
    let world = World::new(&[]);
    let by_order = [
        "repo/a/.omp/SYSTEM.md",
        "repo/a/.claude/SYSTEM.md",
        "repo/a/.codex/SYSTEM.md",
        "repo/a/.gemini/SYSTEM.md",
        "repo/.omp/SYSTEM.md",
        "home/.omp/agent/SYSTEM.md",
        "home/.claude/SYSTEM.md",
        "home/.codex/SYSTEM.md",
        "home/.gemini/SYSTEM.md",
    ];
    for path in by_order {
        world.write(path, format!("{path} {{{{x}}}}\n"));
    }
    world.write("repo/.claude/SYSTEM.md", "only `.omp` is looked for above");
    for path in by_order {
        let (found, text) = world.at("repo/a").prompt_file(PromptFileName::System).unwrap();
        assert_eq!((world.short(&found), text), (path.to_owned(), format!("{path} {{{{x}}}}\n")));
        world.remove(path);
    }
    assert_eq!(world.at("repo/a").prompt_file(PromptFileName::System), None);
}

#[test]
fn each_prompt_has_its_own_file() {
    let world = World::new(&[
        ("repo/.omp/SYSTEM.md", " \n"),
        ("home/.omp/agent/SYSTEM.md", "system"),
        ("repo/.omp/APPEND_SYSTEM.md", "append"),
        ("home/.gemini/TITLE_SYSTEM.md", "title"),
    ]);
    let text = |name| world.at("repo").prompt_file(name).unwrap().1;
    assert_eq!(text(PromptFileName::System), "system", "an empty file says nothing");
    assert_eq!(text(PromptFileName::AppendSystem), "append");
    assert_eq!(text(PromptFileName::TitleSystem), "title");
    let without = world.without("repo", &["gemini", "native"]);
    assert_eq!(without.prompt_file(PromptFileName::TitleSystem), None);
    assert_eq!(without.prompt_file(PromptFileName::System), None);
}
