//! Nothing that others wrote reaches a terminal as a command, or hides from its reader, on any way out.

use std::path::PathBuf;

use omp_testkit::terminal::{Answers, Terminal};
use omp_testkit::{Home, ModelOptions, Output, Reply, Scenario, Server, Wire, run};
use serde_json::json;

use crate::support::{LIMIT, home, json_lines, omp, omp_run};

const PROJECT: &str = "work/.omp/config.yml";
const MODELS: &str = "home/.omp/agent/models.yml";

/// Commands to a terminal, in 7 and 8 bits, and characters that reorder or hide what is read.
const PATTERNS: [&str; 28] = [
    "\u{1b}[2J",
    "\u{1b}[31m",
    "\u{1b}[6n",
    "\u{1b}[?1049h",
    "\u{1b}]0;owned\u{7}",
    "\u{1b}]52;c;ZXZpbA==\u{7}",
    "\u{1b}]52;c;ZXZpbA==\u{1b}\\",
    "\u{1b}]8;;http://evil\u{1b}\\",
    "\u{1b}P+q544e\u{1b}\\",
    "\u{1b}_G\u{1b}\\",
    "\u{1b}^x\u{1b}\\",
    "\u{1b}c",
    "\u{1b}(0",
    "\u{7}",
    "\u{8}",
    "\u{b}\u{c}",
    "\u{e}\u{f}",
    "over\u{d}write",
    "\u{7f}",
    "\u{85}",
    "\u{90}x\u{9c}",
    "\u{9b}2J",
    "\u{9d}52;c;ZXZpbA==\u{9c}",
    "\u{202e}txt.exe",
    "\u{2066}a\u{2069}",
    "\u{e0041}\u{e0042}",
    "a\u{200b}b",
    "\u{2028}",
];

/// All of them in one text.
fn hostile() -> String {
    PATTERNS.join("|")
}

/// What may stand in a YAML text between double quotes.
fn quoted() -> String {
    let text: String = hostile()
        .chars()
        .map(|letter| match letter {
            '\\' | '"' => format!("\\{letter}"),
            letter if letter.is_control() || !letter.is_ascii() => format!("\\U{:08x}", u32::from(letter)),
            letter => letter.to_string(),
        })
        .collect();
    format!("\"{text}\"")
}

/// A name that a file can have.
fn file_name() -> String {
    hostile().replace('/', "_").chars().take(80).collect()
}

