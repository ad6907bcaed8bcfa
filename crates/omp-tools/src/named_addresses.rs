//! Addresses that the user has named, and questions about those that a model came up with by itself.
//!
//! An address can carry whatever a model has read to whoever owns its host, so where everything is asked about, only
//! hosts out of the user's own mouth are visited unasked, and only without data that the user did not type.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use omp_types::{Approval, Tier};
use omp_web::address;
use url::Url;

/// Words that are remembered; a session with more of them is asked again about the others.
const MOST_WORDS: usize = 20_000;

/// What the user typed, as far as it may be an address.
#[derive(Debug, Default)]
pub struct NamedAddresses {
    asks: AtomicBool,
    words: Mutex<HashSet<String>>,
}

impl NamedAddresses {
    /// Are addresses asked about that the user did not name?
    pub fn ask(&self, on: bool) {
        self.asks.store(on, Ordering::Release);
    }

    /// The user typed this.
    pub fn hear(&self, typed: &str) {
        let mut words = self.words();
        for word in typed.split_whitespace().map(bare).filter(|word| word.contains(['.', ':'])) {
            if words.len() >= MOST_WORDS {
                return;
            }
            let word = word.to_lowercase();
            if let Some(host) = host_of(&word) {
                words.insert(host);
            }
            words.insert(word);
        }
        let local = typed.to_lowercase().contains("localhost").then(|| "localhost".to_owned());
        words.extend(local);
    }

    /// What reading an address is to those who decide about it.
    pub(crate) fn approval(&self, typed: &str) -> Approval {
        if !self.asks.load(Ordering::Acquire) || !address::is_web(typed) {
            return Approval::READ;
        }
        match self.objection(typed) {
            Some(reason) => Approval { tier: Tier::Write, reason: Some(reason.into()), ..Approval::READ },
            None => Approval::READ,
        }
    }

    fn objection(&self, typed: &str) -> Option<String> {
        // What is not an address is not asked for anything.
        let url = address::parse(typed).ok()?;
        let host = url.host_str()?.to_lowercase();
        let words = self.words();
        if !words.contains(&host) && !words.contains(host.strip_prefix("www.").unwrap_or(&host)) {
            return Some(format!("you have not mentioned the host {host} in this session"));
        }
        let carries = url.query().is_some() || !url.username().is_empty() || url.password().is_some();
        let said = |text: &str| words.contains(bare(&text.to_lowercase()));
        (carries && !said(typed) && !said(url.as_str()))
            .then(|| format!("the URL sends data to {host} that you did not type"))
    }

    fn words(&self) -> MutexGuard<'_, HashSet<String>> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A word without what stands around it in a sentence.
fn bare(word: &str) -> &str {
    let around = |letter: char| "()<>[]{}\"'`,;!?".contains(letter) || letter == '.' || letter == ':';
    word.trim_matches(around)
}

/// The host that a word names: an address, or a name with or without a port and a path.
fn host_of(word: &str) -> Option<String> {
    let whole = if word.contains("://") { word.to_owned() } else { format!("http://{word}") };
    Url::parse(&whole).ok()?.host_str().map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(heard: &[&str], typed: &str) -> bool {
        let named = NamedAddresses::default();
        named.ask(true);
        heard.iter().for_each(|text| named.hear(text));
        named.approval(typed).tier != Tier::Read
    }

    #[test]
    fn hosts_that_the_user_named_are_not_asked_about() {
        let heard = ["Compare docs.rs/serde with (https://Example.com/a), and see localhost:3000."];
        for typed in
            ["https://docs.rs/other", "https://example.com/", "www.example.com/b", "http://localhost:3000/x"]
        {
            assert!(!asked(&heard, typed), "{typed}");
        }
        for typed in [
            "https://evil.example/",
            "https://docs.rs.evil.example/",
            "https://example.com.evil.example/",
            "https://sub.example.com/",
            "http://127.0.0.1:3000/",
            "https://docs.rs@evil.example/",
        ] {
            assert!(asked(&heard, typed), "{typed}");
        }
    }

    #[test]
    fn data_is_asked_about_unless_the_user_typed_it() {
        let heard = ["read https://example.com/search?q=rust please"];
        assert!(!asked(&heard, "https://example.com/search?q=rust"));
        assert!(asked(&heard, "https://example.com/search?q=secret"));
        assert!(asked(&heard, "https://user:secret@example.com/"));
        assert!(!asked(&heard, "https://example.com/other"));
    }

    #[test]
    fn files_are_no_addresses_and_nothing_is_asked_where_nothing_is() {
        assert!(!asked(&[], "src/main.rs"));
        let named = NamedAddresses::default();
        assert_eq!(named.approval("https://evil.example/?d=1"), Approval::READ);
    }
}
