use omp_config::discovery::{HookPhase, ToolForm};

use crate::world::{World, one_warning};

// proves: CFG-086
#[test]
fn native_folders_of_every_kind() {
    for root in ["repo/.omp", "home/.omp/agent"] {
        let world = World::new(&[]);
        for (path, text) in [
            ("commands/c.md", "c"),
            ("rules/r.md", "r"),
            ("rules/r2.mdc", "r"),
            ("prompts/p.md", "p"),
            ("instructions/i.md", "---\na: b\n---\ni"),
            ("hooks/pre/bash.sh", ""),
            ("hooks/post/read.ts", ""),
            ("tools/a.json", "{}"),
            ("tools/b.md", ""),
            ("tools/c.ts", ""),
            ("tools/d.js", ""),
            ("tools/e.sh", ""),
            ("tools/f.bash", ""),
            ("tools/g.py", ""),
            ("tools/h/index.ts", ""),
            ("tools/i.rb", ""),
            ("tools/j/other.ts", ""),
            ("extensions/m.ts", ""),
            ("extensions/x/gemini-extension.json", "{}"),
            ("skills/s/SKILL.md", "---\ndescription: d\n---\n"),
        ] {
            world.write(&format!("{root}/{path}"), text);
        }
        let found = world.at("repo");
        let below = |names: &[&str]| names.iter().map(|name| format!("{root}/{name}")).collect::<Vec<_>>();
        assert_eq!(world.used(&found.commands()), below(&["commands/c.md"]));
        assert_eq!(world.used(&found.rules()), below(&["rules/r.md", "rules/r2.mdc"]));
        assert_eq!(world.used(&found.prompts()), below(&["prompts/p.md"]));
        assert_eq!(world.used(&found.instructions()), below(&["instructions/i.md"]));
        assert_eq!(found.instructions().all[0].item.content, "i");
        assert_eq!(world.used(&found.hooks()), below(&["hooks/pre/bash.sh", "hooks/post/read.ts"]));
        assert_eq!(
            world.used(&found.tools()),
            below(&[
                "tools/c.ts",
                "tools/d.js",
                "tools/e.sh",
                "tools/f.bash",
                "tools/g.py",
                "tools/h/index.ts",
                "tools/a.json",
                "tools/b.md",
            ])
        );
        assert_eq!(world.used(&found.extension_modules()), below(&["extensions/m.ts"]));
        assert_eq!(world.used(&found.extensions()), below(&["extensions/x/gemini-extension.json"]));
        assert_eq!(world.used(&found.skills()), below(&["skills/s/SKILL.md"]));
    }
}

#[test]
fn an_empty_native_folder_is_no_folder() {
    let world = World::new(&[("home/.omp/agent/commands/a.md", "user")]);
    world.folder("repo/.omp");
    assert_eq!(world.used(&world.at("repo").commands()), ["home/.omp/agent/commands/a.md"]);
    assert!(world.at("repo").commands().warnings.is_empty());
}

