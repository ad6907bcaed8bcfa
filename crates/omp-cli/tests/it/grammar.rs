//! The launch grammar: flags, values, messages, attachments, extensions.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use omp_cli::{
    ApprovalMode, ExtensionArg, OutputMode, Parsed, Resume, ServiceTier, ThinkingArg, UsageError,
    VersionForm, parse_first, parse_second,
};

use crate::support::{argv, boolean, invoke, launch, launch_with, parsed, session, string};

#[test]
fn a_word_that_is_no_command_is_a_prompt() {
    assert_eq!(session(&["fix the build"]).messages, ["fix the build"]);
    assert_eq!(session(&["fix", "the", "build"]).messages, ["fix", "the", "build"]);
    assert!(matches!(parsed(&["models"]), Parsed::Models(_)));
    assert_eq!(session(&["launch", "models"]).messages, ["models"]);
    assert_eq!(session(&[]).messages, [""; 0]);
}

#[test]
fn a_management_word_alone_is_refused() {
    for word in ["marketplace", "uninstall"] {
        let error = invoke(&[word]).unwrap_err();
        assert_eq!(error.exit_code(), 1);
        assert!(error.render().contains("omp plugin ..."), "{}", error.render());
        assert!(error.render().contains(&format!("omp launch {word}")), "{}", error.render());
    }
    assert_eq!(session(&["marketplace", "is", "great"]).messages, ["marketplace", "is", "great"]);
    assert_eq!(session(&["launch", "marketplace"]).messages, ["marketplace"]);
}

// proves: CLI-008
#[test]
fn values_follow_or_are_attached() {
    for words in [&["--tools", "read", "hi"][..], &["--tools=read", "hi"]] {
        let launch = session(words);
        assert_eq!(launch.tools.only.as_deref(), Some(&["read".to_owned()][..]));
        assert_eq!(launch.messages, ["hi"]);
    }
    let launch = session(&["--model=a=b", "--system-prompt="]);
    assert_eq!(launch.model.selector.as_deref(), Some("a=b"));
    assert_eq!(launch.prompt.system.as_deref(), Some(""));

    let launch = session(&["--print=x", "hi"]);
    assert!(launch.print);
    assert_eq!(launch.messages, ["hi"]);
}

// proves: CLI-009
#[test]
fn only_optional_values_may_not_start_with_a_dash() {
    assert_eq!(session(&["--system-prompt", "--foo"]).prompt.system.as_deref(), Some("--foo"));
    assert_eq!(session(&["--model", "-p", "hi"]).model.selector.as_deref(), Some("-p"));

    for flag in ["--resume", "-r", "--session"] {
        let named = session(&[flag, "abc", "hi"]);
        assert_eq!(named.session.resume, Some(Resume::Named("abc".into())), "{flag}");
        assert_eq!(named.messages, ["hi"]);

        let before_a_flag = session(&[flag, "-p", "hi"]);
        assert_eq!(before_a_flag.session.resume, Some(Resume::Pick), "{flag}");
        assert!(before_a_flag.print);
        assert_eq!(before_a_flag.messages, ["hi"]);

        let empty = session(&[flag, "", "hi"]);
        assert_eq!(empty.session.resume, Some(Resume::Pick), "{flag}");
        assert_eq!(empty.messages, ["hi"]);

        assert_eq!(session(&[flag]).session.resume, Some(Resume::Pick), "{flag}");
    }
    assert_eq!(session(&["--resume="]).session.resume, Some(Resume::Pick));
    assert_eq!(session(&["--session=x"]).session.resume, Some(Resume::Named("x".into())));
}

// proves: CLI-010
#[test]
fn two_dashes_end_the_flags() {
    let launch = session(&["-p", "--", "--not-a-flag", "-x", "--", "@file", "--profile"]);
    assert!(launch.print);
    assert_eq!(launch.messages, ["--not-a-flag", "-x", "--", "@file", "--profile"]);
    assert!(launch.attachments.is_empty());
    assert_eq!(session(&["--", "models"]).messages, ["models"]);
}

// proves: CLI-011
#[test]
fn a_lone_dash_is_a_message() {
    let launch = session(&["-p", "-", "x"]);
    assert_eq!(launch.messages, ["-", "x"]);
}

#[test]
fn a_markdown_list_is_a_message() {
    assert_eq!(session(&["- one\n- two"]).messages, ["- one\n- two"]);
    assert_eq!(launch(&["-one two"]).unwrap_err().exit_code(), 2);
}