fn is_obeyed(letter: char) -> bool {
    (letter.is_control() && !matches!(letter, '\n' | '\t'))
        || matches!(letter, '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
        || matches!(letter, '\u{e0000}'..='\u{e0fff}')
}

fn assert_harmless(text: &str, route: &str) {
    let found: Vec<char> = text.chars().filter(|letter| is_obeyed(*letter)).collect();
    assert!(found.is_empty(), "{route}: {found:?} in {text:?}");
}

/// Nothing is obeyed, and that something was there is seen.
fn assert_shown(text: &str, route: &str) {
    assert_harmless(text, route);
    assert!(text.contains("␛]52;c;") || text.contains("\\u001b]52;c;"), "{route}: {text:?}");
}

fn assert_both(output: &Output, route: &str) {
    assert_harmless(&output.stdout, route);
    assert_harmless(&output.stderr, route);
    let both = format!("{}{}", output.stdout, output.stderr);
    assert!(both.contains("␛[2J"), "{route}: the text is not even named: {both}");
}

// proves: SEC-047
#[test]
fn answers_and_results_and_errors_are_neutralised() {
    let text = hostile();
    let call = Reply::new().tool_call("read", json!({"_i": text, "path": "evil.txt"}));
    let server = Server::start([call, Reply::new().thinking(&text).text(&text)]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/evil.txt", &text);
    let output = omp_run(&home, &["-p", &format!("prompt {}", text.replace('\0', ""))]);
    assert_shown(&output.stdout, "answer");
    assert_eq!(output.stderr, "");
    server.finish();
    // What was saved is shown by the commands that list it.
    for arguments in [
        &["session", "list"][..],
        &["session", "list", "--json"],
        &["session", "search", "owned"],
        &["session", "search", "owned", "--json"],
        &["history"],
    ] {
        let output = omp_run(&home, arguments);
        assert_harmless(&output.stdout, &arguments.join(" "));
        assert!(output.stdout.contains("prompt"), "{arguments:?}: {}", output.stdout);
    }
    let listed = omp_run(&home, &["session", "list", "--json"]).stdout;
    let id =
        serde_json::from_str::<serde_json::Value>(&listed).unwrap()[0]["id"].as_str().unwrap().to_owned();
    for arguments in [
        &["session", "show", &id][..],
        &["session", "show", &id, "--json"],
        &["session", "show", &id, "--raw"],
    ] {
        assert_shown(&omp_run(&home, arguments).assert_success().stdout, &arguments.join(" "));
    }

    let error = json!({"error": {"message": text}});
    let server = Server::start([Reply::status(400).body(error)]);
    home.models_yml(&server, Wire::OpenAiCompletions, ModelOptions::new());
    let output = omp_run(&home, &["-p", "x"]);
    assert_eq!(output.code, Some(1));
    assert_shown(&output.stderr, "provider error");
}

/// JSON says exactly what was said, in characters that a terminal shows.
// proves: SEC-047
#[test]
fn json_is_escaped_and_exact() {
    let text = hostile();
    let server = Server::start([Reply::new().text(&text)]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["--mode", "json", "x"]);
    assert_shown(&output.stdout, "--mode json");
    let said = json_lines(&output).into_iter().find_map(|line| {
        let message = line["message"].as_object().filter(|message| message["role"] == "assistant")?.clone();
        (line["type"] == "message_end").then(|| message["content"][0]["text"].as_str().unwrap().to_owned())
    });
    assert_eq!(said, Some(text));
    server.finish();
}

/// A route, the files of a project, and what is run there.
type Case<'a> = (&'a str, Vec<(PathBuf, String)>, &'a [&'a str]);

/// A cloned project brings its own settings, commands, skills and names of files.
// proves: SEC-047
#[test]
fn projects_cannot_print_commands() {
    let quoted = quoted();
    let name = file_name();
    let server = Server::start(Scenario::new().reply(Reply::new().text("ok")).repeat(true));
    let setting = |text: &str| vec![(PathBuf::from(PROJECT), text.replace("EVIL", &quoted))];
    let file = |path: String, text: &str| vec![(PathBuf::from(path), text.replace("EVIL", &quoted))];
    let cases: Vec<Case<'_>> = vec![
        ("unknown setting", setting("EVIL: 1\n"), &["-p", "x"]),
        ("unknown settings below a group", setting("theme:\n  EVIL: 2\n"), &["-p", "x"]),
        ("wrong value", setting("steeringMode: EVIL\n"), &["-p", "x"]),
        ("value", setting("theme:\n  dark: EVIL\n"), &["config", "get", "theme.dark"]),
        ("value in the list", setting("theme:\n  dark: EVIL\n"), &["config", "list"]),
        ("value as JSON", setting("theme:\n  dark: EVIL\n"), &["config", "get", "theme.dark", "--json"]),
        ("model roles", setting("modelRoles:\n  default: EVIL\n  EVIL: EVIL\n"), &["-p", "x"]),
        ("model limits", setting("enabledModels: [EVIL]\n"), &["-p", "x"]),
        ("fallbacks", setting("retry:\n  fallbackChains:\n    EVIL: [EVIL]\n"), &["-p", "x"]),
        ("skill globs", setting("skills:\n  includeSkills: [EVIL]\n"), &["-p", "x"]),
        ("policies", setting("tools:\n  approval:\n    EVIL: EVIL\n"), &["-p", "x"]),
        ("broken YAML", file(PROJECT.to_owned(), &format!("a: [\n{}\n", hostile())), &["-p", "x"]),
        ("broken .env", file("work/.env".to_owned(), &hostile()), &["-p", "x"]),
        ("skill", file(format!("work/.omp/skills/{name}/SKILL.md"), "---\nname: EVIL\n---\n"), &["-p", "x"]),
        (
            "skills listed",
            file(format!("work/.omp/skills/{name}/SKILL.md"), "---\ndescription: EVIL\n---\n"),
            &["config", "sources"],
        ),
        ("command", file(format!("work/.omp/commands/{name}.md"), "x"), &["config", "sources"]),
        (
            "sources as JSON",
            file(format!("work/.omp/commands/{name}.md"), "x"),
            &["config", "sources", "--json"],
        ),
        ("rule", file(format!("work/.omp/rules/{name}.md"), "---\nx: [\n"), &["-p", "x"]),
        ("context file", file("work/AGENTS.md".to_owned(), &format!("see @{name}\n")), &["-p", "x"]),
        (
            "hosts",
            file("work/.omp/ssh.json".to_owned(), "{\"hosts\": {EVIL: {\"host\": EVIL}}}"),
            &["ssh", "list"],
        ),
        (
            "secrets",
            file("work/.omp/secrets.yml".to_owned(), "- {type: EVIL, content: EVIL}\n"),
            &["-p", "x"],
        ),
    ];
    let mut named = 0;
    for (route, files, arguments) in cases {
        let home = home(&server, Wire::OpenAiCompletions);
        for (path, content) in files {
            home.write(path, content);
        }
        let output = omp_run(&home, arguments);
        assert_harmless(&output.stdout, route);
        assert_harmless(&output.stderr, route);
        let said = format!("{}{}", output.stdout, output.stderr);
        named += usize::from(said.contains('␛') || said.contains("\\u001b"));
    }
    assert!(named >= 12, "only {named} routes say anything: the test looks in the wrong places");
}

