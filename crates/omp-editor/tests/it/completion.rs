//! The list of completions.

use omp_editor::{
    Arguments, Command, CommandInfo, Editor, Meaning, Motion, Offer, Options, Outcome, Source, SubcommandInfo,
};

use crate::support::{bare, editor, shown, styles, to, typed};

fn commands() -> Vec<CommandInfo> {
    let command = |name: &str, description: &str| CommandInfo {
        name: name.to_owned(),
        description: description.to_owned(),
        ..CommandInfo::default()
    };
    let sub = |name: &str, hint: &str| SubcommandInfo {
        name: name.to_owned(),
        description: format!("{name} servers"),
        hint: hint.to_owned(),
    };
    vec![
        CommandInfo { arguments: Arguments::Optional, ..command("model", "choose the model") },
        CommandInfo { aliases: vec!["quit".to_owned()], ..command("exit", "leave the program") },
        command("compact", "shorten the conversation"),
        CommandInfo {
            arguments: Arguments::Required,
            hint: "<tool> [prompt]".to_owned(),
            ..command("force", "make the next turn call a tool")
        },
        CommandInfo {
            arguments: Arguments::Optional,
            subcommands: vec![sub("add", "<name>"), sub("list", ""), sub("remove", "<name>")],
            ..command("mcp", "manage servers")
        },
        command("help", "list all commands"),
        command("theme", "choose the colours"),
    ]
}

fn with_commands() -> Editor {
    let options = Options { schemes: vec!["local".to_owned(), "skill".to_owned()], ..Options::default() };
    let mut editor = Editor::new(options);
    editor.set_commands(commands());
    editor
}

fn popup(editor: &mut Editor) -> Vec<String> {
    let styles = styles();
    let rendered = editor.render(&bare(60, 10, &styles));
    assert!(rendered.popup.iter().all(|row| row.width() <= 60));
    rendered.popup.iter().map(|row| row.text().trim_end().to_owned()).collect()
}

fn offers(editor: &mut Editor, names: &[&str]) -> u64 {
    let request = editor.take_request().expect("a question");
    editor.offer(request.generation, names.iter().map(|name| Offer::new(*name)).collect());
    request.generation
}

#[test]
fn a_slash_opens_the_list_of_commands() {
    let mut editor = with_commands();
    typed(&mut editor, "/");
    let rows = popup(&mut editor);
    assert_eq!(rows.len(), 5, "no more rows than the setting allows");
    assert_eq!(rows[0], format!("{:<57}1/7", "❯ /model    choose the model"), "the place is at the edge");
    assert_eq!(rows[1], "  /exit     leave the program");
    for _ in 0..5 {
        editor.apply(to(Motion::Down));
    }
    let rows = popup(&mut editor);
    assert_eq!(
        (rows.len(), rows[4].as_str()),
        (5, format!("{:<57}6/7", "❯ /help     list all commands").as_str())
    );
    editor.apply(Command::SelectPageDown);
    editor.apply(Command::SelectNext);
    assert!(popup(&mut editor)[0].starts_with("❯ /model"), "the list goes around");
    editor.options_mut().max_offers = 2;
    assert_eq!(popup(&mut editor).len(), 2);
}

#[test]
fn commands_fit_by_name_alias_and_description() {
    let first = |query: &str| {
        let mut editor = with_commands();
        typed(&mut editor, query);
        popup(&mut editor).first().cloned().unwrap_or_default()
    };
    assert!(first("/com").contains("/compact"));
    assert!(first("/cpt").contains("/compact"), "letters may be left out");
    assert!(first("/qu").contains("/exit (quit)"));
    assert!(first("/colo").contains("/theme"), "by its description");
    assert_eq!(first("/nothing-fits"), "");
    assert_eq!(first("x /com"), "", "only at the beginning");
    assert_eq!(first("/usr/"), "", "a path is not a command");
    assert_eq!(first("!/com"), "", "not in a shell command");
}

