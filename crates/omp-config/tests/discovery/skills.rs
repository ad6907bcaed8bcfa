use omp_config::discovery::{Description, Level, Skill};
use serde_json::json;

use crate::world::{World, one_warning};

const SKILL: &str = "---\ndescription: does it\n---\nHow.\n";

fn names(listing: &omp_config::discovery::Listing<Skill>) -> Vec<&str> {
    listing.active().map(|finding| finding.item.name.as_str()).collect()
}

// proves: EXT-001, EXT-003, EXT-007
#[test]
fn one_level_below_skills() {
    let world = World::new(&[
        ("repo/.omp/skills/a/SKILL.md", SKILL),
        ("repo/.omp/skills/group/b/SKILL.md", SKILL),
        ("repo/.omp/skills/SKILL.md", SKILL),
        ("repo/.omp/skills/c/skill.txt", SKILL),
        ("repo/.omp/skills/.d/SKILL.md", SKILL),
        ("home/.omp/agent/skills/e/SKILL.md", SKILL),
    ]);
    let skills = world.at("repo").skills();
    assert_eq!(names(&skills), ["a", "e"]);
    assert_eq!(skills.all[0].item.file, world.path("repo/.omp/skills/a/SKILL.md"));
    assert_eq!(skills.all[0].item.base, world.path("repo/.omp/skills/a"));
    assert!(skills.warnings.is_empty(), "{:?}", skills.warnings);
}

// proves: CFG-088
#[test]
fn every_directory_up_to_the_repository_has_skills() {
    let world = World::new(&[
        (".omp/skills/outside/SKILL.md", SKILL),
        ("repo/.omp/skills/top/SKILL.md", SKILL),
        ("repo/a/b/.omp/skills/near/SKILL.md", SKILL),
        ("home/.omp/agent/skills/mine/SKILL.md", SKILL),
    ]);
    let skills = world.at("repo/a/b").skills();
    assert_eq!(names(&skills), ["near", "top", "mine"]);
    let levels: Vec<_> = skills.all.iter().map(|finding| finding.origin.level).collect();
    assert_eq!(levels, [Level::Project, Level::Project, Level::User]);
    let below_home =
        World::new(&[("home/.omp/skills/h/SKILL.md", SKILL), ("home/x/.omp/skills/x/SKILL.md", SKILL)]);
    assert_eq!(names(&below_home.at("home/x").skills()), ["x", "h"], "up to home without a repository");
}

// proves: EXT-002
#[test]
fn every_field_is_read() {
    let world = World::new(&[
        (
            "repo/.omp/skills/dir/SKILL.md",
            "---\nname: other\ndescription: d\nglobs: ['*.rs', 1]\nalwaysApply: true\nhide: true\nlicense: MIT\n\
             allowed-tools: [read]\n---\nx",
        ),
        ("repo/.omp/skills/kebab/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\nx"),
        (
            "repo/.omp/skills/camel/SKILL.md",
            "---\ndescription: d\ndisableModelInvocation: true\nglobs: '*.md'\n---\nx",
        ),
        ("repo/.omp/skills/shown/SKILL.md", "---\ndescription: d\nhide: false\n---\nx"),
    ]);
    let skills = world.at("repo").skills();
    let skill = |name: &str| &skills.active().find(|finding| finding.item.name == name).unwrap().item;
    let other = skill("other");
    assert_eq!(other.description.as_deref(), Some("d"));
    assert_eq!(other.globs, ["*.rs"]);
    assert!(other.always_apply && other.hidden);
    assert_eq!(json!(other.metadata), json!({"license": "MIT", "allowed-tools": ["read"]}));
    assert!(skill("kebab").hidden && skill("camel").hidden && !skill("shown").hidden);
    assert_eq!(skill("camel").globs, ["*.md"]);
    assert!(skill("kebab").metadata.is_empty());
}

