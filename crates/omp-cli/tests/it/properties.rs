//! Whatever is typed, there is an answer.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use omp_cli::{Parsed, UsageError, parse, parse_second};
use proptest::prelude::*;

use crate::support::{boolean, session, string};

/// Tokens near the grammar's corners, beside any text and any bytes.
fn token() -> impl Strategy<Value = OsString> {
    let spellings: Vec<String> = omp_cli::table::COMMANDS
        .iter()
        .flat_map(|command| command.all_flags())
        .flat_map(|flag| flag.spellings())
        .collect();
    let names: Vec<&str> = omp_cli::table::COMMANDS.iter().map(|command| command.name).collect();
    prop_oneof![
        prop::sample::select(spellings.clone()).prop_map(OsString::from),
        (prop::sample::select(spellings), ".{0,4}")
            .prop_map(|(flag, value)| format!("{flag}={value}").into()),
        prop::sample::select(names).prop_map(OsString::from),
        prop::sample::select(vec![
            "--", "-", "", "@", "@f", "=", "-=", "--=", "---", "hi", "x,y", "7", "10m"
        ])
        .prop_map(OsString::from),
        ".{0,8}".prop_map(OsString::from),
        prop::collection::vec(any::<u8>(), 0..6).prop_map(OsString::from_vec),
    ]
}

fn check(error: &UsageError) {
    assert!(matches!(error.exit_code(), 1 | 2));
    let text = error.render();
    assert!(text.starts_with("Error: ") || text.starts_with("error: "));
    assert!(text.ends_with('\n'));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_command_line_has_an_answer(argv in prop::collection::vec(token(), 0..8)) {
        match parse(argv) {
            Err(error) => check(&error),
            Ok(invocation) => {
                if let Err(error) = invocation.require_available() {
                    check(&error);
                }
                if let Parsed::Launch(first) = invocation.parsed {
                    for extensions in [vec![], vec![boolean("plan"), string("model"), string("x")]] {
                        if let Err(error) = parse_second(&first, &extensions) {
                            check(&error);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn literals_arrive_as_they_are(words in prop::collection::vec(".{0,12}", 0..6)) {
        let argv: Vec<&str> = ["-p", "--"].into_iter().chain(words.iter().map(String::as_str)).collect();
        prop_assert_eq!(session(&argv).messages, words);
    }
}
