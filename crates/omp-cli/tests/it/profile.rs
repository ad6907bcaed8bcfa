//! `--profile` and `--alias`, which are taken out first.

use omp_cli::{Parsed, Profile, extract_profile};

use crate::support::{argv, invoke, session};

fn extract(words: &[&str]) -> (Option<String>, Option<String>, Vec<String>) {
    let (Profile { name, alias }, rest) = extract_profile(argv(words)).unwrap();
    (name, alias, rest.into_iter().map(|word| word.into_string().unwrap()).collect())
}

// proves: CLI-013
#[test]
fn a_profile_is_cut_out_before_routing() {
    let (name, alias, rest) = extract(&["--model", "m", "--profile", "work", "--alias=omw", "-p", "hi"]);
    assert_eq!((name.as_deref(), alias.as_deref()), (Some("work"), Some("omw")));
    assert_eq!(rest, ["--model", "m", "-p", "hi"]);

    let before_a_command = invoke(&["--profile", "work", "models", "--json"]).unwrap();
    assert_eq!(before_a_command.profile.name.as_deref(), Some("work"));
    assert!(matches!(before_a_command.parsed, Parsed::Models(_)));

    for command in ["launch", "acp"] {
        let (name, _, rest) = extract(&[command, "--profile=work"]);
        assert_eq!(name.as_deref(), Some("work"));
        assert_eq!(rest, [command]);
    }
    // After a message too, because a message is no command.
    assert_eq!(extract(&["fix it", "--profile", "work"]).0.as_deref(), Some("work"));
    assert_eq!(extract(&["fix", "grep", "--profile", "work"]).0.as_deref(), Some("work"));
    assert_eq!(extract(&["--profile", "a", "--profile", "b"]).0.as_deref(), Some("b"));

    // To another command it is a flag of that command, which may not know it.
    for words in [["grep", "--profile", "x"], ["q", "--profile", "x"]] {
        assert_eq!(extract(&words).0, None);
        let error = invoke(&words).unwrap_err();
        assert!(error.render().starts_with("error: Unknown flag: --profile\n"), "{}", error.render());
    }
    // A value of another flag stays that.
    let launch = session(&["--system-prompt", "--profile", "foo"]);
    assert_eq!(launch.prompt.system.as_deref(), Some("--profile"));
    assert_eq!(launch.messages, ["foo"]);
    // And so does what follows `--`.
    assert_eq!(session(&["--", "--profile", "foo"]).messages, ["--profile", "foo"]);
}

// proves: CLI-014
#[test]
fn a_profile_needs_a_name() {
    for (words, text) in [
        (&["--profile"][..], "--profile requires a profile name"),
        (&["--profile", "-p", "hi"], "--profile requires a profile name"),
        (&["hi", "--alias"], "--alias requires a command name"),
        (&["--profile", "work", "--alias", "--", "x"], "--alias requires a command name"),
    ] {
        let error = invoke(words).unwrap_err();
        assert_eq!(error.render(), format!("Error: {text}\n"), "{words:?}");
        assert_eq!(error.exit_code(), 1);
    }
}

#[test]
fn an_alias_is_available() {
    let invocation = invoke(&["--profile", "work", "--alias", "omw"]).unwrap();
    assert_eq!(invocation.require_available(), Ok(()));
}