#[test]
fn extension_flags_come_in_three_forms_and_go_before_built_in_ones() {
    let given = |words: &[&str], extensions: &[omp_cli::ExtensionFlag]| {
        let launch = launch_with(words, extensions).unwrap();
        (launch.extension_flags, launch.messages)
    };
    let arg =
        |name: &str, value: Option<&str>| ExtensionArg { name: name.into(), value: value.map(Into::into) };

    let (flags, messages) = given(&["--loud", "hi"], &[boolean("loud")]);
    assert_eq!((flags, messages), (vec![arg("loud", None)], vec!["hi".into()]));
    let (flags, messages) = given(&["--loud=yes", "hi"], &[boolean("loud")]);
    assert_eq!((flags, messages), (vec![arg("loud", None)], vec!["hi".into()]));

    let (flags, messages) = given(&["--team", "red", "hi"], &[string("team")]);
    assert_eq!((flags, messages), (vec![arg("team", Some("red"))], vec!["hi".into()]));
    let (flags, messages) = given(&["--team=-red", "hi"], &[string("team")]);
    assert_eq!((flags, messages), (vec![arg("team", Some("-red"))], vec!["hi".into()]));
    let (flags, messages) = given(&["--team", "-p", "hi"], &[string("team")]);
    assert_eq!((flags, messages), (vec![arg("team", None)], vec!["hi".into()]));

    // A boolean `--plan` takes nothing, so the next word is a prompt and no model.
    let launch = launch_with(&["--plan", "hi"], &[boolean("plan")]).unwrap();
    assert_eq!(launch.extension_flags, [arg("plan", None)]);
    assert_eq!(launch.messages, ["hi"]);
    assert_eq!(launch.roles.plan, None);
    assert!(launch.waiting().is_empty());
    assert_eq!(launch_with(&["--plan", "hi"], &[]).unwrap().roles.plan.as_deref(), Some("hi"));
}

#[test]
fn the_first_pass_keeps_what_it_does_not_know() {
    let first = parse_first(argv(&["--cwd", "x", "--team", "red", "-z", "--mode", "bogus", "@f"]));
    let unknown: Vec<(&str, usize)> =
        first.unknown().iter().map(|flag| (flag.spelled.as_str(), flag.position)).collect();
    assert_eq!(unknown, [("--team", 2), ("-z", 4)]);
    assert_eq!(first.provisional().place.cwd.as_deref(), Some(Path::new("x")));
    assert_eq!(first.provisional().mode, None);
    assert!(first.provisional().messages.is_empty() && first.provisional().attachments.is_empty());
}

#[test]
fn a_value_of_an_extension_flag_is_no_attachment() {
    let words = ["--ext-flag", "@x", "@y", "hi"];
    let launch = launch_with(&words, &[string("ext-flag")]).unwrap();
    let value = ExtensionArg { name: "ext-flag".into(), value: Some("@x".into()) };
    assert_eq!(launch.extension_flags, [value]);
    assert_eq!(launch.attachments, [PathBuf::from("y")]);

    // The same words with a boolean flag: now `@x` is a file.
    let launch = launch_with(&words, &[boolean("ext-flag")]).unwrap();
    assert_eq!(launch.attachments, [PathBuf::from("x"), PathBuf::from("y")]);
    assert!(parse_first(argv(&words)).provisional().attachments.is_empty());
}

#[test]
fn attachments_keep_order_and_bytes() {
    let odd = OsStr::from_bytes(b"@caf\xe9.txt").to_owned();
    let first = parse_first(vec!["@b".into(), "q".into(), odd, "@a".into(), "@".into()]);
    let launch = parse_second(&first, &[]).unwrap();
    let latin = PathBuf::from(OsStr::from_bytes(b"caf\xe9.txt"));
    assert_eq!(launch.attachments, [PathBuf::from("b"), latin, PathBuf::from("a")]);
    assert_eq!(launch.messages, ["q", "@"]);
}

