use omp_config::discovery::{InterruptMode, Listing, Rule};

use crate::world::{World, one_warning};

fn names(listing: &Listing<Rule>) -> Vec<&str> {
    listing.active().map(|finding| finding.item.name.as_str()).collect()
}

fn rule(text: &str) -> Rule {
    let world = World::new(&[("repo/.omp/rules/r.md", text)]);
    world.at("repo").rules().all[0].item.clone()
}

// proves: EXT-106
#[test]
fn native_rules() {
    let world = World::new(&[
        ("repo/.omp/rules/a.md", "A"),
        ("repo/.omp/rules/b.mdc", "B"),
        ("repo/.omp/rules/c.txt", "no"),
        ("repo/.omp/rules/sub/d.md", "no"),
        ("home/.omp/agent/rules/e.md", "E"),
        ("repo/x/.omp/rules/f.md", "no"),
        (".omp/rules/g.md", "no"),
    ]);
    assert_eq!(names(&world.at("repo").rules()), ["a", "b", "e"]);
}

// proves: EXT-107
#[test]
fn rules_of_others() {
    let world = World::new(&[
        ("home/.cursor/rules/cu.mdc", "x"),
        ("repo/a/.cursor/rules/cp.md", "x"),
        ("home/.codeium/windsurf/memories/global_rules.md", "x"),
        ("repo/a/.windsurf/rules/w.md", "x"),
        ("repo/a/.windsurf/rules/w.mdc", "no"),
        ("repo/.clinerules/far.md", "x"),
        ("repo/.clinerules/far.mdc", "no"),
    ]);
    assert_eq!(names(&world.at("repo/a").rules()), ["cu", "cp", "global_rules", "w", "far"]);
    assert!(world.at("repo/a").rules().warnings.is_empty());
    world.write("repo/a/.clinerules", "one file");
    let rules = world.at("repo/a").rules();
    assert_eq!(names(&rules), ["cu", "cp", "global_rules", "w", "clinerules"], "only the nearest");
    assert_eq!(rules.all.last().unwrap().item.content, "one file");
}

// proves: EXT-109
#[test]
fn priority_and_order_within_a_provider() {
    let by_priority = [
        "repo/.omp/rules/global_rules.md",
        "home/.omp/agent/rules/global_rules.md",
        "home/.omp/plugins/node_modules/pkg/rules/global_rules.md",
        "home/.cursor/rules/global_rules.md",
        "repo/.cursor/rules/global_rules.md",
        "home/.codeium/windsurf/memories/global_rules.md",
        "repo/.windsurf/rules/global_rules.md",
        "repo/.clinerules/global_rules.md",
    ];
    let world = World::new(&[]);
    world.package("pkg", &serde_json::json!({}));
    for path in by_priority {
        world.write(path, path);
    }
    for (removed, path) in by_priority.iter().enumerate() {
        let rules = world.at("repo").rules();
        assert_eq!(world.used(&rules), [*path]);
        assert_eq!(
            world.hidden(&rules).len(),
            by_priority.len() - removed - 1,
            "the others are kept as shadowed"
        );
        world.remove(path);
    }
}

// proves: EXT-110
#[test]
fn every_field_is_read() {
    let found = rule(
        "---\ndescription: d\nglobs: [a, b]\nalwaysApply: true\ncondition: [foo, bar]\nastCondition: $X.unwrap()\n\
         scope: [text, thinking]\ninterruptMode: prose-only\n---\n\nBody\n",
    );
    assert_eq!((found.name.as_str(), found.content.as_str()), ("r", "Body"));
    assert_eq!(found.description.as_deref(), Some("d"));
    assert_eq!(found.globs, ["a", "b"]);
    assert!(found.always_apply);
    assert_eq!(found.condition, ["foo", "bar"]);
    assert_eq!(found.ast_condition, ["$X.unwrap()"]);
    assert_eq!(found.scope, ["text", "thinking"]);
    assert_eq!(found.interrupt_mode, Some(InterruptMode::ProseOnly));
    for (written, mode) in [
        ("never", InterruptMode::Never),
        ("tool-only", InterruptMode::ToolOnly),
        ("always", InterruptMode::Always),
    ] {
        assert_eq!(rule(&format!("---\ninterruptMode: {written}\n---\nx")).interrupt_mode, Some(mode));
    }
}

