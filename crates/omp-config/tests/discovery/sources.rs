use omp_config::discovery::Level;

use crate::world::World;

#[test]
fn everything_is_listed_with_what_hides_it() {
    let world = World::new(&[
        ("repo/.omp/skills/s/SKILL.md", "---\ndescription: d\n---\n"),
        ("repo/.claude/skills/s/SKILL.md", "x"),
        ("home/.omp/agent/AGENTS.md", "mine"),
        ("home/.claude/CLAUDE.md", "hidden"),
        ("repo/.omp/SYSTEM.md", "system"),
        ("home/.omp/agent/SYSTEM.md", "hidden"),
        ("repo/.omp/rules/r.md", "---\na: [\n---\nx"),
        ("repo/.omp/hooks/pre/bash.sh", ""),
    ]);
    let sources = world.at("repo").sources();
    let rows: Vec<_> = sources
        .rows
        .iter()
        .map(|row| {
            let winner = row.shadowed_by.as_ref().map(|path| world.short(path)).unwrap_or_default();
            (row.kind, row.name.as_str(), row.provider, world.short(&row.path), winner)
        })
        .collect();
    let row = |kind, name, provider, path: &str, winner: &str| {
        (kind, name, provider, path.to_owned(), winner.to_owned())
    };
    assert_eq!(
        rows,
        [
            row("context file", "AGENTS.md", "native", "home/.omp/agent/AGENTS.md", ""),
            row("context file", "CLAUDE.md", "claude", "home/.claude/CLAUDE.md", "home/.omp/agent/AGENTS.md"),
            row("system prompt", "SYSTEM.md", "native", "repo/.omp/SYSTEM.md", ""),
            row("system prompt", "SYSTEM.md", "native", "home/.omp/agent/SYSTEM.md", "repo/.omp/SYSTEM.md"),
            row("skill", "s", "native", "repo/.omp/skills/s/SKILL.md", ""),
            row("skill", "s", "claude", "repo/.claude/skills/s/SKILL.md", "repo/.omp/skills/s/SKILL.md"),
            row("rule", "r", "native", "repo/.omp/rules/r.md", ""),
            row("hook", "pre:bash:bash.sh", "native", "repo/.omp/hooks/pre/bash.sh", ""),
        ]
    );
    assert_eq!((sources.rows[0].level, sources.rows[0].label), (Level::User, "omp"));
    assert_eq!(sources.rows[1].label, "Claude Code");
    assert_eq!(sources.warnings.len(), 2, "{:?}", sources.warnings);
}