#[test]
fn some_providers_need_a_description() {
    let world = World::new(&[("home/.claude/plugins/installed_plugins.json", "")]);
    let plugin = world.path("plugin");
    world.write(
        "home/.claude/plugins/installed_plugins.json",
        json!({"plugins": {"p@m": [{"installPath": plugin}]}}).to_string(),
    );
    for (folder, name) in [
        ("repo/.omp", "native"),
        ("repo/.github", "github"),
        ("home/.claude", "claude"),
        ("repo/.claude", "claude-project"),
        ("home/.codex", "codex"),
        ("repo/.agents", "agents"),
        ("repo/.opencode", "opencode"),
        ("plugin", "plugin"),
    ] {
        world.write(&format!("{folder}/skills/{name}/SKILL.md"), "no front matter");
    }
    let skills = world.at("repo").skills();
    assert_eq!(names(&skills), ["claude", "claude-project", "plugin", "agents", "codex", "opencode"]);
    assert_eq!(skills.warnings.len(), 2, "{:?}", skills.warnings);
    assert!(skills.warnings.iter().all(|warning| warning.contains("add a `description`")));

    let custom = world.at("repo");
    let directory = world.path("home/.claude/skills");
    assert!(names(&custom.scan_skills(&directory, Description::Required)).is_empty());
    assert_eq!(names(&custom.scan_skills(&directory, Description::Optional)), ["claude"]);
}

// proves: CFG-084, EXT-008
#[test]
fn the_highest_priority_wins() {
    let world = World::new(&[]);
    world.package("pkg", &json!({}));
    world.write(
        "home/.claude/plugins/installed_plugins.json",
        json!({"version": 2, "plugins": {"p@m": [{"scope": "user", "installPath": world.path("plugin")}]}})
            .to_string(),
    );
    let by_priority = [
        ("repo/.omp", "native"),
        ("home/.omp/agent", "native"),
        ("home/.omp/plugins/node_modules/pkg", "omp-plugins"),
        ("home/.claude", "claude"),
        ("repo/.claude", "claude"),
        ("plugin", "claude-plugins"),
        ("repo/.agent", "agents"),
        ("home/.agents", "agents"),
        ("home/.codex", "codex"),
        ("home/.config/opencode", "opencode"),
        ("repo/.github", "github"),
    ];
    for (folder, _) in by_priority {
        world.write(&format!("{folder}/skills/same/SKILL.md"), SKILL);
    }
    world.write("home/.github/skills/other/SKILL.md", SKILL);
    for (folder, provider) in by_priority {
        let skills = world.at("repo").skills();
        let winner = skills.active().next().unwrap();
        assert_eq!(
            (world.short(&winner.origin.path), winner.origin.provider),
            (format!("{folder}/skills/same/SKILL.md"), provider)
        );
        world.remove(&format!("{folder}/skills/same/SKILL.md"));
    }
    assert!(world.at("repo").skills().all.is_empty(), "GitHub has skills in projects only");
}

// proves: EXT-009
#[test]
fn collisions_are_told_and_links_count_once() {
    let world = World::new(&[
        ("repo/.omp/skills/a/SKILL.md", SKILL),
        ("repo/.claude/skills/a/SKILL.md", "other"),
        ("repo/shared/s/SKILL.md", SKILL),
    ]);
    world.link("../../shared/s", "repo/.omp/skills/one");
    world.link("../../shared/s", "repo/.omp/skills/two");
    world.link("../../shared/s", "repo/.claude/skills/one");
    let skills = world.at("repo").skills();
    assert_eq!(names(&skills), ["a", "one"]);
    let warning = one_warning(&skills);
    assert!(warning.contains(".claude/skills/a/SKILL.md is ignored"), "{warning}");
    assert!(warning.contains(".omp/skills/a/SKILL.md already provides the skill `a`"), "{warning}");
}

#[test]
fn broken_front_matter() {
    let world = World::new(&[
        ("repo/.omp/skills/colon/SKILL.md", "---\ndescription: Use when: asked\n---\nx"),
        ("repo/.omp/skills/half/SKILL.md", "---\ndescription: [oops\n---\nx"),
        ("repo/.omp/skills/good/SKILL.md", SKILL),
    ]);
    let skills = world.at("repo").skills();
    assert_eq!(
        names(&skills),
        ["colon", "good"],
        "what only lacked quotes is used, what is half a list is not"
    );
    assert!(skills.warnings.iter().any(|warning| warning.contains("colon/SKILL.md: line 2:")));
    assert!(skills.warnings.iter().any(|warning| warning.contains("half/SKILL.md is skipped")));
}
