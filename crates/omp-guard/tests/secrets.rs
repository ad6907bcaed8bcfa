//! Secrets on their way out and back.

use omp_guard::secrets::{Matcher, Mode, SecretEntry, Secrets, from_environment, merged, parse};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn plain(content: &str) -> SecretEntry {
    SecretEntry { matcher: Matcher::Plain(content.to_owned()), mode: Mode::Obfuscate }
}

fn replaced(content: &str, replacement: Option<&str>) -> SecretEntry {
    SecretEntry {
        matcher: Matcher::Plain(content.to_owned()),
        mode: Mode::Replace(replacement.map(str::to_owned)),
    }
}

fn regex(content: &str, flags: &str) -> SecretEntry {
    SecretEntry { matcher: Matcher::Regex(content.to_owned(), flags.to_owned()), mode: Mode::Obfuscate }
}

fn secrets(entries: impl IntoIterator<Item = SecretEntry>) -> Secrets {
    Secrets::new(entries.into_iter().collect(), "session")
}

fn hidden(secrets: &Secrets, text: &str) -> String {
    secrets.obfuscate(text).unwrap_or_else(|| text.to_owned())
}

fn is_placeholder(text: &str) -> bool {
    text.len() == 6
        && text.starts_with('#')
        && text.ends_with('#')
        && text[1..5].bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

#[test]
fn names_tell_which_variables_are_secret() {
    let taken = |name: &str, value: &str| !from_environment([(name.to_owned(), value.to_owned())]).is_empty();
    for name in [
        "MY_API_KEY",
        "KEY",
        "Secret",
        "github_token",
        "DB_PASSWORD",
        "PASS",
        "PASS_2",
        "NPM_AUTH_X",
        "AWS_CREDENTIAL",
        "PRIVATE_X",
        "OAUTH",
        "APIKEY",
    ] {
        assert!(taken(name, "abcdefgh"), "{name}");
        assert!(!taken(name, "abcdefg"), "{name}: too short");
    }
    for name in ["KEYBOARD", "MONKEYS", "TOKENS", "COMPASSES", "AUTHOR", "PATH", "X"] {
        assert!(!taken(name, "abcdefgh"), "{name}");
    }
}

/// Every example of the documentation, and every field.
// proves: TSN-075
#[test]
fn entries_have_their_fields() {
    let file = r#"
- type: plain
  content: sk-proj-abc123def456
- type: plain
  content: hunter2
  mode: replace
  replacement: "********"
- type: regex
  content: "AKIA[0-9A-Z]{16}"
- type: regex
  content: "api[_-]?key\\s*=\\s*\\w+"
  flags: "i"
- type: regex
  content: "/bearer\\s+[a-zA-Z0-9._~+\\/=-]+/i"
- type: regex
  content: "postgres://[^\\s]+"
  mode: replace
  replacement: "postgres://***"
- type: plain
  content: quiet-one
  mode: obfuscate
"#;
    let (entries, warnings) = parse(file, "secrets.yml");
    assert_eq!((entries.len(), warnings), (7, Vec::new()));
    let secrets = secrets(entries);
    assert!(is_placeholder(&hidden(&secrets, "sk-proj-abc123def456")));
    assert_eq!(hidden(&secrets, "is hunter2 it?"), "is ******** it?");
    assert!(is_placeholder(&hidden(&secrets, "AKIAABCDEFGHIJKLMNOP")));
    assert!(is_placeholder(&hidden(&secrets, "API_KEY = abc")));
    assert!(is_placeholder(&hidden(&secrets, "Bearer a/b+c=")));
    assert_eq!(hidden(&secrets, "at postgres://me:pw@host/db now"), "at postgres://*** now");
    assert!(is_placeholder(&hidden(&secrets, "quiet-one")));
}

/// Expressions are looked for everywhere; flags stand beside them or behind the closing slash.
// proves: TSN-079
#[test]
fn expressions_take_flags_in_both_forms() {
    for (content, flags) in
        [("/key: (a|\\/b)+/i", ""), ("key: (a|/b)+", "i"), ("key: (a|/b)+", "gi"), ("/KEY: [a\\/b]+/gi", "")]
    {
        let secrets = secrets([regex(content, flags)]);
        let text = hidden(&secrets, "Key: a/b, KEY: aa.");
        let parts: Vec<&str> = text.split(", ").collect();
        assert!(
            is_placeholder(parts[0]) && is_placeholder(parts[1].trim_end_matches('.')),
            "{content} {flags}: {text}"
        );
        assert_eq!(secrets.restore(&text).as_deref(), Some("Key: a/b, KEY: aa."));
    }
    let case = secrets([regex("key: a", "")]);
    assert_eq!(case.obfuscate("KEY: a"), None, "without the flag");
    let slash = secrets([regex("/etc/key-[0-9]+", "")]);
    assert!(is_placeholder(&hidden(&slash, "/etc/key-1")), "a path is no literal");
}

/// Each match has its own placeholder, and each comes back.
// proves: TSN-080
#[test]
fn two_matches_two_placeholders() {
    let secrets = secrets([regex("AKIA[0-9A-Z]{16}", "")]);
    let text = "AKIAAAAAAAAAAAAAAAAA AKIABBBBBBBBBBBBBBBB AKIAAAAAAAAAAAAAAAAA";
    let sent = hidden(&secrets, text);
    let words: Vec<&str> = sent.split(' ').collect();
    assert!(words.iter().all(|word| is_placeholder(word)), "{sent}");
    assert_eq!(words[0], words[2]);
    assert_ne!(words[0], words[1]);
    assert_eq!(secrets.restore(&sent).as_deref(), Some(text));
    let again = secrets.restore_arguments(Map::from_iter([("a".to_owned(), json!([{"b": words[1]}]))]));
    assert_eq!(Value::Object(again), json!({"a": [{"b": "AKIABBBBBBBBBBBBBBBB"}]}));
}

/// One way only: the user's own words, or some of the same length.
// proves: TSN-078
#[test]
fn replaced_words_do_not_come_back() {
    let secrets = secrets([replaced("hunter2", None), replaced("swordfish", Some("***"))]);
    let sent = hidden(&secrets, "a hunter2 b swordfish");
    let word = sent.split(' ').nth(1).unwrap();
    assert_eq!((word.len(), sent.contains("hunter2")), (7, false));
    assert!(sent.ends_with(" b ***"));
    assert_eq!(hidden(&secrets, "hunter2"), word, "always the same");
    assert_eq!(secrets.restore(&sent), None);
    assert_eq!(hidden(&secrets, "ütf8 hunter2").chars().count(), 12);
}

/// What the environment says about a value comes first.
// proves: TSN-081
#[test]
fn the_environment_comes_first() {
    let mut entries = from_environment([("API_KEY".to_owned(), "shared-value".to_owned())]);
    entries.extend([replaced("shared-value", Some("gone")), replaced("only-file", Some("gone"))]);
    let secrets = secrets(entries);
    let sent = hidden(&secrets, "shared-value only-file");
    assert!(is_placeholder(sent.split(' ').next().unwrap()), "{sent}");
    assert_eq!(secrets.restore(&sent).as_deref(), Some("shared-value gone"));
}

#[test]
fn the_project_has_the_last_word() {
    let user = vec![plain("one-and-same"), plain("only-mine")];
    let secrets = secrets(merged(user, vec![replaced("one-and-same", Some("theirs"))]));
    let sent = hidden(&secrets, "one-and-same only-mine");
    assert!(sent.starts_with("theirs #"), "{sent}");
}

/// The longer secret goes first, wherever the shorter one stands in it.
// proves: TSN-083
#[test]
fn longer_secrets_go_first() {
    for entries in [["abcdefgh", "abcdefghij"], ["abcdefghij", "abcdefgh"], ["cdefgh", "abcdefghij"]] {
        let secrets = secrets(entries.map(plain));
        let sent = hidden(&secrets, "<abcdefghij>");
        assert!(is_placeholder(&sent[1..sent.len() - 1]), "{sent}");
        assert_eq!(secrets.restore(&sent).as_deref(), Some("<abcdefghij>"));
        let both = hidden(&secrets, &format!("{} {}", entries[0], entries[1]));
        assert_ne!(both.split(' ').next(), both.split(' ').nth(1));
    }
    let crossed = secrets(["abcdefgh", "efghijkl"].map(plain));
    let sent = hidden(&crossed, "abcdefghijkl");
    assert!(is_placeholder(&sent), "nothing of either stays: {sent}");
    assert_eq!(crossed.restore(&sent).as_deref(), Some("abcdefghijkl"));
}

#[test]
fn mistakes_are_named_and_skipped_without_a_word_of_the_content() {
    let whole = |text: &str| {
        let (entries, warnings) = parse(text, "/x/secrets.yml");
        assert!(entries.is_empty(), "{text}");
        assert!(warnings.iter().all(|warning| !warning.contains("hush")), "{warnings:?}");
        warnings.join("\n")
    };
    assert!(whole("hush: [").contains("not valid YAML"));
    assert!(whole("hush: 1").contains("expected a list"));
    for (entry, problem) in [
        ("hush", "expected a mapping"),
        ("{content: hush}", "`type` must be"),
        ("{type: glob, content: hush}", "`type` must be"),
        ("{type: plain}", "`content` is missing"),
        ("{type: plain, content: ''}", "`content` is missing"),
        ("{type: plain, content: 12}", "not a string"),
        ("{type: plain, content: hush, mode: hide}", "`mode`"),
        ("{type: plain, content: hush, mode: replace, replacement: hush-hush}", "contains the secret"),
        ("{type: regex, content: 'hush('}", "not a valid regular expression"),
        ("{type: regex, content: hush, flags: q}", "unknown flag"),
    ] {
        let warning = whole(&format!("- {entry}\n"));
        assert!(
            warning.starts_with("/x/secrets.yml: ignoring entry 1: ") && warning.contains(problem),
            "{entry}: {warning}"
        );
    }
    let (entries, warnings) = parse("- {type: plain, content: good-one}\n- 3\n", "f");
    assert_eq!((entries.len(), warnings.len()), (1, 1));
    assert!(
        !format!("{entries:?} {:?}", secrets(entries.clone())).contains("good-one"),
        "Debug says nothing"
    );
}

/// A text that happens to look like a placeholder is never taken for one, whether it comes before or after.
#[test]
fn lookalikes_are_left_alone() {
    let secrets = secrets([plain("my-secret-value")]);
    let first = hidden(&secrets, "my-secret-value");
    assert_eq!(secrets.restore("#ZZZZ# ##AB12# #ab12#"), None);
    // The very placeholder turns up in a file: the secret gets another.
    secrets.reserve(&format!("a file says {first}"));
    assert_eq!(secrets.restore(&first), None);
    let second = hidden(&secrets, "my-secret-value");
    assert_ne!(first, second);
    assert_eq!(secrets.restore(&format!("{first} {second}")).unwrap(), format!("{first} my-secret-value"));
}

/// What only shows when something else is gone is hidden as well.
#[test]
fn what_appears_is_hidden_too() {
    let secrets = secrets([plain("secretword"), regex(r"\bfoo1", "")]);
    let sent = hidden(&secrets, "secretwordfoo1");
    assert!(is_placeholder(&sent[..6]) && is_placeholder(&sent[6..]), "{sent}");
    assert_eq!(secrets.obfuscate(&sent), None);
    assert_eq!(secrets.restore(&sent).as_deref(), Some("secretwordfoo1"));
}

/// Letters that make secrets meet, contain each other and look like placeholders.
fn texts() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        prop_oneof![
            Just("ab".to_owned()),
            Just("abc".to_owned()),
            Just("cabb".to_owned()),
            Just("#AB12#".to_owned()),
            Just("#A".to_owned()),
            Just("AB12#".to_owned()),
            Just("é ".to_owned()),
            "[a-cA-B12#]{1,4}",
        ],
        0..12,
    )
    .prop_map(|parts| parts.concat())
}

proptest! {
    /// What was hidden comes back, nothing of it is visible, and hiding it again changes nothing.
    // proves: TSN-082
    #[test]
    fn hiding_is_reversible_complete_and_done_once(
        words in proptest::collection::vec("[a-c][a-cA-B1]{1,4}[a-c]", 1..5),
        text in texts(),
        expression in any::<bool>(),
    ) {
        let mut entries: Vec<SecretEntry> = words.iter().map(|word| plain(word)).collect();
        if expression {
            entries.push(regex("b[a-c]+b", ""));
        }
        let secrets = secrets(entries);
        let text = words.iter().fold(text, |text, word| text.replacen("ab", word, 1));
        secrets.reserve(&text);
        let sent = hidden(&secrets, &text);
        for word in &words {
            prop_assert!(!sent.contains(word.as_str()), "{word} in {sent}");
        }
        prop_assert_eq!(&hidden(&secrets, &sent), &sent);
        prop_assert_eq!(&hidden(&secrets, &text), &sent);
        prop_assert_eq!(secrets.restore(&sent).unwrap_or(sent), text);
    }
}
