//! Which occasions of an event a hook is about.

use fancy_regex::Regex;

/// The size of the largest compiled expression.
const EXPRESSION: usize = 256 * 1024;

/// What a hook is about: everything, some names, or all names that an expression finds.
#[derive(Clone, Debug)]
pub(crate) enum Matcher {
    All,
    Names(Vec<String>),
    Expression(Box<Regex>),
}

impl Matcher {
    /// As Claude Code reads it: nothing and `*` are everything, words between `|` are names, and the rest is a regular
    /// expression. The error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text == "*" {
            return Ok(Self::All);
        }
        if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '|')) {
            return Ok(Self::Names(text.split('|').map(str::to_owned).collect()));
        }
        let expression = fancy_regex::RegexBuilder::new(text).delegate_size_limit(EXPRESSION).build();
        expression.map(|expression| Self::Expression(Box::new(expression))).map_err(|error| error.to_string())
    }

    /// Is the hook about something that has these names? An expression that takes too long to find out is about it.
    pub(crate) fn matches(&self, names: &[&str]) -> bool {
        match self {
            Self::All => true,
            Self::Names(known) => known.iter().any(|name| names.contains(&name.as_str())),
            Self::Expression(expression) => {
                names.iter().any(|name| expression.is_match(name).unwrap_or(true))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(matcher: &str, names: &[&str]) -> bool {
        Matcher::parse(matcher).unwrap().matches(names)
    }

    #[test]
    fn words_are_names_and_the_rest_is_an_expression() {
        assert!(matches("", &["Bash"]) && matches("*", &["Bash"]) && matches(" * ", &[]));
        assert!(matches("Edit|Write", &["write", "Write"]));
        assert!(!matches("Edit", &["NotebookEdit"]), "a word is a whole name");
        assert!(matches("Notebook.*", &["NotebookEdit"]));
        assert!(matches("mcp__memory__.*", &["mcp__memory__create"]));
        assert!(!matches("^mcp__memory__", &["mcp__other__create"]));
        assert!(matches("^(?!Read$).*", &["Bash"]), "expressions have JavaScript's lookahead");
        assert!(Matcher::parse("mcp__(").is_err());
    }

    /// A guard is not switched off by an expression that explodes on a name.
    #[test]
    fn what_takes_too_long_matches() {
        let expression = r"^(?:(a|aa)+)+\1x$";
        assert!(!matches(expression, &["ab"]));
        assert!(matches(expression, &["a".repeat(64).as_str()]));
    }
}
