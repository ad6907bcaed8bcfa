//! The system prompt: stable instructions first, then a footer about this place, then what the user appends.

use std::path::Path;
use std::sync::Arc;

const DEFAULT: &str = include_str!("../prompts/system.md");

/// What the user changes about the prompt.
#[derive(Clone, Debug, Default)]
pub struct PromptOptions {
    /// Replaces the instructions.
    pub system: Option<String>,
    /// Added after everything else, or right after the instructions when these are replaced too.
    pub append: Option<String>,
}

/// The blocks of the prompt. They depend on nothing that changes within a session, so that every request of
/// the session begins with the same bytes.
pub(crate) fn build(options: &PromptOptions, cwd: &Path, today: &str) -> Arc<[String]> {
    let footer = format!(
        "# Workspace\nWorking directory: {}\nPlatform: {} ({})\nDate: {today}",
        cwd.display(),
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let append = options.append.clone().filter(|text| !text.trim().is_empty());
    let blocks = match &options.system {
        Some(custom) => [Some(custom.clone()), append, Some(footer)],
        None => [Some(DEFAULT.trim_end().to_owned()), Some(footer), append],
    };
    blocks.into_iter().flatten().filter(|block| !block.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_ordered_by_how_rarely_they_change() {
        let options = |system: Option<&str>, append: Option<&str>| PromptOptions {
            system: system.map(str::to_owned),
            append: append.map(str::to_owned),
        };
        let build = |options: &PromptOptions| build(options, Path::new("/w"), "2026-01-01");
        let blocks = build(&options(None, Some("extra")));
        assert!(blocks[0].starts_with("You are omp"));
        assert!(blocks[1].contains("/w") && blocks[1].contains("2026-01-01"));
        assert_eq!(blocks[2], "extra");
        let custom = build(&options(Some("mine"), Some("extra")));
        assert_eq!((custom[0].as_str(), custom[1].as_str()), ("mine", "extra"));
        assert!(custom[2].contains("/w"));
    }
}
