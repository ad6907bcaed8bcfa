//! Ceilings that keep parts small enough to be read. The numbers are limits, not goals: most files have 100 lines and
//! most functions 7. Everything is formatted, so an item ends at the brace that stands as far in as its first line.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{read, root, sources};

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 80;
const STRUCT_FIELDS: usize = 25;
const CRATE_LINES: usize = 20_000;

/// What stands between the first line of an item and its closing brace, both included.
fn item<'t>(lines: &'t [&'t str], start: usize) -> &'t [&'t str] {
    let first = lines[start];
    let indent = &first[..first.len() - first.trim_start().len()];
    let is_last = |line: &&str| {
        let rest = line.strip_prefix(indent).filter(|rest| !rest.starts_with(' '));
        rest.is_some_and(|rest| rest == "}" || rest.ends_with("{}") || rest.ends_with(';'))
    };
    let length = lines[start..].iter().position(is_last).expect("an item has an end");
    &lines[start..=start + length]
}

/// The name behind `keyword`, if the line declares such an item.
fn declared<'l>(line: &'l str, keyword: &str) -> Option<&'l str> {
    let mut words = line.trim_start();
    loop {
        let (word, rest) = words.split_once(' ')?;
        if word == keyword {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            return (end > 0).then(|| &rest[..end]);
        }
        let is_modifier =
            matches!(word, "pub" | "const" | "async" | "unsafe" | "extern") || word.starts_with("pub(");
        is_modifier.then_some(())?;
        words = rest;
    }
}

fn is_field(line: &str) -> bool {
    let line = line.trim_start();
    let line = line
        .strip_prefix("pub ")
        .or_else(|| Some(line.strip_prefix("pub(")?.split_once(") ")?.1))
        .unwrap_or(line);
    line.split_once(": ").is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

fn in_src() -> Vec<PathBuf> {
    let mut found = sources();
    found.retain(|path| path.components().any(|part| part.as_os_str() == "src"));
    found
}

fn none_of(what: &str, limit: usize, mut above: Vec<String>) {
    above.sort();
    assert!(above.is_empty(), "{what} above {limit}:\n{}", above.join("\n"));
}

fn shown(path: &std::path::Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn files_are_short() {
    let above = |path: PathBuf| {
        let lines = read(&path).lines().count();
        (lines > FILE_LINES).then(|| format!("{}: {lines} lines", shown(&path)))
    };
    none_of("files with lines", FILE_LINES, in_src().into_iter().filter_map(above).collect());
}

/// Measures every item of a kind (`fn`, `struct`). Those above the ceiling, and how many there are in all.
fn measured(
    kind: &str,
    ceiling: usize,
    unit: &str,
    size: impl Fn(&[&str], usize) -> Option<usize>,
) -> (Vec<String>, usize) {
    let (mut above, mut seen) = (Vec::new(), 0);
    for path in in_src() {
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let Some(name) = declared(line, kind) else { continue };
            let Some(size) = size(&lines, number) else { continue };
            seen += 1;
            if size > ceiling {
                above.push(format!("{}:{} {name}: {size} {unit}", shown(&path), number + 1));
            }
        }
    }
    (above, seen)
}

#[test]
fn functions_fit_on_a_screen() {
    let (above, seen) =
        measured("fn", FUNCTION_LINES, "lines", |lines, number| Some(item(lines, number).len()));
    assert!(seen > 5_000, "only {seen} functions were found: the search is broken");
    none_of("functions with lines", FUNCTION_LINES, above);
}

#[test]
fn structs_are_parts_with_names() {
    let fields = |lines: &[&str], number: usize| {
        let line = lines[number];
        let indent = line.len() - line.trim_start().len() + 4;
        let of_its_own = |line: &&&str| line.len() - line.trim_start().len() == indent && is_field(line);
        line.ends_with('{').then(|| item(lines, number).iter().skip(1).filter(of_its_own).count())
    };
    let (above, seen) = measured("struct", STRUCT_FIELDS, "fields", fields);
    assert!(seen > 500, "only {seen} structs were found: the search is broken");
    none_of("structs with fields", STRUCT_FIELDS, above);
}

#[test]
fn crates_are_small() {
    let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
    for path in in_src() {
        let inside = path.strip_prefix(root().join("crates")).expect("below the crates").to_owned();
        let name = inside.components().next().expect("a crate").as_os_str().to_string_lossy().into_owned();
        *sizes.entry(name).or_default() += read(&path).lines().count();
    }
    let above = sizes.into_iter().filter(|(_, lines)| *lines > CRATE_LINES);
    none_of(
        "crates with lines",
        CRATE_LINES,
        above.map(|(name, lines)| format!("{name}: {lines} lines")).collect(),
    );
}
