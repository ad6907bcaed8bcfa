use crate::world::{World, one_warning};

/// The text of the context file in `repo`.
fn text(world: &World) -> String {
    let files = world.at("repo").context_files();
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
    assert!(files.warnings.iter().any(|warning| warning.contains("no space left")), "{:?}", files.warnings);
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
fn a_project_that_reaches_outside_is_reported() {
    let world = World::new(&[
        ("repo/AGENTS.md", "@~/.ssh/id @~/.codex/auth.json @~/.claude/notes.md @inside.md"),
        ("repo/inside.md", "inside"),
        ("home/.ssh/id", "key"),
        ("home/.codex/auth.json", "{}"),
        ("home/.claude/notes.md", "notes"),
    ]);
    let files = world.at("repo").context_files();
    assert_eq!(files.all[0].item.content, "key {} notes inside");
    assert_eq!(files.warnings.len(), 2, "{:?}", files.warnings);
    assert!(
        files.warnings[0].contains("repo/AGENTS.md puts") && files.warnings[0].contains("home/.ssh/id into")
    );
    assert!(files.warnings[1].contains("home/.codex/auth.json into"));

    let own = World::new(&[("home/.omp/agent/AGENTS.md", "@~/.ssh/id"), ("home/.ssh/id", "key")]);
    assert!(own.at("repo").context_files().warnings.is_empty(), "the user may");
}

#[test]
fn a_link_out_of_the_project_is_reported() {
    let world = World::new(&[("home/.ssh/id", "key")]);
    world.link("../home/.ssh/id", "repo/AGENTS.md");
    let files = world.at("repo").context_files();
    assert_eq!(files.all[0].item.content, "key");
    assert!(one_warning(&files).contains("outside the project"));
}

#[test]
fn rules_that_are_links_out_of_the_project_are_reported() {
    let world = World::new(&[("home/.ssh/id", "key"), ("repo/.omp/rules/own.md", "x")]);
    world.link("../../../home/.ssh/id", "repo/.omp/rules/stolen.md");
    world.link("../../home/.ssh/id", "repo/.omp/RULES.md");
    world.link("own.md", "repo/.omp/rules/alias.md");
    assert!(one_warning(&world.at("repo").rules()).contains("rules/stolen.md puts"));
    assert!(one_warning(&world.at("repo").sticky_rules()).contains(".omp/RULES.md puts"));
}
