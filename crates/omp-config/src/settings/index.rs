//! Finding rows by name, and names that were probably meant.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::Value;

use super::row::Setting;
use super::table::TABLE;

pub(super) struct Index {
    by_path: HashMap<&'static str, &'static Setting>,
    by_place: HashMap<&'static str, &'static Setting>,
    groups: HashSet<&'static str>,
    defaults: HashMap<&'static str, Value>,
}

pub(super) static INDEX: LazyLock<Index> = LazyLock::new(|| Index {
    by_path: TABLE.iter().map(|row| (row.path, row)).collect(),
    by_place: TABLE.iter().map(|row| (row.stored, row)).collect(),
    groups: TABLE.iter().flat_map(|row| ancestors(row.stored)).collect(),
    defaults: TABLE.iter().map(|row| (row.path, row.default_value())).collect(),
});

impl Index {
    /// The row that a user calls `path`.
    pub(super) fn row(&self, path: &str) -> Option<&'static Setting> {
        self.by_path.get(path).copied()
    }

    /// The row whose value stands at `place` in a file.
    pub(super) fn row_at(&self, place: &str) -> Option<&'static Setting> {
        self.by_place.get(place).copied()
    }

    /// Whether rows stand below `place`.
    pub(super) fn is_group(&self, place: &str) -> bool {
        self.groups.contains(place)
    }

    pub(super) fn default_of(&self, setting: &Setting) -> &Value {
        &self.defaults[setting.path]
    }
}

/// `a.b.c` has `a` and `a.b`.
fn ancestors(path: &'static str) -> impl Iterator<Item = &'static str> {
    path.match_indices('.').map(move |(dot, _)| &path[..dot])
}

/// The setting of exactly that name.
pub fn find(path: &str) -> Option<&'static Setting> {
    INDEX.row(path)
}

/// How similar a name must be to be offered.
const LIKENESS: f64 = 0.8;

/// The name that was probably meant: one that differs in case, the same last word elsewhere, or a typing error.
pub fn suggestion(path: &str) -> Option<&'static str> {
    let lower = path.to_lowercase();
    let score = |row: &Setting| {
        let name = row.path.to_lowercase();
        if name == lower {
            return 2.0;
        }
        let whole = strsim::jaro_winkler(&name, &lower);
        let last = name.rsplit('.').next() == Some(lower.as_str());
        if last || name.starts_with(&format!("{lower}.")) {
            return whole.max(LIKENESS);
        }
        // A common beginning alone is not a likeness: `foo` is not `followUpMode`.
        if strsim::normalized_damerau_levenshtein(&name, &lower) >= 0.4 { whole } else { 0.0 }
    };
    let best = TABLE.iter().map(|row| (score(row), row.path)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(score, _)| *score >= LIKENESS).map(|(_, path)| path)
}
