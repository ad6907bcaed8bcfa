use omp_config::discovery::PromptFileName;

use crate::world::World;

// proves: CFG-013
#[test]
fn folders_of_another_program_are_not_looked_at() {
    let world = World::new(&[]);
    world.write("repo/.pi/commands/x.md", "no");
    world.write("home/.pi/commands/x.md", "no");
    assert!(world.at("repo").commands().all.is_empty());
    world.write("repo/.omp/commands/x.md", "yes");
    assert_eq!(world.at("repo").commands().all.len(), 1);
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
