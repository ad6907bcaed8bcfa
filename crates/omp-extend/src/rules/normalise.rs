//! Conditions that are written as file globs.

use omp_config::discovery::Rule;

/// Turns conditions that look like file globs into scopes: edits and new files that match.
///
/// A rule without another condition then holds for whatever is written there.
pub fn normalise(mut rule: Rule) -> Rule {
    rule.condition.retain(|condition| !condition.trim().is_empty());
    rule.ast_condition.retain(|condition| !condition.trim().is_empty());
    let (globs, mut conditions): (Vec<_>, Vec<_>) =
        std::mem::take(&mut rule.condition).into_iter().partition(|condition| is_file_glob(condition.trim()));
    if !globs.is_empty() && conditions.is_empty() {
        conditions.push(".*".to_owned());
    }
    for scope in globs.iter().flat_map(|glob| scopes(glob.trim())) {
        if !rule.scope.contains(&scope) {
            rule.scope.push(scope);
        }
    }
    rule.condition = conditions;
    rule
}

fn scopes(glob: &str) -> [String; 2] {
    [format!("tool:edit({glob})"), format!("tool:write({glob})")]
}

/// Whether a condition means files rather than words: `*.rs`, `src/**`, `test_*.py`.
///
/// A star in an expression repeats what stands before it; in a glob it begins a name or follows part of one.
fn is_file_glob(condition: &str) -> bool {
    let forbidden = |letter: char| letter.is_whitespace() || "\\^$()|+".contains(letter);
    if condition.contains(forbidden) || !condition.contains('*') {
        return false;
    }
    let begins_names = condition.starts_with('*') || condition.contains("/*") || condition.contains("**");
    begins_names && !condition.contains(".*") || is_name_with_extension(condition)
}

/// `test_*.py`: a star inside a file name that ends in an extension.
fn is_name_with_extension(condition: &str) -> bool {
    let Some((stem, extension)) = condition.rsplit_once('.') else { return false };
    let letters = |text: &str, others: &str| {
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || others.contains(letter))
    };
    (1..=5).contains(&extension.len())
        && letters(extension, "")
        && letters(stem, "_-*/")
        && stem.contains('*')
}
