//! Commands that start no session.

use omp_cli::{CommandCall, CompletionSource, ModelsAction, ModelsCall, Parsed, Shell, Topic, UsageError};

use crate::support::{invoke, parsed};

fn render(words: &[&str]) -> String {
    let error = invoke(words).unwrap_err();
    assert_eq!(error.exit_code(), 1);
    error.render()
}

fn call(words: &[&str]) -> CommandCall {
    match parsed(words) {
        Parsed::Command(call) => call,
        other => panic!("{other:?}"),
    }
}

// proves: CLI-007
#[test]
fn commands_say_what_is_wrong_and_how_they_are_used() {
    let models = "Usage: omp models [action] [pattern] [flags]\n";
    assert_eq!(render(&["models", "--bogus"]), format!("error: Unknown flag: --bogus\n{models}"));
    assert_eq!(render(&["models", "a", "b", "c"]), format!("error: Unexpected argument: c\n{models}"));

    let config = render(&["config", "bogus"]);
    let line =
        "error: Expected one of list, get, set, reset, path, sources, init-xdg for action, got \"bogus\"\n";
    assert!(config.starts_with(line), "{config}");
    assert!(config.contains("\nUsage: omp config [list|get|set|"), "{config}");

    let search = render(&["search", "x", "--recency", "decade"]);
    assert!(search.starts_with("error: Expected one of day, week, month, year for --recency"), "{search}");

    let ssh = render(&["ssh", "add", "--port", "x"]);
    assert!(ssh.starts_with("error: Expected integer for --port, got \"x\"\nUsage: omp ssh"), "{ssh}");
    assert!(render(&["ssh", "add", "--port"]).starts_with("error: --port requires a value\n"));

    assert_eq!(render(&["join"]), "error: Missing required argument: link\nUsage: omp join <link>\n");
    assert!(render(&["q"]).starts_with("error: Missing required argument: words\nUsage: omp search "));
}

#[test]
fn completions_name_the_shells() {
    const USAGE: &str = "Usage: omp completions <bash|zsh|fish>\n";
    assert!(render(&["completions"]).ends_with(USAGE));
    assert!(render(&["completions", "tcsh"]).ends_with(USAGE));
    assert_eq!(parsed(&["completions", "zsh"]), Parsed::Completions(Shell::Zsh));
}

#[test]
fn models_takes_an_action_or_a_pattern() {
    let models = |words: &[&str]| match parsed(words) {
        Parsed::Models(ModelsCall { action, pattern, json }) => (action, pattern, json),
        other => panic!("{other:?}"),
    };
    assert_eq!(models(&["models"]), (ModelsAction::List, None, false));
    assert_eq!(models(&["models", "list", "gpt", "--json"]), (ModelsAction::List, Some("gpt".into()), true));
    assert_eq!(models(&["models", "anthropic"]), (ModelsAction::List, Some("anthropic".into()), false));
    assert_eq!(models(&["models", "find", "opus"]), (ModelsAction::Find, Some("opus".into()), false));
    assert_eq!(models(&["models", "--", "--x"]), (ModelsAction::List, Some("--x".into()), false));
    assert_eq!(invoke(&["models"]).unwrap().require_available(), Ok(()));
    assert_eq!(models(&["models", "refresh", "vllm"]), (ModelsAction::Refresh, Some("vllm".into()), false));
    assert_eq!(invoke(&["models", "refresh"]).unwrap().require_available(), Ok(()));
}

#[test]
fn a_negative_number_is_no_flag() {
    for number in ["-1", "-0.5", "-.5", "-1e3"] {
        let config = call(&["config", "set", "temperature", number]);
        assert_eq!(config.args.texts("value"), [number]);
    }
    for flag in ["-x", "-inf", "-nan", "-1x", "--1", "-."] {
        assert!(invoke(&["config", "set", "temperature", flag]).is_err(), "{flag}");
    }
}

#[test]
fn the_completion_helper_never_fails() {
    let query = |words: &[&str]| match parsed(words) {
        Parsed::Complete(query) => (query.source, query.prefix),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        query(&["__complete", "models", "--", "op"]),
        (Some(CompletionSource::Models), "op".to_owned())
    );
    assert_eq!(query(&["__complete", "tools", "--", "--x"]).1, "--x");
    assert_eq!(
        query(&["__complete", "sessions", "--", ""]),
        (Some(CompletionSource::Sessions), String::new())
    );
    assert_eq!(query(&["__complete"]), (None, String::new()));
    assert_eq!(query(&["__complete", "--bogus", "x"]), (None, String::new()));
}

#[test]
fn other_commands_keep_their_values_and_wait() {
    let ssh = call(&["ssh", "add", "build", "--host=h", "--port", "2222", "--compat"]);
    assert_eq!((ssh.args.text("action"), ssh.args.text("name")), (Some("add"), Some("build")));
    assert_eq!((ssh.values.text("host"), ssh.values.integer("port")), (Some("h"), Some(2222)));
    assert!(ssh.values.has("compat") && !ssh.values.has("json"));
    assert_eq!(call(&["bench", "a", "b"]).args.texts("models"), ["a", "b"]);
    assert_eq!(call(&["q", "x"]), call(&["search", "x"]));

    let error = invoke(&["wt"]).unwrap().require_available().unwrap_err();
    assert!(matches!(error, UsageError::NotYet { .. }));
    assert_eq!(error.exit_code(), 1);
    assert!(error.render().starts_with("Error: omp worktree is not available yet (it needs worktrees)"));
    assert_eq!(invoke(&["update"]).unwrap().require_available(), Ok(()));
}

#[test]
fn help_beats_everything_else_on_the_line() {
    let grep = Parsed::Help(Topic::Command("grep"));
    for words in [&["grep", "--help"][..], &["grep", "--bogus", "-h"], &["help", "grep"], &["--help", "grep"]]
    {
        assert_eq!(parsed(words), grep, "{words:?}");
    }
    assert_eq!(parsed(&["help", "q"]), Parsed::Help(Topic::Command("search")));
    assert_eq!(parsed(&["help", "--help"]), Parsed::Help(Topic::Command("help")));
    assert!(render(&["help", "nothing"]).starts_with("error: Unknown command: nothing\n"));
    // A value is not the flag it looks like.
    assert!(matches!(parsed(&["grep", "x", "--glob", "--help"]), Parsed::Command(_)));
}