/// Tab completes; Enter completes and sends, unless the command wants more.
#[test]
fn commands_are_taken() {
    let run = |text: &str, command: Command| {
        let mut editor = with_commands();
        typed(&mut editor, text);
        let outcome = editor.apply(command);
        (shown(&editor), outcome)
    };
    assert_eq!(run("/com", Command::Tab), ("/compact|".to_owned(), Outcome::Handled));
    assert_eq!(run("/mod", Command::Tab), ("/model |".to_owned(), Outcome::Handled));
    assert_eq!(run("/com", Command::Submit), ("/compact|".to_owned(), Outcome::Submit(Meaning::Prompt)));
    assert_eq!(run("/mod", Command::Submit), ("/model |".to_owned(), Outcome::Submit(Meaning::Prompt)));
    assert_eq!(run("/for", Command::Submit), ("/force |".to_owned(), Outcome::Handled));
    assert_eq!(run("/mcp li", Command::Submit), ("/mcp list|".to_owned(), Outcome::Submit(Meaning::Prompt)));
    assert_eq!(run("/mcp a", Command::Submit), ("/mcp add |".to_owned(), Outcome::Handled));
    assert_eq!(
        run("/cpt", Command::Submit),
        ("/compact|".to_owned(), Outcome::Handled),
        "not sure: it is shown first"
    );
    assert_eq!(
        run("/colo", Command::Submit),
        ("/colo|".to_owned(), Outcome::Submit(Meaning::Prompt)),
        "an unknown word"
    );
    assert_eq!(run("/nothing", Command::Submit), ("/nothing|".to_owned(), Outcome::Submit(Meaning::Prompt)));
    assert_eq!(run("/qu", Command::Confirm), ("/exit|".to_owned(), Outcome::Handled));
}

#[test]
fn subcommands_and_hints_are_shown() {
    let mut editor = with_commands();
    typed(&mut editor, "/mcp ");
    assert_eq!(
        popup(&mut editor),
        ["❯ add     add servers", "  list    list servers", "  remove  remove servers"]
    );
    let row = |text: &str| {
        let mut editor = with_commands();
        typed(&mut editor, text);
        let styles = styles();
        let rendered = editor.render(&bare(40, 5, &styles));
        assert_eq!(rendered.cursor.column, text.len());
        let ghost = rendered.rows[0].spans().iter().find(|span| span.style() == styles.ghost);
        ghost.map(|span| span.text().to_owned())
    };
    assert_eq!(row("/force"), Some(" <tool> [prompt]".to_owned()));
    assert_eq!(row("/force "), Some("<tool> [prompt]".to_owned()));
    assert_eq!(row("/force x"), None);
    assert_eq!(row("/mcp add "), Some("<name>".to_owned()));
    assert_eq!(row("/help"), None);
    let narrow = {
        let mut editor = with_commands();
        typed(&mut editor, "/force ");
        let styles = styles();
        editor.render(&bare(12, 5, &styles)).rows[0].width()
    };
    assert!(narrow <= 12);
}

/// A word behind a subcommand is its own, also one whose letters are in the subcommand.
#[test]
fn what_follows_a_subcommand_is_sent_as_it_is() {
    for text in ["/mcp list s", "/mcp add d", "/mcp remove mo"] {
        let mut editor = with_commands();
        typed(&mut editor, text);
        assert_eq!(editor.apply(Command::Submit), Outcome::Submit(Meaning::Prompt), "{text}");
    }
}

/// Arguments that the program knows are asked for.
#[test]
fn arguments_are_asked_for() {
    let mut editor = with_commands();
    typed(&mut editor, "/model op");
    let request = editor.take_request().unwrap();
    assert_eq!(request.source, Source::Argument { command: "model".to_owned(), text: "op".to_owned() });
    editor
        .offer(request.generation, vec![Offer::new("opus").with_detail("the large one").with_label("Opus")]);
    assert_eq!(popup(&mut editor), ["❯ Opus  the large one"]);
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "/model opus |");
}

/// Values may come late, so Enter means one only where somebody went to it; a subcommand is always known.
#[test]
fn enter_takes_a_value_only_if_it_was_chosen() {
    for (chooses, left) in [(false, "/model op|"), (true, "/model opus |")] {
        let mut editor = with_commands();
        typed(&mut editor, "/model op");
        let request = editor.take_request().unwrap();
        editor.offer(request.generation, vec![Offer::new("opossum"), Offer::new("opus")]);
        if chooses {
            editor.apply(Command::SelectNext);
        }
        let outcome = editor.apply(Command::Submit);
        assert_eq!(matches!(outcome, Outcome::Submit(_)), !chooses);
        assert_eq!(shown(&editor), left);
    }
}

