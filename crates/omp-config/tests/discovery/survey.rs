use omp_config::discovery::{Survey, SurveyLimits, survey};

use crate::world::World;

fn look(world: &World, cwd: &str, limits: SurveyLimits) -> Survey {
    survey(&world.path(cwd), Some(&world.path("repo")), &limits)
}

fn shown(survey: &Survey) -> Vec<String> {
    let name = |entry: &omp_config::discovery::SurveyEntry| {
        format!("{}{}", entry.path.display(), if entry.is_directory { "/" } else { "" })
    };
    survey.tree.iter().map(name).collect()
}

#[test]
fn what_is_below_level_by_level() {
    let world = World::new(&[
        ("repo/AGENTS.md", "its own"),
        ("repo/b/AGENTS.md", "x"),
        ("repo/a/deep/AGENTS.md", "x"),
        ("repo/a/file.rs", "x"),
        ("repo/node_modules/p/AGENTS.md", "x"),
        ("repo/.hidden/AGENTS.md", "x"),
        ("repo/skipped/AGENTS.md", "x"),
        ("repo/a/generated.rs", "x"),
        ("repo/.gitignore", "skipped/\n"),
        ("repo/a/.gitignore", "generated.*\n"),
    ]);
    world.link("..", "repo/a/loop");
    let found = look(&world, "repo", SurveyLimits::default());
    assert_eq!(
        shown(&found),
        ["AGENTS.md", "a/", "b/", "a/deep/", "a/file.rs", "a/loop/", "b/AGENTS.md", "a/deep/AGENTS.md"]
    );
    let agents: Vec<_> = found.agents_files.iter().map(|path| world.short(path)).collect();
    assert_eq!(agents, ["repo/a/deep/AGENTS.md", "repo/b/AGENTS.md"]);
    assert!(found.complete);
    assert_eq!(look(&world, "repo", SurveyLimits::default()), found, "always the same");
}

#[test]
fn rules_of_the_repository_hold_below_it() {
    let world = World::new(&[
        ("repo/.gitignore", "*.log\n/a/x\n"),
        ("repo/a/x", ""),
        ("repo/a/y.log", ""),
        ("repo/a/z", ""),
    ]);
    assert_eq!(shown(&look(&world, "repo/a", SurveyLimits::default())), ["z"]);
}

#[test]
fn limits_are_kept_and_told() {
    let world = World::new(&[
        ("repo/a/b/c/d/e/AGENTS.md", "too deep"),
        ("repo/z/AGENTS.md", "x"),
        ("repo/y/AGENTS.md", "x"),
    ]);
    let deep = look(&world, "repo", SurveyLimits::default());
    assert_eq!(deep.agents_files.len(), 2);
    assert!(!deep.complete);
    let few = look(&world, "repo", SurveyLimits { entries: 4, ..SurveyLimits::default() });
    assert_eq!(shown(&few), ["a/", "y/", "z/", "a/b/"]);
    assert!(!few.complete);
    let impatient = SurveyLimits { patience: std::time::Duration::ZERO, ..SurveyLimits::default() };
    let shallow = look(&world, "repo", impatient);
    assert!(!shallow.complete && shallow.tree.iter().all(|entry| entry.path.components().count() == 1));
    let one = look(&world, "repo/z", SurveyLimits { agents_files: 0, ..SurveyLimits::default() });
    assert!(one.complete && one.agents_files.is_empty(), "the directory's own file is not listed");
    let cut = look(&world, "repo", SurveyLimits { agents_files: 1, depth: 9, ..SurveyLimits::default() });
    assert_eq!(cut.agents_files, [world.path("repo/a/b/c/d/e/AGENTS.md")]);
    assert!(!cut.complete);
}
