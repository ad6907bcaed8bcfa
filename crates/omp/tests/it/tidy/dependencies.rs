//! What `cargo deny check licenses bans sources` would say, from `deny.toml` and without a program to install; the oldest
//! compiler; and how many packages there are.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{manifest, read, root};

/// Packages in Cargo.lock, ours included. Lower it when it falls; a new dependency needs a reason to raise it.
const LOCKED: usize = 694;

#[allow(clippy::disallowed_methods, reason = "cargo is waited for at once")]
fn metadata() -> Vec<Value> {
    let mut command = std::process::Command::new(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--offline", "--locked"]).current_dir(root());
    let output = command.output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    document["packages"].as_array().expect("packages").clone()
}

/// Whether a licence expression can be met with the allowed ones: `OR` and `/` choose, `AND` asks for all.
fn is_met(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let expression = expression.trim();
    let mut depth = 0;
    let bytes = expression.as_bytes();
    for (word, any) in [(" OR ", true), ("/", true), (" AND ", false)] {
        for at in 0..bytes.len() {
            match bytes[at] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 && expression[at..].starts_with(word) {
                let (left, right) = (&expression[..at], &expression[at + word.len()..]);
                let (left, right) = (is_met(left, allowed), is_met(right, allowed));
                return if any { left || right } else { left && right };
            }
        }
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => is_met(inner, allowed),
        None => allowed(expression),
    }
}

#[test]
fn licence_expressions_are_understood() {
    let allowed = |name: &str| ["MIT", "Unicode-3.0"].contains(&name);
    for met in ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND Unicode-3.0"] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND GPL-3.0", ""] {
        assert!(!is_met(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn licences_sources_and_bans_follow_deny_toml() {
    let rules = manifest(&root().join("deny.toml"));
    let words = |table: &str, key: &str| -> Vec<toml::Value> {
        rules[table].get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default()
    };
    let allow: Vec<String> =
        words("licenses", "allow").iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect();
    let excepted: BTreeSet<(String, String)> = words("licenses", "exceptions")
        .iter()
        .flat_map(|row| {
            let name = row["crate"].as_str().unwrap_or_default().to_owned();
            let allowed = row["allow"].as_array().cloned().unwrap_or_default();
            allowed.into_iter().filter_map(move |word| Some((name.clone(), word.as_str()?.to_owned())))
        })
        .collect();
    let deny = words("bans", "deny");
    let denied: BTreeSet<&str> = deny.iter().filter_map(|row| row.get("name")?.as_str()).collect();
    assert!(allow.len() > 5 && denied.contains("openssl"), "deny.toml is not understood");
    let packages = metadata();
    assert!(packages.len() > 300, "only {} packages: the list is broken", packages.len());
    for package in &packages {
        let name = package["name"].as_str().unwrap_or_default();
        assert!(!denied.contains(name), "{name} is banned in deny.toml");
        let source = package["source"].as_str();
        let known = source
            .is_none_or(|source| source.starts_with("registry+https://github.com/rust-lang/crates.io-index"));
        assert!(known, "{name} comes from {source:?}");
        // Some write the operators small.
        let licence = package["license"].as_str().unwrap_or_default().replace(" or ", " OR ");
        let is_allowed = |word: &str| {
            allow.iter().any(|allowed| allowed == word)
                || excepted.contains(&(name.to_owned(), word.to_owned()))
        };
        assert!(is_met(&licence, &is_allowed), "{name}: licence {licence:?}");
    }
}

/// No dependency needs a newer compiler than we ask for, and the documents name the one we ask for.
#[test]
fn the_oldest_compiler_is_true() {
    let workspace = manifest(&root().join("Cargo.toml"));
    let ours = workspace["workspace"]["package"]["rust-version"].as_str().expect("rust-version").to_owned();
    let number = |text: &str| -> Vec<u32> { text.split('.').filter_map(|part| part.parse().ok()).collect() };
    for package in metadata() {
        if let Some(theirs) = package["rust_version"].as_str() {
            assert!(
                number(theirs) <= number(&format!("{ours}.0")),
                "{} needs Rust {theirs}",
                package["name"]
            );
        }
    }
    assert!(read(&root().join("README.md")).contains(&format!("Rust {ours} or later")), "README.md");
    let workflow = read(&root().join(".github/workflows/test.yml"));
    assert!(workflow.contains(&format!("toolchain: \"{ours}\"")), "the workflow tests another compiler");
}

#[test]
fn packages_do_not_multiply() {
    let locked = read(&root().join("Cargo.lock")).matches("[[package]]").count();
    assert!(locked <= LOCKED, "{locked} locked packages, {LOCKED} are allowed");
}