/// Servers name models, and so does the file that describes them.
// proves: SEC-047
#[test]
fn names_of_models_are_names() {
    let quoted = quoted();
    let home = Home::new();
    let yaml = format!(
        "providers:\n  mine:\n    baseUrl: http://127.0.0.1:9\n    api: openai-completions\n    apiKey: k\n    models:\n      \
         - id: {quoted}\n        name: {quoted}\n"
    );
    home.write(MODELS, yaml);
    for arguments in
        [&["models"][..], &["models", "--json"], &["models", "status"], &["-p", "--model", "nothing", "x"]]
    {
        let output = omp_run(&home, arguments);
        assert_harmless(&output.stdout, &arguments.join(" "));
        assert_harmless(&output.stderr, &arguments.join(" "));
    }
    assert!(omp_run(&home, &["models"]).stdout.contains("␛]52;c;"));
    home.write(MODELS, format!("providers:\n  mine:\n    {quoted}: {quoted}\n    api: {quoted}\n"));
    assert_both(&omp_run(&home, &["models"]), "wrong models.yml");
}

/// What is typed, and names of files.
// proves: SEC-047
#[test]
fn arguments_and_file_names_are_shown() {
    let (text, name) = (hostile(), file_name());
    let home = Home::new();
    home.write(format!("work/{name}"), &text);
    for arguments in [
        &[&format!("--{text}")[..]][..],
        &[&text, "--nonsense"],
        &["-p", &format!("@{text}")],
        &["--cwd", &text, "-p", "x"],
        &["--profile", &text, "models"],
        &["--model", &text, "-p", "x"],
        &["config", "get", &text],
        &["config", "set", &text, "1"],
        &["session", "show", &text],
        &["read", &name],
        &["read", &text],
        &["read", "."],
        &["grep", "owned"],
        &["export", &text],
    ] {
        let output = omp_run(&home, arguments);
        assert_harmless(&output.stdout, &arguments.join(" "));
        assert_harmless(&output.stderr, &arguments.join(" "));
    }
    assert_shown(&omp_run(&home, &["read", &name]).stdout, "read");
}

