//! The same lines as ripgrep: random files, random patterns, both programs. `./test` installs ripgrep.
#![allow(clippy::disallowed_methods, reason = "runs ripgrep, which is not ours")]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use omp_workspace::grep::{Query, Style};

/// File, line, whether it matches, text.
type Rows = BTreeSet<(String, u64, bool, String)>;

const WORDS: [&str; 16] = [
    "foo",
    "bar",
    "foobar",
    "Foo",
    "größe",
    "日本",
    "{x}",
    "(y)",
    "a.b",
    "12",
    "345",
    "\t",
    "",
    "  ",
    "fn main()",
    "ß",
];
const PATTERNS: [&str; 36] = [
    "foo",
    "\\bfoo\\b",
    "foo|12",
    "^foo",
    "bar$",
    "fo+b?",
    "[a-c]+r",
    "foo.*bar",
    "(?i)FOO",
    "größe",
    "\\w+\\s+\\w+",
    "^\\s*$",
    "^$",
    "\\d{2,3}",
    "o{2}",
    "\\{x\\}",
    "\\(y\\)",
    "a\\.b",
    ".",
    "日",
    "\\p{Han}",
    "[^a-z]$",
    "^.{3}$",
    "ö|ß",
    "foo\\nbar",
    "bar\\n",
    "\\n\\n",
    "foo\\n.*\\n",
    "^bar\\n^foo",
    "x\\}\\n",
    "\\S+$",
    "main\\(\\)",
    "^\\t",
    "(foo|bar) 12",
    "\\<foo",
    "12\\>",
];

fn text(random: &mut fastrand::Rng) -> String {
    let ends = *random.choice(&[&["\n"][..], &["\r\n"], &["\n", "\r\n"]]).unwrap();
    let mut text = String::new();
    for _ in 0..random.usize(..30) {
        for _ in 0..random.usize(..4) {
            text.push_str(random.choice(WORDS).unwrap());
            text.push_str(random.choice(["", " "]).unwrap());
        }
        if random.u8(..40) == 0 {
            text.push_str(&"lang ".repeat(random.usize(..2000)));
        }
        text.push_str(random.choice(ends).unwrap());
    }
    if random.bool() { text } else { text.trim_end_matches(['\r', '\n']).to_owned() }
}

fn encoded(random: &mut fastrand::Rng, text: &str) -> Vec<u8> {
    let wide = |convert: fn(u16) -> [u8; 2]| {
        ['\u{feff}'.to_string(), text.to_owned()].concat().encode_utf16().flat_map(convert).collect()
    };
    match random.u8(..5) {
        0 => wide(u16::to_le_bytes),
        1 => wide(u16::to_be_bytes),
        2 => ["\u{feff}", text].concat().into_bytes(),
        // Encodings from before Unicode are not here: ripgrep takes them for broken UTF-8.
        _ => text.as_bytes().to_vec(),
    }
}

fn ours(directory: &Path, pattern: &str) -> Rows {
    let style = Style { ignore_case: false, before: 1, after: 2, limit: usize::MAX };
    let query = Query::new(pattern, style).unwrap();
    let mut rows = Rows::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let found = query.file(&path).unwrap();
        rows.extend(found.rows.into_iter().map(|row| (name.clone(), row.line, row.matched, row.text)));
    }
    rows
}

fn theirs(directory: &Path, pattern: &str) -> Rows {
    let mut command = Command::new("rg");
    command.current_dir(directory).args([
        "--no-config",
        "--crlf",
        "-n",
        "-B1",
        "-A2",
        "--no-context-separator",
    ]);
    command.args(["--field-match-separator", "|M|", "--field-context-separator", "|C|", "--with-filename"]);
    if pattern.contains("\\n") {
        command.arg("-U");
    }
    // Older releases have one sign for both ends of a word, which is the same beside a letter.
    let pattern = pattern.replace("\\n", "\\r?\\n").replace("\\<", "\\b").replace("\\>", "\\b");
    let output = command.args(["-e", &pattern, "."]).output();
    let output = output.expect("ripgrep runs (./test installs it)");
    assert!(output.stderr.is_empty(), "{pattern}: {}", String::from_utf8_lossy(&output.stderr));
    let row = |line: &[u8]| {
        let line = String::from_utf8_lossy(line).trim_end_matches('\r').to_owned();
        let mut parts = line.splitn(3, '|').map(str::to_owned);
        let (name, kind, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let (number, text) = rest.split_once(if kind == "M" { "|M|" } else { "|C|" })?;
        let cut: String = text.chars().take(512).collect();
        let text = if cut.len() < text.len() { format!("{cut}…") } else { cut };
        Some((name.trim_start_matches("./").to_owned(), number.parse().ok()?, kind == "M", text))
    };
    output.stdout.split(|byte| *byte == b'\n').filter_map(row).collect()
}

#[test]
fn the_same_lines_as_ripgrep() {
    for seed in 0..std::env::var("ROUNDS").map_or(8, |n| n.parse().unwrap()) {
        let mut random = fastrand::Rng::with_seed(seed);
        let directory = tempfile::tempdir().unwrap();
        for file in 0..8 {
            let text = text(&mut random);
            std::fs::write(directory.path().join(format!("f{file}")), encoded(&mut random, &text)).unwrap();
        }
        for pattern in PATTERNS {
            let (found, expected) = (ours(directory.path(), pattern), theirs(directory.path(), pattern));
            let ours_only: Vec<_> = found.difference(&expected).collect();
            let theirs_only: Vec<_> = expected.difference(&found).collect();
            assert!(found == expected, "{seed} {pattern}\nours: {ours_only:?}\ntheirs: {theirs_only:?}");
        }
    }
}