#[test]
fn text_that_is_not_utf8_is_named() {
    let bad = || OsStr::from_bytes(b"caf\xe9").to_owned();
    let fails = |words: Vec<OsString>| {
        let error = parse_second(&parse_first(words), &[]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        error.render()
    };
    assert_eq!(fails(vec!["x".into(), bad()]), "Error: argument 2 is not valid UTF-8: caf\u{fffd}\n");
    let model = fails(vec!["--model".into(), bad()]);
    assert!(
        model.starts_with("Error: the argument for --model is not valid UTF-8: caf\u{fffd}\n"),
        "{model}"
    );
    let flag = fails(vec![OsStr::from_bytes(b"--caf\xe9=1").to_owned()]);
    assert!(flag.starts_with("Error: unknown flag: --caf\u{fffd}\n"), "{flag}");

    let cwd = parse_second(&parse_first(vec![OsStr::from_bytes(b"--cwd=caf\xe9").to_owned()]), &[]).unwrap();
    assert_eq!(cwd.place.cwd.unwrap().as_os_str().as_bytes(), b"caf\xe9");
}

#[test]
fn unknown_flags_are_listed_with_what_was_meant() {
    let render = |words: &[&str]| {
        let error = launch(words).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        error.render()
    };
    const HINT: &str = "Run 'omp --help' for the list of flags.\n";
    assert_eq!(render(&["--bogus", "hi"]), format!("Error: unknown flag: --bogus\n{HINT}"));
    assert_eq!(render(&["--x", "--y=1", "--x"]), format!("Error: unknown flags: --x, --y\n{HINT}"));
    let meant = "Error: unknown flag: --modle\nDid you mean '--model'?\n";
    assert_eq!(render(&["--modle", "opus"]), format!("{meant}{HINT}"));
    let meant = "Error: unknown flags: --x, --prnt\nDid you mean '--print' instead of '--prnt'?\n";
    assert_eq!(render(&["--x", "--prnt"]), format!("{meant}{HINT}"));
    assert_eq!(render(&["--advisor"]), format!("Error: unknown flag: --advisor\n{HINT}"));
    assert_eq!(render(&["-z"]), format!("Error: unknown flag: -z\n{HINT}"));

    let near_extension = launch_with(&["--teem", "red"], &[string("team")]).unwrap_err().render();
    assert!(near_extension.contains("Did you mean '--team'?"), "{near_extension}");
}

#[test]
fn a_missing_value_is_named() {
    let error = launch(&["hi", "--model"]).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert!(error.render().starts_with("Error: --model requires a value\n"), "{}", error.render());
    assert!(launch(&["-e"]).unwrap_err().render().starts_with("Error: -e requires a value\n"));
}

#[test]
fn modes_are_a_closed_list() {
    for (word, mode) in [
        ("text", OutputMode::Text),
        ("json", OutputMode::Json),
        ("rpc", OutputMode::Rpc),
        ("rpc-ui", OutputMode::RpcUi),
        ("acp", OutputMode::Acp),
    ] {
        let launch = session(&["--mode", word]);
        assert_eq!(launch.mode, Some(mode));
        assert!(launch.is_non_interactive());
    }
    assert!(!session(&["hi"]).is_non_interactive() && session(&["-p"]).is_non_interactive());
    let error = launch(&["--mode", "xml"]).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    let line = "Error: Expected one of text, json, rpc, rpc-ui, acp for --mode, got \"xml\"\n";
    assert!(error.render().starts_with(line), "{}", error.render());
}

/// A run with another level than the one that was meant costs more than typing it again.
#[test]
fn an_unknown_thinking_level_is_refused_with_a_suggestion() {
    for word in ["off", "minimal", "low", "medium", "high", "xhigh", "max", "auto"] {
        let launch = session(&["--thinking", word]);
        assert_eq!(launch.model.thinking.map(ThinkingArg::word), Some(word));
        assert!(launch.warnings.is_empty());
    }
    assert_eq!(session(&["--thinking", " High "]).model.thinking.map(ThinkingArg::word), Some("high"));
    let all = "Error: Expected one of off, minimal, low, medium, high, xhigh, max, auto for --thinking, got ";
    for (typed, said) in [("hgih", "\"hgih\": did you mean high?\n"), ("hard", "\"hard\"\n")] {
        let error = launch(&["--thinking", typed]).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.render().starts_with(&format!("{all}{said}")), "{}", error.render());
    }
}

/// The demo needs no name; a name beside it is not ignored in silence.
#[test]
fn the_demo_is_a_model() {
    let launch = session(&["--demo"]);
    assert_eq!((launch.model.selector.as_deref(), launch.warnings.len()), (Some("omp/demo"), 0));
    let launch = session(&["--demo", "--model", "opus"]);
    assert_eq!(launch.model.selector.as_deref(), Some("omp/demo"));
    assert_eq!(launch.warnings, ["--model was ignored: --demo uses the built-in model"]);
}

#[test]
fn times_are_read_or_explained() {
    assert_eq!(session(&["--max-time", "1h30m"]).max_time, Some(Duration::from_secs(5400)));
    let error = launch(&["--max-time=soon"]).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    for part in ["--max-time", "\"soon\"", "600", "10m", "1h"] {
        assert!(error.render().contains(part), "{}", error.render());
    }
}

