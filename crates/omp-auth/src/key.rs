//! An API key as people paste it.

use std::collections::HashMap;
use std::sync::LazyLock;

use omp_llm::Secret;
use serde_json::Value;

/// Where people make keys. Only pages that are known for certain are listed.
static PAGES: LazyLock<HashMap<String, String>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../keys.json")).unwrap_or_default());

/// The page on which a provider's keys are made.
pub fn page(provider: &str) -> Option<&'static str> {
    PAGES.get(provider).map(String::as_str)
}

/// Keys are short; service credentials as JSON are a few kilobytes.
const MAX_BYTES: usize = 16 * 1024;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the key is empty; paste it or pipe it in")]
    Empty,
    #[error("the key contains spaces, line breaks or control characters; copy it again")]
    Broken,
    #[error("the key contains characters that cannot be sent to a provider; copy it again")]
    NotAscii,
    #[error("the key is longer than 16 KiB")]
    TooLong,
}

/// The key without the spaces around it. A credential in the form of a JSON object is taken as it is, on one line.
pub fn clean(text: &str) -> Result<Secret, KeyError> {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    if text.is_empty() {
        return Err(KeyError::Empty);
    }
    if text.len() > MAX_BYTES {
        return Err(KeyError::TooLong);
    }
    if let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) {
        return Ok(Secret::new(Value::Object(object).to_string()));
    }
    if text.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(KeyError::Broken);
    }
    if !text.is_ascii() {
        return Err(KeyError::NotAscii);
    }
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> Result<String, KeyError> {
        clean(text).map(|key| key.reveal().to_owned())
    }

    #[test]
    fn pages_are_safe_addresses() {
        assert_eq!(page("groq"), Some("https://console.groq.com/keys"));
        assert_eq!(page("nobody"), None);
        assert!(PAGES.len() > 30 && PAGES.values().all(|page| page.starts_with("https://")));
    }

    #[test]
    fn what_surrounds_a_key_goes_and_what_breaks_it_is_named() {
        assert_eq!(cleaned(" sk-1\r\n").as_deref(), Ok("sk-1"));
        assert_eq!(cleaned("\u{feff}sk-1").as_deref(), Ok("sk-1"));
        assert_eq!(cleaned("{ \"token\": \"a b\" }\n").as_deref(), Ok(r#"{"token":"a b"}"#));
        assert_eq!(cleaned(" \n"), Err(KeyError::Empty));
        assert_eq!(cleaned("sk-1\nsk-2"), Err(KeyError::Broken));
        assert_eq!(cleaned("sk \u{7}"), Err(KeyError::Broken));
        assert_eq!(cleaned("schlüssel"), Err(KeyError::NotAscii));
        assert_eq!(cleaned(&"k".repeat(MAX_BYTES + 1)), Err(KeyError::TooLong));
    }
}
