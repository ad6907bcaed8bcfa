//! Damaged files: imported as far as they can be understood, or refused with a sentence; never a panic.

use proptest::prelude::*;

use crate::support::{FIXTURES, World, fixture};

/// Imports bytes; what comes out loads and keeps its promises, which `try_import` checks.
fn attempt(bytes: &[u8]) {
    let world = World::new();
    let path = world.base.join("damaged.jsonl");
    std::fs::write(&path, bytes).unwrap();
    match world.try_import(&path) {
        Ok(session) => drop(session.told()),
        Err(error) => assert!(error.to_string().contains("damaged.jsonl"), "{error}"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
}

fn fixtures() -> impl Strategy<Value = &'static str> {
    prop::sample::select(FIXTURES.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cut_anywhere(name in fixtures(), at in any::<prop::sample::Index>()) {
        let bytes = std::fs::read(fixture(name)).unwrap();
        attempt(&bytes[..at.index(bytes.len())]);
    }

    #[test]
    fn bytes_flipped(
        name in fixtures(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = std::fs::read(fixture(name)).unwrap();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        attempt(&bytes);
    }

    /// Records in another order, some of them twice, from several programs.
    #[test]
    fn lines_mixed(picks in prop::collection::vec((fixtures(), any::<prop::sample::Index>()), 1..40)) {
        let mut mixed = Vec::new();
        for (name, at) in picks {
            let bytes = std::fs::read(fixture(name)).unwrap();
            let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
            mixed.extend_from_slice(lines[at.index(lines.len())]);
        }
        attempt(&mixed);
    }

    /// Values of other types where texts, numbers and lists were.
    #[test]
    fn values_replaced(
        name in fixtures(),
        with in prop::sample::select(vec!["null", "5", "\"\"", "[]", "{}", "true", "-1e9"]),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    ) {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        let mut lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for pick in picks {
            let line = pick.index(lines.len());
            let mut paths = Vec::new();
            pointers(&lines[line], String::new(), &mut paths);
            let path = pick.get(&paths).clone();
            *lines[line].pointer_mut(&path).unwrap() = serde_json::from_str(with).unwrap();
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        attempt(text.as_bytes());
    }
}

/// The places of all values in a value.
fn pointers(value: &serde_json::Value, at: String, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| pointers(value, format!("{at}/{name}"), found));
        }
        serde_json::Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, value)| pointers(value, format!("{at}/{index}"), found));
        }
        _ => {}
    }
    found.push(at);
}