#[test]
fn tool_names_are_a_comma_list() {
    let launch = session(&["--tools", " Read,BASH , ,edit", "--no-tools"]);
    assert_eq!(launch.tools.only.unwrap(), ["read", "bash", "edit"]);
    assert!(launch.tools.none);
}

#[test]
fn a_flag_given_twice_is_collected_or_the_last_one_wins() {
    let launch = session(&["--model", "a", "--model=b", "-e", "x", "--hook", "y", "--extension=z"]);
    assert_eq!(launch.model.selector.as_deref(), Some("b"));
    assert_eq!(launch.extend.extensions, [PathBuf::from("x"), "y".into(), "z".into()]);
}

#[test]
fn values_become_types() {
    let launch =
        session(&["--service-tier", "flex", "--approval-mode", "write", "--yolo", "--hide-thinking"]);
    assert_eq!(launch.model.service_tier, Some(ServiceTier::Flex));
    assert_eq!(launch.approval.mode, Some(ApprovalMode::Write));
    assert!(launch.approval.auto && launch.hide_thinking);
}

#[test]
fn what_is_not_built_yet_parses_and_is_listed() {
    let launch =
        session(&["-c", "-e", "x", "--log-level", "info", "--mode", "rpc", "--no-lsp", "--no-session"]);
    let waiting: Vec<(&str, &str)> =
        launch.waiting().iter().map(|waiting| (waiting.what.as_str(), waiting.part)).collect();
    assert_eq!(waiting, [("--log-level", "logging"), ("--mode rpc", "rpc")]);
    let error = launch.require_available().unwrap_err();
    assert_eq!(error.exit_code(), 1);
    let line = "Error: --log-level is not available yet (it needs logging)\n";
    assert!(error.render().starts_with(line), "{}", error.render());

    let now = [
        "-p",
        "--mode",
        "json",
        "--model",
        "m",
        "--provider",
        "p",
        "--api-key",
        "k",
        "--system-prompt",
        "s",
        "--append-system-prompt",
        "a",
        "--tools",
        "read",
        "--no-tools",
        "--thinking",
        "low",
        "--cwd",
        ".",
        "--allow-home",
        "--max-time",
        "5",
        "--print-thoughts",
        "--hide-thinking",
        "--no-session",
        "--no-title",
        "--no-pty",
        "--no-lsp",
        "--no-skills",
        "--no-rules",
        "--no-extensions",
        "--provider-session-id",
        "i",
        "--service-tier",
        "auto",
        "--prompt-cache-key",
        "c",
    ];
    assert_eq!(session(&now).require_available(), Ok(()));
}

#[test]
fn help_and_version_are_found_anywhere_before_the_literals() {
    use omp_cli::Topic;
    for words in [&["--help"][..], &["-h"], &["help"], &["-p", "x", "--help"], &["--bogus", "-h"]] {
        assert_eq!(parsed(words), Parsed::Help(Topic::Program), "{words:?}");
    }
    assert_eq!(parsed(&["--version"]), Parsed::Version(VersionForm::Named));
    assert_eq!(parsed(&["-v"]), Parsed::Version(VersionForm::Named));
    assert_eq!(parsed(&["launch", "--version"]), Parsed::Version(VersionForm::Bare));
    assert_eq!(parsed(&["launch", "-h"]), Parsed::Help(Topic::Command("launch")));
    assert_eq!(session(&["--", "--help"]).messages, ["--help"]);
}

// proves: CLI-015
#[test]
fn launch_flags_before_a_command_go_to_sessions_and_are_ignored_by_others() {
    let launch = session(&["--cwd", "x", "launch", "--model", "m", "hi"]);
    assert_eq!(
        (launch.place.cwd.as_deref(), launch.model.selector.as_deref()),
        (Some(Path::new("x")), Some("m"))
    );
    assert_eq!(launch.messages, ["hi"]);

    let acp = session(&["--cwd=x", "acp"]);
    assert_eq!((acp.place.cwd.as_deref(), acp.mode), (Some(Path::new("x")), Some(OutputMode::Acp)));

    assert_eq!(parsed(&["--cwd", "x", "--no-lsp", "models", "--json"]), parsed(&["models", "--json"]));
    // A value is not a command, and neither is a word after a flag that may still take it.
    assert_eq!(session(&["--cwd", "models"]).place.cwd.as_deref(), Some(Path::new("models")));
    assert!(matches!(launch_error(&["--bogus", "models"]), UsageError::UnknownFlags { .. }));
}

fn launch_error(words: &[&str]) -> UsageError {
    match parsed(words) {
        Parsed::Launch(first) => parse_second(&first, &[]).unwrap_err(),
        other => panic!("{other:?}"),
    }
}