/// Emoji and the scripts of the world are no attack.
// proves: SEC-047
#[test]
fn ordinary_text_stays() {
    let text = "שלום عربي می\u{200c}خواهم 👩\u{200d}💻 ❤\u{fe0f} 日本語 ไทย\n\ttab";
    let server = Server::start([Reply::new().text(text)]);
    let output = omp_run(&home(&server, Wire::OpenAiCompletions), &["-p", "x"]);
    assert_eq!(output.stdout, format!("{text}\n"));
    server.finish();
}

/// Questions, calls and results show what cannot be seen, on the screen and in lines.
// proves: SEC-028
#[test]
fn hidden_characters_are_visible_in_questions_calls_and_results() {
    let hidden = "rm\u{200b} -rf\u{202e} x\u{2066}\u{e0041}\u{feff}\u{ad}\u{9b}2J";
    let visible = "rm<U+200B> -rf<U+202E> x<U+2066><U+E0041><U+FEFF><U+00AD><U+009B>2J";
    for interface in [&["--plain-ui"][..], &[]] {
        let call = Reply::new().tool_call("bash", json!({"_i": "x", "command": format!("echo '{hidden}'")}));
        let server = Server::start([call, Reply::new().text("done")]);
        let home = home(&server, Wire::OpenAiCompletions);
        home.write("home/.omp/agent/config.yml", "tools:\n  approvalMode: always-ask\n");
        let mut command = home.terminal_command(env!("CARGO_BIN_EXE_omp"));
        command.args(interface);
        let mut terminal = Terminal::start(command, 50, 200, Answers::Kind);
        terminal.wait_for(if interface.is_empty() { "scripted" } else { "Type a prompt" });
        terminal.send("go\r").wait_for("Allow tool");
        terminal.wait_for(visible);
        let question = terminal.screen();
        assert!(!question.chars().any(is_obeyed), "{question}");
        // The call itself is shown above; what is decided about must say the same.
        let asked = question.rfind("Allow tool").map(|at| &question[at..]);
        assert!(asked.is_some_and(|asked| asked.contains(visible)), "{question}");
        std::thread::sleep(crate::tui::PAUSE);
        terminal.send(if interface.is_empty() { "1" } else { "1\r" }).wait_for("done");
        let bytes = terminal.bytes();
        let drawn = String::from_utf8_lossy(&bytes);
        assert!(!drawn.contains(['\u{200b}', '\u{202e}', '\u{2066}', '\u{e0041}', '\u{9b}']), "{drawn}");
        // Commands' output is cleaned of controls before anybody sees it.
        let result = visible.replace("<U+009B>2J", "");
        let times = terminal.screen().matches(&result).count();
        assert!(times >= 2, "the call and its result: {}", terminal.screen());
    }
}

/// The clipboard of a person is not for a model: the one sequence that may be sent is not this one.
// proves: SEC-047
#[test]
fn the_screen_shows_and_does_not_obey() {
    let text = hostile();
    let call = Reply::new().text(&text).tool_call("read", json!({"_i": text, "path": "evil.txt"}));
    let server = Server::start([call, Reply::new().text("done")]);
    let home = home(&server, Wire::OpenAiCompletions);
    home.write("work/evil.txt", &text);
    let mut terminal =
        Terminal::start(home.terminal_command(env!("CARGO_BIN_EXE_omp")), 50, 120, Answers::Kind);
    terminal.wait_for("scripted").send("go\r").wait_for("done");
    let bytes = terminal.bytes();
    let drawn = String::from_utf8_lossy(&bytes);
    assert!(!drawn.contains("]52;c;ZXZpbA==\u{7}") && !drawn.contains("\u{1b}]52;c;ZXZ"), "{drawn}");
    assert!(!drawn.contains([
        '\u{9b}',
        '\u{9d}',
        '\u{202e}',
        '\u{2066}',
        '\u{e0041}',
        '\u{200b}',
        '\u{2028}'
    ]));
    assert!(terminal.screen().contains("␛]52;c;ZXZpbA=="), "{}", terminal.screen());
    drop(run(omp(&home, &["session", "list"]), Some(b""), LIMIT));
}
