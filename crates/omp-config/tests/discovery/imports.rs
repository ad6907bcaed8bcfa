use omp_config::discovery::{Outside, PromptFileName};

use crate::world::{World, one_warning};

/// The text of the context file in `repo`, with the user's consent to what it imports.
fn text(world: &World) -> String {
    let files = world.at("repo").admitting(Outside::Everything).context_files();
    files.active().next().expect("a context file").item.content.clone()
}

fn expanded(files: &[(&str, &str)]) -> String {
    text(&World::new(files))
}

// proves: CFG-112
#[test]
fn a_token_is_replaced_by_the_file_it_names() {
    let world = World::new(&[
        ("repo/AGENTS.md", "Read @docs/a.md now.\n@~/note.md\n"),
        ("repo/docs/a.md", "A, then @b.md\n"),
        ("repo/docs/b.md", "B"),
        ("repo/b.md", "the wrong one"),
        ("home/note.md", "note\n\n"),
    ]);
    assert_eq!(text(&world), "Read A, then B now.\nnote\n");
    world.write("repo/AGENTS.md", format!("@{}", world.path("repo/docs/b.md").display()));
    assert_eq!(text(&world), "B");
    world.write("repo/AGENTS.md", "@~ stays: it is a folder");
    assert_eq!(text(&world), "@~ stays: it is a folder");
}

// proves: CFG-112
#[test]
fn paths_start_at_the_file_and_not_at_the_working_directory() {
    let world = World::new(&[
        ("repo/AGENTS.md", "@docs/a.md"),
        ("repo/docs/a.md", "of the root"),
        ("repo/x/docs/a.md", "of the directory"),
    ]);
    let files = world.at("repo/x").context_files();
    assert_eq!(files.active().next().unwrap().item.content, "of the root");
}

// proves: CFG-113, CFG-114, CFG-115
#[test]
fn code_mail_and_punctuation_stay() {
    let source = "me@a.md git@a.md\n`@a.md` and ``x ` @a.md``\n```\n@a.md\n```\n~~~\n@a.md\n~~~\nSee @a.md.\n(see @b.md)";
    let wanted = source.replace("See @a.md.", "See A.").replace("see @b.md)", "see B)");
    assert_eq!(expanded(&[("repo/AGENTS.md", source), ("repo/a.md", "A\n"), ("repo/b.md", "B")]), wanted);
}

// proves: CFG-116
#[test]
fn five_hops_and_no_more() {
    let world = World::new(&[("repo/AGENTS.md", "0 @1")]);
    for hop in 1..=6 {
        world.write(&format!("repo/{hop}"), format!("{hop} @{}", hop + 1));
    }
    assert_eq!(text(&world), "0 1 2 3 4 5 @6");
}

// proves: CFG-117
#[test]
fn circles_end() {
    let files =
        [("repo/AGENTS.md", "root @a.md"), ("repo/a.md", "A @b.md"), ("repo/b.md", "B @a.md @AGENTS.md")];
    assert_eq!(expanded(&files), "root A B @a.md @AGENTS.md");
    assert_eq!(expanded(&[("repo/AGENTS.md", "@AGENTS.md")]), "@AGENTS.md");
    let twice = [("repo/AGENTS.md", "@a.md @b.md"), ("repo/a.md", "A"), ("repo/b.md", "B @a.md")];
    assert_eq!(expanded(&twice), "A B @a.md");
    let world = World::new(&[("repo/AGENTS.md", "@link.md")]);
    world.link("AGENTS.md", "repo/link.md");
    assert_eq!(text(&world), "@link.md", "a link to itself is itself");
}

// proves: CFG-118
#[test]
fn what_cannot_be_read_stays() {
    let world = World::new(&[("repo/AGENTS.md", "@none.md @docs @data.bin @pipe @loop @/dev/zero @someone")]);
    world.folder("repo/docs");
    world.write("repo/data.bin", b"a\0b");
    nix::unistd::mkfifo(&world.path("repo/pipe"), nix::sys::stat::Mode::S_IRUSR).unwrap();
    world.link("loop", "repo/loop");
    assert_eq!(text(&world), "@none.md @docs @data.bin @pipe @loop @/dev/zero @someone");
}

#[test]
fn imports_share_a_bounded_space() {
    let world = World::new(&[]);
    world.write("repo/AGENTS.md", "@0 @1 @2 @3 @4 @5 end");
    for file in 0..6 {
        world.write(&format!("repo/{file}"), format!("{file}").repeat(250 * 1024));
    }
    let files = world.at("repo").context_files();
    let content = &files.all[0].item.content;
    assert!(content.len() < 1024 * 1024 + 100, "{}", content.len());
    assert!(content.ends_with("@4 @5 end"));
    assert!(
        files.warnings.iter().any(|warning| warning.contains("reached their size limit")),
        "{:?}",
        files.warnings
    );
}