#[test]
fn files_are_completed() {
    let mut editor = with_commands();
    typed(&mut editor, "see @sr");
    assert_eq!(editor.take_request().unwrap().source, Source::Files { query: "sr".to_owned() });
    typed(&mut editor, "c");
    offers(&mut editor, &["src/", "src/main.rs", "my src.txt"]);
    assert_eq!(popup(&mut editor).len(), 3);
    // A directory goes on.
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "see @src/|");
    let request = editor.take_request().unwrap();
    assert_eq!(request.source, Source::Files { query: "src/".to_owned() });
    editor.offer(request.generation, vec![Offer::new("src/main.rs")]);
    assert_eq!(editor.apply(Command::Submit), Outcome::Handled, "Enter takes the file and does not send");
    assert_eq!(shown(&editor), "see @src/main.rs |");
    assert!(!editor.is_completing());
}

#[test]
fn file_names_with_blanks_are_quoted() {
    let mut editor = with_commands();
    typed(&mut editor, "(@my");
    offers(&mut editor, &["my dir/"]);
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "(@\"my dir/|");
    assert_eq!(editor.take_request().unwrap().source, Source::Files { query: "my dir/".to_owned() });
    typed(&mut editor, "a b");
    offers(&mut editor, &["my dir/a b.txt"]);
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "(@\"my dir/a b.txt\" |");
    typed(&mut editor, "user@host");
    assert_eq!(editor.take_request(), None, "inside a word it is no trigger");
}

/// What was typed completely is sent by Enter.
#[test]
fn a_finished_name_is_sent() {
    let mut editor = with_commands();
    typed(&mut editor, "@a.rs");
    offers(&mut editor, &["a.rs"]);
    assert_eq!(editor.apply(Command::Submit), Outcome::Submit(Meaning::Prompt));
    assert_eq!(shown(&editor), "@a.rs|");
}

#[test]
fn late_answers_are_dropped() {
    let mut editor = with_commands();
    typed(&mut editor, "@a");
    let first = editor.take_request().unwrap().generation;
    typed(&mut editor, "b");
    assert_eq!(editor.offer(first, vec![Offer::new("late")]), Outcome::Ignored);
    let second = offers(&mut editor, &["ab"]);
    assert!(editor.is_completing());
    typed(&mut editor, " ");
    assert!(!editor.is_completing());
    assert_eq!(editor.offer(second, vec![Offer::new("ab")]), Outcome::Ignored);
    assert!(!editor.is_completing());
}

/// While an answer is under way the list shows what still fits, and Enter takes nothing else.
#[test]
fn old_offers_must_fit() {
    let mut editor = with_commands();
    typed(&mut editor, "@s");
    offers(&mut editor, &["setup.py", "src/"]);
    typed(&mut editor, "rc");
    assert_eq!(popup(&mut editor), ["❯ src/"]);
    typed(&mut editor, "/x");
    assert!(!editor.is_completing());
    assert!(matches!(editor.apply(Command::Submit), Outcome::Submit(_)));
    let mut chosen = with_commands();
    typed(&mut chosen, "@a");
    offers(&mut chosen, &["a1", "ab2", "ab3"]);
    chosen.apply(Command::SelectPrevious);
    typed(&mut chosen, "b");
    offers(&mut chosen, &["ab0", "ab2", "ab3"]);
    assert_eq!(popup(&mut chosen)[2], "❯ ab3", "what the user went to stays selected");
}

/// A colon ends the name of a command too, unless it is part of a name.
#[test]
fn a_colon_ends_a_name() {
    let mut editor = with_commands();
    typed(&mut editor, "/mcp:li");
    assert_eq!(popup(&mut editor), ["❯ list  list servers"]);
    assert_eq!(editor.apply(Command::Submit), Outcome::Submit(Meaning::Prompt));
    assert_eq!(shown(&editor), "/mcp:list|");
    let mut skills = Editor::default();
    let skill =
        CommandInfo { name: "skill:review".to_owned(), hint: "[what]".to_owned(), ..CommandInfo::default() };
    skills.set_commands(vec![skill]);
    typed(&mut skills, "/skill:re");
    assert!(popup(&mut skills)[0].contains("/skill:review"));
}

#[test]
fn urls_are_completed() {
    let mut editor = with_commands();
    typed(&mut editor, "read SKILL://re");
    let request = editor.take_request().unwrap();
    assert_eq!(request.source, Source::Url { scheme: "skill".to_owned(), query: "re".to_owned() });
    let many = (0..40).map(|n| Offer::new(format!("skill://re{n}"))).collect();
    editor.offer(request.generation, many);
    editor.options_mut().max_offers = 100;
    assert_eq!(popup(&mut editor).len(), 25);
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "read skill://re0 |");
    typed(&mut editor, "https://x");
    assert_eq!(editor.take_request(), None);
}

