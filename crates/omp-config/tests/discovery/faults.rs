use std::os::unix::fs::PermissionsExt;

use nix::sys::stat::Mode;

use crate::world::{World, one_warning};

fn fifo(world: &World, path: &str) {
    let path = world.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    nix::unistd::mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
}

/// Files of every kind whose text is read.
const READ: [&str; 16] = [
    "home/.omp/agent/AGENTS.md",
    "repo/AGENTS.md",
    "repo/.omp/RULES.md",
    "repo/.omp/SYSTEM.md",
    "repo/.omp/skills/s/SKILL.md",
    "repo/.claude/skills/s/SKILL.md",
    "repo/.omp/rules/r.md",
    "repo/.clinerules",
    "home/.codeium/windsurf/memories/global_rules.md",
    "repo/.omp/commands/c.md",
    "repo/.claude/commands/x/c.md",
    "repo/.omp/prompts/p.md",
    "repo/.omp/instructions/i.md",
    "repo/.omp/extensions/e/gemini-extension.json",
    "repo/.omp/mcp.json",
    "repo/.omp/agents/a.md",
];

#[test]
fn pipes_never_hang() {
    let world = World::new(&[("repo/.omp/rules/good.md", "x")]);
    for path in READ {
        fifo(&world, path);
    }
    fifo(&world, "repo/.gitignore");
    fifo(&world, "repo/.omp/settings.json");
    fifo(&world, "home/.claude/plugins/installed_plugins.json");
    let sources = world.at("repo").sources();
    let used: Vec<_> =
        sources.rows.iter().filter(|row| row.kind != "settings").map(|row| world.short(&row.path)).collect();
    assert_eq!(used, ["repo/.omp/rules/good.md"]);
    assert!(
        sources
            .warnings
            .iter()
            .any(|warning| warning.contains("repo/AGENTS.md is ignored: it is a named pipe"))
    );
}

#[test]
fn directories_and_loops_in_the_place_of_files() {
    let folders = World::new(&[]);
    let loops = World::new(&[]);
    for path in READ {
        folders.folder(path);
        let name = path.rsplit('/').next().unwrap();
        loops.link(name, path);
    }
    for world in [folders, loops] {
        assert!(world.at("repo").sources().rows.is_empty());
        let files = world.at("repo").context_files();
        assert_eq!(files.warnings.len(), 2, "{:?}", files.warnings);
    }
}

#[test]
fn folders_that_lead_back_to_themselves() {
    let world = World::new(&[("repo/.claude/commands/a/c.md", "x"), ("repo/.omp/prompts/p.md", "x")]);
    world.link("..", "repo/.claude/commands/a/up");
    world.link(".", "repo/.omp/prompts/here");
    let found = world.at("repo");
    assert_eq!(world.used(&found.commands()).len(), 2, "one file with two names");
    assert_eq!(world.used(&found.prompts()), ["repo/.omp/prompts/p.md"]);
}