// proves: CFG-085
#[test]
fn keys_of_each_kind() {
    let world = World::new(&[
        ("repo/.omp/skills/s/SKILL.md", "---\ndescription: d\n---\n"),
        ("repo/.claude/skills/s/SKILL.md", "---\ndescription: another\n---\n"),
        ("repo/.omp/tools/t.ts", ""),
        ("repo/.claude/tools/t.sh", ""),
        ("repo/.omp/extensions/e.ts", ""),
        ("home/.omp/agent/extensions/e.js", ""),
        ("repo/.omp/extensions/x/gemini-extension.json", r#"{"name": "same"}"#),
        ("repo/.gemini/extensions/y/gemini-extension.json", r#"{"name": "same"}"#),
        ("repo/.omp/hooks/pre/bash.sh", ""),
        ("repo/.omp/hooks/pre/bash.ts", ""),
        ("repo/.omp/hooks/post/bash.sh", ""),
        ("repo/.claude/hooks/pre/bash.sh", ""),
        ("repo/.omp/settings.json", "{}"),
        ("repo/.omp/config.yml", ""),
        ("repo/.claude/settings.json", "{}"),
    ]);
    let found = world.at("repo");
    assert_eq!(
        world.hidden(&found.skills()),
        ["repo/.claude/skills/s/SKILL.md < repo/.omp/skills/s/SKILL.md"]
    );
    assert_eq!(world.hidden(&found.tools()), ["repo/.claude/tools/t.sh < repo/.omp/tools/t.ts"]);
    assert_eq!(
        world.hidden(&found.extension_modules()),
        ["home/.omp/agent/extensions/e.js < repo/.omp/extensions/e.ts"]
    );
    assert_eq!(
        world.hidden(&found.extensions()),
        ["repo/.gemini/extensions/y/gemini-extension.json < repo/.omp/extensions/x/gemini-extension.json"]
    );
    assert_eq!(
        world.used(&found.hooks()),
        ["repo/.omp/hooks/pre/bash.sh", "repo/.omp/hooks/pre/bash.ts", "repo/.omp/hooks/post/bash.sh"]
    );
    assert_eq!(
        world.hidden(&found.hooks()),
        ["repo/.claude/hooks/pre/bash.sh < repo/.omp/hooks/pre/bash.sh"]
    );
    let settings: Vec<_> = found.sources().rows.into_iter().filter(|row| row.kind == "settings").collect();
    assert_eq!(settings.len(), 3);
    assert!(settings.iter().all(|row| row.shadowed_by.is_none()));
}

#[test]
fn hooks_name_their_tool() {
    let world = World::new(&[("repo/.codex/hooks/post/edit.check.sh", ""), ("repo/.codex/hooks/pre/.x", "")]);
    let hooks = world.at("repo").hooks();
    assert_eq!(hooks.all.len(), 1);
    let hook = &hooks.all[0].item;
    assert_eq!(
        (hook.phase, hook.tool.as_str(), hook.name.as_str()),
        (HookPhase::Post, "edit.check", "edit.check.sh")
    );
}

#[test]
fn a_description_does_not_hide_its_tool() {
    let world = World::new(&[("repo/.omp/tools/t.json", "{}"), ("repo/.omp/tools/t.py", "")]);
    let tools = world.at("repo").tools();
    let used: Vec<_> = tools.active().map(|finding| finding.item.form).collect();
    assert_eq!(used, [ToolForm::Script]);
}

#[test]
fn extension_modules() {
    let world = World::new(&[
        ("repo/.omp/extensions/both.js", ""),
        ("repo/.omp/extensions/both.ts", ""),
        ("repo/.omp/extensions/folder/index.js", ""),
        (
            "repo/.omp/extensions/package/package.json",
            r#"{"omp": {"extensions": ["./src/main.ts", "./gone.ts"]}}"#,
        ),
        ("repo/.omp/extensions/package/src/main.ts", ""),
        ("repo/.omp/extensions/package/index.ts", "not the entry"),
        ("repo/.omp/extensions/old/package.json", r#"{"pi": {"extensions": ["a.js", "b.js"]}}"#),
        ("repo/.omp/extensions/old/a.js", ""),
        ("repo/.omp/extensions/old/b.js", ""),
        ("repo/.omp/extensions/deep/er/index.ts", ""),
        ("repo/.omp/extensions/.hidden.ts", ""),
        ("repo/.omp/extensions/ignored.ts", ""),
        ("repo/.omp/extensions/dropped/index.ts", ""),
        ("repo/.gitignore", "ignored.ts\ndropped/\n"),
        ("repo/.claude/extensions/foreign.ts", ""),
    ]);
    let modules = world.at("repo").extension_modules();
    let names: Vec<_> = modules.active().map(|finding| finding.item.name.as_str()).collect();
    assert_eq!(names, ["both", "folder", "a", "b", "main"]);
    assert_eq!(world.hidden(&modules), ["repo/.omp/extensions/both.js < repo/.omp/extensions/both.ts"]);
}

#[test]
fn modules_that_old_settings_list() {
    let world = World::new(&[
        ("repo/.omp/settings.json", r#"{"extensions": ["lib/a.ts", "~/b.ts", "pack", "gone.ts", 1]}"#),
        ("repo/lib/a.ts", ""),
        ("home/b.ts", ""),
        ("repo/pack/index.ts", ""),
        ("home/.omp/agent/settings.json", r#"{"extensions": ["mine.ts"]}"#),
        ("home/.omp/agent/mine.ts", ""),
    ]);
    let modules = world.at("repo").extension_modules();
    assert_eq!(
        world.used(&modules),
        ["repo/lib/a.ts", "home/b.ts", "repo/pack/index.ts", "home/.omp/agent/mine.ts"]
    );
    assert!(one_warning(&modules).contains("repo/gone.ts, which has no module"));
}

#[test]
fn agents_of_omp_only() {
    let agent = |name: &str| format!("---\nname: {name}\ndescription: d\ntools: read\n---\nPrompt\n");
    let world = World::new(&[
        ("repo/a/.omp/agents/2.md", &agent("near")),
        ("repo/a/.omp/agents/1.md", &agent("shared")),
        ("repo/.omp/agents/far.md", &agent("far")),
        ("home/.omp/agent/agents/u.md", &agent("shared")),
        ("home/.omp/agent/agents/broken.md", "---\nname: x\n---\n"),
        ("repo/a/.claude/agents/c.md", &agent("claude")),
    ]);
    let agents = world.at("repo/a/b").agents();
    let names: Vec<_> = agents.active().map(|finding| finding.item.name.as_str()).collect();
    assert_eq!(names, ["shared", "near"]);
    let first = &agents.all[0].item;
    assert_eq!((first.description.as_str(), first.body.as_str()), ("d", "Prompt"));
    assert_eq!(serde_json::json!(first.fields), serde_json::json!({"tools": "read"}));
    assert_eq!(world.hidden(&agents), ["home/.omp/agent/agents/u.md < repo/a/.omp/agents/1.md"]);
    assert!(one_warning(&agents).contains("broken.md is skipped"));
}

#[test]
fn manifests_of_gemini() {
    let world = World::new(&[
        ("home/.gemini/extensions/a/gemini-extension.json", r#"{"name": "named", "mcpServers": {}}"#),
        ("repo/.gemini/extensions/a/gemini-extension.json", r#"{"name": "named"}"#),
        ("repo/.gemini/extensions/b/gemini-extension.json", "{}"),
        ("repo/.gemini/extensions/c/gemini-extension.json", "{"),
        ("repo/.gemini/extensions/d/other.json", "{}"),
    ]);
    let manifests = world.at("repo").extensions();
    let names: Vec<_> = manifests.active().map(|finding| finding.item.name.as_str()).collect();
    assert_eq!(names, ["named", "b"]);
    assert!(manifests.all[0].item.data.contains_key("mcpServers"), "the user's beats the project's");
    assert!(one_warning(&manifests).contains("c/gemini-extension.json is ignored: line 1"));
}