#[test]
fn emoji_are_completed() {
    let mut editor = with_commands();
    typed(&mut editor, "nice :rock");
    assert_eq!(popup(&mut editor)[0], "❯ 🚀 :rocket:");
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "nice 🚀|");
    typed(&mut editor, " :tada:");
    assert_eq!(shown(&editor), "nice 🚀 🎉|");
    editor.apply(Command::Undo);
    assert!(shown(&editor).ends_with(" :tada:|"), "it can be taken back");
    let mut sent = with_commands();
    typed(&mut sent, ":heart");
    assert!(sent.is_completing());
    assert!(
        matches!(sent.apply(Command::Submit), Outcome::Submit(_)),
        "Enter sends what only looks like one"
    );
    for text in ["12:30:45", "a:b", ": x", "std::fs::", ":q"] {
        let mut editor = with_commands();
        typed(&mut editor, text);
        assert_eq!((shown(&editor), editor.is_completing()), (format!("{text}|"), false));
    }
    let mut off = Editor::new(Options { emoji: false, ..Options::default() });
    typed(&mut off, ":rocket:");
    assert_eq!(shown(&off), ":rocket:|");
}

#[test]
fn editor_actions_are_offered() {
    let mut editor = with_commands();
    typed(&mut editor, "first\nsecond #");
    assert_eq!(popup(&mut editor).len(), 5);
    typed(&mut editor, "copy-l");
    assert_eq!(editor.apply(Command::Submit), Outcome::Copy("second ".to_owned()));
    typed(&mut editor, "#prompt");
    assert_eq!(editor.apply(Command::Tab), Outcome::Copy("first\nsecond ".to_owned()));
    typed(&mut editor, "#line-st");
    editor.apply(Command::Tab);
    assert_eq!(shown(&editor), "first\n|second ");
    for name in ["#copy-line", "#copy-prompt", "#undo", "#start", "#end", "#line-end"] {
        let mut editor = with_commands();
        typed(&mut editor, name);
        assert!(popup(&mut editor)[0].contains(name), "{name}");
    }
    let mut number = with_commands();
    typed(&mut number, "fix #123");
    assert!(!number.is_completing());
}

/// Escape closes the list for this word; the next word has its own.
#[test]
fn a_closed_list_stays_closed() {
    let mut editor = with_commands();
    typed(&mut editor, "/c");
    assert_eq!(editor.apply(Command::Cancel), Outcome::Handled);
    typed(&mut editor, "om");
    assert!(!editor.is_completing());
    assert_eq!(editor.apply(Command::Cancel), Outcome::Ignored);
    editor.apply(Command::Clear);
    typed(&mut editor, "/c");
    assert!(editor.is_completing());
    editor.apply(to(Motion::LineStart));
    assert!(!editor.is_completing());
}

/// Tab asks for paths where nothing else is completed; a single one is taken at once.
#[test]
fn tab_completes_paths() {
    let mut editor = with_commands();
    typed(&mut editor, "!cat my\\ f");
    assert_eq!(editor.take_request(), None);
    editor.apply(Command::Tab);
    let request = editor.take_request().unwrap();
    assert_eq!(request.source, Source::Paths { prefix: "my f".to_owned() });
    editor.offer(request.generation, vec![Offer::new("my file.txt")]);
    assert_eq!(shown(&editor), "!cat my\\ file.txt |");
    let asked = |text: &str| {
        let mut editor = crate::support::editor(text);
        editor.apply(Command::Tab);
        editor.take_request().map(|request| request.source)
    };
    let paths = |prefix: &str| Some(Source::Paths { prefix: prefix.to_owned() });
    assert_eq!(asked("|"), None);
    assert_eq!(asked("word |"), None);
    assert_eq!(asked("!./scr|"), paths("./scr"));
    assert_eq!(asked("!!|"), paths(""));
    assert_eq!(asked("!cat 'my f|"), paths("my f"));
    assert_eq!(asked("!cat @x|"), paths("@x"));
    let mut plain = editor_with_two();
    plain.apply(Command::SelectNext);
    plain.apply(Command::Tab);
    assert_eq!(shown(&plain), "in src/b |");
}

fn editor_with_two() -> Editor {
    let mut editor = editor("in src/|");
    editor.apply(Command::Tab);
    let request = editor.take_request().unwrap();
    editor.offer(request.generation, vec![Offer::new("src/a"), Offer::new("src/b")]);
    editor
}