#[test]
fn a_huge_import_is_cut() {
    let world = World::new(&[("repo/AGENTS.md", "@big.log end")]);
    world.write("repo/big.log", "x".repeat(300 * 1024));
    let content = text(&world);
    assert!(
        content.contains("big.log is cut here: it has 307200 bytes, and 262144 of them are loaded.] end")
    );
}

#[test]
fn a_project_reaches_outside_only_with_consent() {
    let world = World::new(&[
        ("repo/AGENTS.md", "@~/.ssh/id @~/.codex/auth.json @~/.claude/notes.md @inside.md"),
        ("repo/inside.md", "inside"),
        ("home/.ssh/id", "key"),
        ("home/.codex/auth.json", "{}"),
        ("home/.claude/notes.md", "notes"),
    ]);
    let untouched = "@~/.ssh/id @~/.codex/auth.json @~/.claude/notes.md inside";
    let discovery = world.at("repo");
    let files = discovery.context_files();
    assert_eq!(files.all[0].item.content, untouched);
    assert_eq!(files.warnings.len(), 3, "{:?}", files.warnings);
    assert!(files.warnings[0].contains("repo/AGENTS.md imports credentials"), "{:?}", files.warnings);
    assert!(
        files.warnings[2].contains("home/.claude/notes.md from outside the project"),
        "{:?}",
        files.warnings
    );
    let notes = world.path("home/.claude/notes.md").canonicalize().unwrap();
    assert_eq!(discovery.left_outside(), std::slice::from_ref(&notes));

    let agreed = world.at("repo").admitting(Outside::Only(vec![notes]));
    assert!(agreed.context_files().all[0].item.content.ends_with("notes inside"));
    // Consent does not reach credentials.
    let all = world.at("repo").admitting(Outside::Everything);
    assert_eq!(all.context_files().all[0].item.content, "@~/.ssh/id @~/.codex/auth.json notes inside");

    let own =
        World::new(&[("home/.omp/agent/AGENTS.md", "@~/notes.md @~/.ssh/id"), ("home/notes.md", "mine")]);
    own.write("home/.ssh/id", "key");
    let files = own.at("repo").context_files();
    assert_eq!(files.all[0].item.content, "mine @~/.ssh/id", "the user may, but for keys");
}

#[test]
fn a_link_out_of_the_project_is_left_out() {
    let world = World::new(&[("home/notes.md", "notes")]);
    world.link("../home/notes.md", "repo/AGENTS.md");
    let files = world.at("repo").context_files();
    assert!(files.all.is_empty(), "{:?}", files.all);
    assert!(one_warning(&files).contains("outside the project"));
    let agreed = world.at("repo").admitting(Outside::Everything).context_files();
    assert_eq!(agreed.all[0].item.content, "notes");
}

#[test]
fn everything_that_is_a_link_out_of_the_project_is_left_out() {
    let world = World::new(&[("home/notes.md", "notes"), ("repo/.omp/rules/own.md", "x")]);
    world.write("home/skills/thief/SKILL.md", "---\ndescription: d\n---\nbody");
    world.link("../../../home/notes.md", "repo/.omp/rules/stolen.md");
    for name in ["RULES.md", "SYSTEM.md", "APPEND_SYSTEM.md"] {
        world.link("../../home/notes.md", &format!("repo/.omp/{name}"));
    }
    world.link("../../home/skills", "repo/.omp/skills");
    world.link("../../home", "repo/.omp/commands");
    world.link("own.md", "repo/.omp/rules/alias.md");
    let rules = world.at("repo").rules();
    assert!(one_warning(&rules).contains("rules/stolen.md imports"));
    assert_eq!(rules.all.len(), 2, "own and alias");
    let sticky = world.at("repo").sticky_rules();
    assert!(one_warning(&sticky).contains(".omp/RULES.md imports") && sticky.all.is_empty());
    assert!(world.at("repo").skills().all.is_empty());
    assert!(world.at("repo").commands().all.is_empty());
    for name in [PromptFileName::System, PromptFileName::AppendSystem] {
        assert_eq!(world.at("repo").prompt_file(name), None);
        assert!(world.at("repo").admitting(Outside::Everything).prompt_file(name).is_some());
    }
}
