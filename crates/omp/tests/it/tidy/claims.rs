//! What is claimed and what is blocked, checked against each other and against the contracts.

use std::collections::{BTreeMap, BTreeSet};

use super::{read, root, sources};

/// Ids of contract rows in a text: three capitals, a dash, three digits.
fn ids(text: &str) -> BTreeSet<String> {
    let bytes = text.as_bytes();
    let is_id = |at: usize| {
        bytes[at..at + 3].iter().all(u8::is_ascii_uppercase)
            && bytes[at + 3] == b'-'
            && bytes[at + 4..at + 7].iter().all(u8::is_ascii_digit)
            && !bytes.get(at + 7).is_some_and(u8::is_ascii_digit)
    };
    (0..bytes.len().saturating_sub(6)).filter(|at| is_id(*at)).map(|at| text[at..at + 7].to_owned()).collect()
}

/// Where each row is claimed.
fn claims() -> BTreeMap<String, String> {
    let mut claimed = BTreeMap::new();
    for path in sources() {
        for line in read(&path).lines().filter(|line| line.trim_start().starts_with("//")) {
            if let Some((_, rows)) = line.split_once("proves: ") {
                claimed.extend(ids(rows).into_iter().map(|id| (id, path.display().to_string())));
            }
        }
    }
    claimed
}

fn listed(page: &str) -> BTreeSet<String> {
    let text = read(&root().join("docs").join(page));
    // The first column: elsewhere a row may be mentioned without being blocked.
    let first = |line: &str| match line.strip_prefix("| ") {
        Some(row) => ids(row.split(" |").next().unwrap_or_default()),
        None => BTreeSet::new(),
    };
    text.lines().flat_map(first).collect()
}

#[test]
fn nothing_is_claimed_and_blocked_at_once() {
    let claimed = claims();
    assert!(claimed.len() > 1500, "only {} claims were found: the search is broken", claimed.len());
    let blocked = listed("waiting.md");
    assert!(blocked.len() > 100, "only {} blocked rows were found: the search is broken", blocked.len());
    for id in &blocked {
        assert!(!claimed.contains_key(id), "{id} is in docs/waiting.md and claimed in {}", claimed[id]);
    }
    // Where the contracts are at hand, every id is one of theirs.
    let Ok(folder) = std::fs::read_dir(root().join("../shared/contracts")) else { return };
    let mut rows = BTreeSet::new();
    for entry in folder.flatten() {
        for line in read(&entry.path()).lines().filter(|line| line.starts_with("| ")) {
            rows.extend(ids(line.split(" |").next().unwrap_or_default()));
        }
    }
    for (id, place) in claimed {
        assert!(rows.contains(&id), "{place} claims {id}, which no contract has");
    }
    for id in blocked {
        assert!(rows.contains(&id), "docs/waiting.md lists {id}, which no contract has");
    }
}
