//! Any file, any change: nothing but the key differs.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::parse::{Format, mapping};
use super::super::{Shape, TABLE, set, tree};
use super::World;

/// Lines of a settings file as people write them.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("# a comment: with colon".to_owned()),
        Just(String::new()),
        Just("steeringMode: all # trailing".to_owned()),
        Just("'autoResume' : false".to_owned()),
        Just("retry:\n  # inner\n  maxRetries: 3\n\n  enabled: true # on".to_owned()),
        Just("retry: {maxRetries: 3, enabled: true}".to_owned()),
        Just("tools:\n    approval:\n        bash: prompt # ask\n    maxTimeout: 5".to_owned()),
        Just("cycleOrder:\n- smol\n# between\n- slow".to_owned()),
        Just("cycleOrder: [a, 'b, c'] # list".to_owned()),
        Just("note: |\n  # no comment\n  steeringMode: text\n".to_owned()),
        Just("folded: >-\n  one\n  two".to_owned()),
        Just("quoted: \"a: b # c\"".to_owned()),
        Just("theme:\n  dark: x\n  light: y".to_owned()),
        Just("modelRoles: {}".to_owned()),
        Just("anchor: &a {k: v}\nalias: *a".to_owned()),
        Just("empty:".to_owned()),
        "[a-z]{1,6}: [a-z0-9]{1,6}( # [a-z ]{1,8})?",
    ]
}

fn value_of(shape: Shape) -> BoxedStrategy<Value> {
    match shape {
        Shape::Flag(_) => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Number(_) => (-1000i64..1000).prop_map(Value::from).boxed(),
        Shape::Choice { choices, .. } => proptest::sample::select(choices).prop_map(Value::from).boxed(),
        Shape::Text(_) => any::<String>().prop_map(Value::from).boxed(),
        Shape::List(_) => {
            proptest::collection::vec(any::<String>(), 0..3).prop_map(|list| json!(list)).boxed()
        }
        Shape::Record => proptest::collection::btree_map("[a-z.:# -]{1,5}", any::<String>(), 0..3)
            .prop_map(|map| json!(map))
            .boxed(),
    }
}

fn change() -> impl Strategy<Value = (&'static str, Value)> {
    (0..TABLE.len())
        .prop_flat_map(|at| value_of(TABLE[at].shape).prop_map(move |value| (TABLE[at].path, value)))
}

fn without(map: &Map<String, Value>, path: &str) -> Map<String, Value> {
    let mut map = map.clone();
    tree::remove(&mut map, path);
    map
}

fn comments(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| line.trim_start().starts_with('#'))
        .map(|line| line.trim().to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_change_changes_nothing_else(
        lines in proptest::collection::vec(line(), 0..8),
        (path, value) in change(),
        end in proptest::sample::select(&["\n", "\r\n"][..]),
    ) {
        let text = lines.iter().map(|line| line.clone() + "\n").collect::<String>().replace('\n', end);
        let Ok(before) = mapping(&text, Format::Yaml) else { return Ok(()) };
        let world = World::with_global(&text);
        set(&world.directories, path, value.clone()).unwrap();
        let written = world.global_text();
        let after = mapping(&written, Format::Yaml).unwrap();
        prop_assert_eq!(tree::find(&after, path), Some(&value), "{}", written);
        prop_assert_eq!(without(&after, path), without(&before, path), "{}", written);
        prop_assert_eq!(world.load().value(super::super::find(path).unwrap()), value);
        // Comments inside a value that is replaced go with it; all others stay.
        let group = path.split('.').next().unwrap();
        if !before.contains_key(group) {
            prop_assert_eq!(comments(&written), comments(&text), "{}", written);
            let mut lines = written.lines();
            prop_assert!(text.lines().all(|line| lines.any(|other| other == line)), "{}", written);
        }
        prop_assert_eq!(written.contains("\r\n"), text.contains("\r\n"));
    }

    /// No text makes a parser panic or hang.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}", lines in proptest::collection::vec("[ a:\\-#\\[\\]{}&*|>'\"]{0,8}", 0..6)) {
        for text in [text, lines.join("\n")] {
            for format in [Format::Yaml, Format::Json, Format::Toml] {
                let _ = mapping(&text, format);
            }
            let world = World::with_global(&text);
            world.load();
            if mapping(&text, Format::Yaml).is_err() {
                prop_assert!(set(&world.directories, "autoResume", json!(true)).is_err());
                prop_assert_eq!(world.global_text(), text);
            }
        }
    }
}