#[test]
fn an_unknown_interrupt_mode_is_named() {
    let world = World::new(&[("repo/.omp/rules/r.md", "---\ninterruptMode: sometimes\n---\nx")]);
    let rules = world.at("repo").rules();
    assert_eq!(rules.all[0].item.interrupt_mode, None);
    assert!(one_warning(&rules).contains("never, prose-only, tool-only or always"));
}

// proves: EXT-111
#[test]
fn one_string_or_a_list() {
    let found = rule("---\nglobs: '*.rs'\ncondition: foo\nscope: text\n---\nx");
    assert_eq!(
        (found.globs, found.condition, found.scope),
        (vec!["*.rs".into()], vec!["foo".into()], vec!["text".into()])
    );
    assert_eq!(rule("---\nttsr_trigger: old\n---\nx").condition, ["old"]);
    assert_eq!(rule("---\nttsrTrigger: [old, older]\n---\nx").condition, ["old", "older"]);
    assert_eq!(rule("---\ncondition: new\nttsr_trigger: old\n---\nx").condition, ["new"]);
}

#[test]
fn a_file_pattern_as_condition_is_a_scope() {
    let found = rule("---\ncondition: '*.rs'\nscope: text\n---\nx");
    assert_eq!(found.condition, [".*"]);
    assert_eq!(found.scope, ["text", "tool:edit(*.rs)", "tool:write(*.rs)"]);
    let both = rule("---\ncondition: ['*.rs', 'unwrap\\(']\n---\nx");
    assert_eq!(both.condition, ["unwrap\\("]);
    assert_eq!(both.scope, ["tool:edit(*.rs)", "tool:write(*.rs)"]);
}

// proves: EXT-113
#[test]
fn rules_without_front_matter_load() {
    let found = rule("\n  just text\n");
    assert_eq!(found.content, "just text");
    assert_eq!(
        Rule {
            name: found.name.clone(),
            path: found.path.clone(),
            content: found.content.clone(),
            ..Rule::default()
        },
        found
    );
}

// proves: EXT-114
#[test]
fn invalid_yaml_gives_strings_and_a_warning() {
    let world = World::new(&[(
        "repo/.omp/rules/r.md",
        "---\nalwaysApply: true\ndescription: a: b\nglobs: *.rs\n---\nx",
    )]);
    let rules = world.at("repo").rules();
    let found = &rules.all[0].item;
    assert!(!found.always_apply, "a string is no boolean");
    assert_eq!(found.description.as_deref(), Some("a: b"));
    assert_eq!(found.globs, ["*.rs"]);
    assert!(one_warning(&rules).contains("repo/.omp/rules/r.md: line 3: the front matter is not valid YAML"));
}

// proves: EXT-115
#[test]
fn cursor_details() {
    let world = World::new(&[(
        "repo/.cursor/rules/r.mdc",
        "---\nalwaysApply: false\ndescription: 12\nglobs: [a, 1]\n---\nx",
    )]);
    let found = world.at("repo").rules().all[0].item.clone();
    assert!(!found.always_apply);
    assert_eq!(found.description, None);
    assert_eq!(found.globs, ["a"]);
}

// proves: EXT-116
#[test]
fn the_old_single_files_are_not_read() {
    let world = World::new(&[
        ("repo/.cursorrules", "x"),
        ("repo/.windsurfrules", "x"),
        ("home/.cursorrules", "x"),
        ("home/.windsurfrules", "x"),
    ]);
    assert!(world.at("repo").rules().all.is_empty());
}
