//! What was read, for as long as the session lasts and there is room.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{Body, Mode, Rendered};

const MOST_PAGES: usize = 32;
const MOST_BYTES: usize = 32 * 1024 * 1024;

/// The pages that were read last, each under the address that was asked for and the one it was found at.
#[derive(Default)]
pub(crate) struct PageCache(VecDeque<Page>);

struct Page {
    asked: String,
    mode: Mode,
    rendered: Arc<Rendered>,
}

impl Page {
    fn answers(&self, url: &str, mode: Mode) -> bool {
        self.mode == mode && (self.asked == url || self.rendered.final_url == url)
    }

    fn bytes(&self) -> usize {
        match &self.rendered.body {
            Body::Text(text) => text.len(),
            Body::Picture(bytes) => bytes.len(),
        }
    }
}

impl PageCache {
    /// The newest page comes first.
    pub(crate) fn put(&mut self, url: &str, mode: Mode, rendered: &Arc<Rendered>) {
        self.0.retain(|page| !(page.mode == mode && page.asked == url));
        self.0.push_front(Page { asked: url.to_owned(), mode, rendered: Arc::clone(rendered) });
        while self.0.len() > MOST_PAGES || self.0.iter().map(Page::bytes).sum::<usize>() > MOST_BYTES {
            self.0.pop_back();
        }
    }

    pub(crate) fn get(&mut self, url: &str, mode: Mode) -> Option<Arc<Rendered>> {
        let at = self.0.iter().position(|page| page.answers(url, mode))?;
        let page = self.0.remove(at)?;
        let rendered = Arc::clone(&page.rendered);
        self.0.push_front(page);
        Some(rendered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(final_url: &str, text: String) -> Arc<Rendered> {
        Arc::new(Rendered {
            final_url: final_url.into(),
            content_type: String::new(),
            method: "text".into(),
            notes: Vec::new(),
            body: Body::Text(text),
        })
    }

    #[test]
    fn pages_have_two_addresses_and_two_forms() {
        let mut kept = PageCache::default();
        kept.put("http://a/", Mode::Readable, &page("http://b/", "x".into()));
        assert!(kept.get("http://a/", Mode::Readable).is_some());
        assert!(kept.get("http://b/", Mode::Readable).is_some());
        assert!(kept.get("http://a/", Mode::Raw).is_none());
        kept.put("http://a/", Mode::Readable, &page("http://a/", "new".into()));
        assert_eq!(kept.get("http://a/", Mode::Readable).unwrap().body, Body::Text("new".into()));
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut kept = PageCache::default();
        for number in 0..100 {
            kept.put(&format!("http://a/{number}"), Mode::Raw, &page("http://f/", "x".into()));
        }
        assert!(kept.get("http://a/99", Mode::Raw).is_some() && kept.get("http://a/10", Mode::Raw).is_none());
        assert_eq!(kept.0.len(), MOST_PAGES);
        kept.put("http://big/", Mode::Raw, &page("http://big/", "x".repeat(MOST_BYTES - 10)));
        assert_eq!(kept.0.len(), 11);
        assert!(kept.get("http://big/", Mode::Raw).is_some());
    }
}
