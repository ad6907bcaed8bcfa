//! Entries of lists that hold only below some directory.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use crate::directories::expand_home;

const PATHS: [&str; 4] = ["path", "paths", "pathPrefix", "pathPrefixes"];

/// The strings of a list that hold in `cwd`. `own` is the key that this setting has for the values of a scoped
/// entry. What makes no sense is skipped.
pub(super) fn resolve(list: &[Value], own: &str, cwd: &Path, home: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in list {
        match entry {
            Value::String(text) => found.push(text.clone()),
            Value::Object(entry) if applies(entry, cwd, home) => {
                for key in [own, "values", "items"] {
                    found.extend(strings(entry.get(key)).map(str::to_owned));
                }
            }
            _ => {}
        }
    }
    found
}

fn applies(entry: &Map<String, Value>, cwd: &Path, home: &Path) -> bool {
    let paths = PATHS.iter().flat_map(|key| strings(entry.get(*key)));
    paths.filter(|path| !path.is_empty()).any(|path| {
        let path = plain(&cwd.join(expand_home(path, home)));
        // A directory may be known by a name with links; the process sees the other one.
        cwd.starts_with(&path) || path.canonicalize().is_ok_and(|real| cwd.starts_with(real))
    })
}

/// One string or a list of them.
fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = match value {
        Some(Value::Array(items)) => items.as_slice(),
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    list.iter().filter_map(Value::as_str)
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scoped(list: Value, cwd: &str) -> Vec<String> {
        let Value::Array(list) = list else { panic!("a list") };
        resolve(&list, "models", Path::new(cwd), Path::new("/home/me"))
    }

    // proves: CFG-040, CFG-041
    #[test]
    fn scoped_entries_hold_at_and_below_their_path() {
        for key in PATHS {
            for values in ["models", "values", "items"] {
                let list = json!([{key: "/a/b", values: ["x"]}]);
                assert_eq!(scoped(list.clone(), "/a/b"), ["x"]);
                assert_eq!(scoped(list.clone(), "/a/b/c"), ["x"]);
                assert!(scoped(list.clone(), "/a/bc").is_empty(), "{key}: a name is not a prefix");
                assert!(scoped(list, "/a").is_empty());
            }
        }
        assert_eq!(
            scoped(json!([{"paths": ["/no", "~/work"], "models": ["x"]}]), "/home/me/work/deep"),
            ["x"]
        );
        assert_eq!(scoped(json!([{"path": "../other/.", "models": ["x"]}]), "/a/b").len(), 0);
        assert_eq!(scoped(json!([{"path": ".", "models": ["x"]}]), "/a/b"), ["x"]);
        assert_eq!(scoped(json!([{"path": "..", "models": ["x"]}]), "/a/b"), ["x"]);
        let other = json!([{"path": "/a", "providers": ["x"]}]);
        assert!(scoped(other, "/a").is_empty(), "the key of the other setting");
    }

    // proves: CFG-042
    #[test]
    fn plain_strings_always_hold_and_nonsense_never() {
        let list = json!([
            "always", 1, null, ["x"], {"models": ["no path"]}, {"path": 7, "models": ["x"]},
            {"path": "", "models": ["x"]}, {"path": "/a", "models": [1, "y", {}]}, {"path": "/a"}
        ]);
        assert_eq!(scoped(list, "/a"), ["always", "y"]);
    }
}