#[test]
fn unreadable_files_and_folders_are_named() {
    if nix::unistd::geteuid().is_root() {
        return unreadable_even_for_root();
    }
    let world = World::new(&[("repo/AGENTS.md", "x"), ("repo/.omp/rules/a.md", "x")]);
    for path in ["repo/AGENTS.md", "repo/.omp/rules"] {
        std::fs::set_permissions(world.path(path), std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    assert!(one_warning(&world.at("repo").context_files()).contains("repo/AGENTS.md is ignored"));
    assert!(one_warning(&world.at("repo").rules()).contains("repo/.omp/rules:"));
    std::fs::set_permissions(world.path("repo/.omp/rules"), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Permissions do not stop root; a link to itself stops everyone.
fn unreadable_even_for_root() {
    let world = World::new(&[("repo/.omp/commands/c.md", "x")]);
    world.link("rules", "repo/.omp/rules");
    assert!(one_warning(&world.at("repo").rules()).contains("repo/.omp/rules:"));
    assert_eq!(world.used(&world.at("repo").commands()), ["repo/.omp/commands/c.md"]);
}

#[test]
fn byte_order_marks_and_carriage_returns_everywhere() {
    let mark = "\u{feff}";
    let world = World::new(&[]);
    for (path, text) in [
        ("repo/AGENTS.md", "one\r\n@i.md\r\n```\r\n@i.md\r\n```\r\n"),
        ("repo/i.md", "imported\r\n"),
        ("repo/.omp/RULES.md", "---\r\na: b\r\n---\r\nsticky\r\nrule\r\n"),
        ("repo/.omp/SYSTEM.md", "system\r\n"),
        ("repo/.omp/skills/s/SKILL.md", "---\r\nname: n\r\ndescription: d\r\n---\r\nx"),
        ("repo/.omp/rules/r.md", "---\r\nglobs:\r\n  - a\r\n---\r\nb\r\nc\r\n"),
        ("repo/.omp/commands/c.md", "---\r\ndescription: d\r\n---\r\nb\r\nc\r\n"),
        ("repo/.omp/prompts/p.md", "first\r\nsecond\r\n"),
        ("repo/.omp/instructions/i.md", "---\r\na: b\r\n---\r\ni\r\n"),
        ("repo/.omp/mcp.json", "{\r\n\"mcpServers\": {\"m\": {}}\r\n}"),
        ("repo/.omp/agents/a.md", "---\r\nname: a\r\ndescription: d\r\n---\r\nx\r\ny"),
        ("repo/.omp/extensions/e/gemini-extension.json", "{\r\n}"),
        ("repo/.codex/config.toml", "[mcp_servers.t]\r\ncommand = 'c'\r\n"),
        ("repo/.gitignore", "ignored.md\r\n"),
        ("repo/.omp/commands/ignored.md", "x"),
    ] {
        world.write(path, format!("{mark}{text}"));
    }
    let found = world.at("repo");
    assert_eq!(found.context_files().all[0].item.content, "one\nimported\n```\n@i.md\n```\n");
    assert_eq!(found.sticky_rules().all[0].item.content, "sticky\nrule");
    assert_eq!(found.prompt_file(omp_config::discovery::PromptFileName::System).unwrap().1, "system\n");
    assert_eq!(found.skills().all[0].item.name, "n");
    let rule = found.rules().all[0].item.clone();
    assert_eq!((rule.globs, rule.content.as_str()), (vec!["a".to_owned()], "b\nc"));
    let commands = found.commands();
    assert_eq!(commands.all.len(), 1);
    assert_eq!(
        (commands.all[0].item.description.as_str(), commands.all[0].item.body.as_str()),
        ("d", "b\nc")
    );
    assert_eq!(found.prompts().all[0].item.description, "first (project)");
    assert_eq!(found.instructions().all[0].item.content, "i");
    let servers: Vec<_> = found.mcp_servers().all.into_iter().map(|finding| finding.item.name).collect();
    assert_eq!(servers, ["m", "t"]);
    assert_eq!(found.agents().all[0].item.body, "x\ny");
    assert_eq!(found.extensions().all[0].item.name, "e");
    assert_eq!(found.sources().warnings, [""; 0]);
}

#[test]
fn sixteen_bit_files_are_text() {
    let world = World::new(&[]);
    let bytes: Vec<u8> = "\u{feff}hé\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    world.write("repo/AGENTS.md", bytes);
    let files = world.at("repo").context_files();
    assert_eq!(files.all[0].item.content, "hé\n");
    assert!(files.warnings.is_empty());
}

#[test]
fn bytes_that_are_no_text() {
    let world = World::new(&[]);
    world.write("repo/AGENTS.md", b"caf\xe9 au lait");
    world.write("repo/.omp/rules/r.md", b"a\0b");
    let files = world.at("repo").context_files();
    assert_eq!((files.all[0].item.content.as_str(), files.warnings.len()), ("café au lait", 0));
    world.write("repo/AGENTS.md", b"caf\xc3\xa9 \xff lait");
    let files = world.at("repo").context_files();
    assert_eq!(files.all[0].item.content, "café \u{fffd} lait");
    assert!(one_warning(&files).contains("repo/AGENTS.md contains bytes that are not UTF-8"));
    let rules = world.at("repo").rules();
    assert!(rules.all.is_empty() && one_warning(&rules).contains("is not a text file"));
}

#[test]
fn a_file_of_fifty_megabytes_costs_its_beginning() {
    let world = World::new(&[("repo/AGENTS.md", "")]);
    let text = format!("{}é", "x".repeat(256 * 1024 - 1));
    world.write("repo/AGENTS.md", &text);
    let file = std::fs::OpenOptions::new().write(true).open(world.path("repo/AGENTS.md")).unwrap();
    file.set_len(50_000_000).unwrap();
    let files = world.at("repo").context_files();
    let content = &files.all[0].item.content;
    assert!(content.len() < 256 * 1024 + 500);
    let path = world.path("repo/AGENTS.md");
    let note =
        format!("x\n[{} is cut here: it has 50000000 bytes, and 262144 of them are loaded.]", path.display());
    assert!(content.ends_with(&note), "{}", &content[content.len() - 200..]);
    assert!(one_warning(&files).contains("has 50000000 bytes; only the first 262144 are read"));
}

#[test]
fn all_context_files_together_are_bounded() {
    let world = World::new(&[("home/.omp/agent/AGENTS.md", "mine")]);
    let mut cwd = "repo".to_owned();
    for depth in 0..8 {
        world.write(&format!("{cwd}/AGENTS.md"), format!("{depth}").repeat(200 * 1024));
        cwd.push_str("/d");
    }
    let deepest = "repo/d/d/d/d/d/d/d";
    let files = world.at(deepest).context_files();
    let total: usize = files.active().map(|finding| finding.item.content.len()).sum();
    assert!(total < 1024 * 1024 + 2000, "{total}");
    let contents: Vec<_> = files.active().map(|finding| finding.item.content.len()).collect();
    assert_eq!(contents[0], 4, "the user's is whole");
    assert_eq!(contents.last(), Some(&(200 * 1024)), "so is the nearest");
    assert!(files.warnings.iter().any(|warning| warning.contains("the context files exceed")));
}

#[test]
fn a_folder_with_too_many_files_is_named() {
    let world = World::new(&[]);
    world.folder("repo/.omp/rules");
    for number in 0..4100 {
        std::fs::File::create(world.path(&format!("repo/.omp/rules/{number}.txt"))).unwrap();
    }
    assert!(one_warning(&world.at("repo").rules()).contains("more than 4096 entries"));
}
