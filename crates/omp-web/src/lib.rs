//! Web pages as text that a model can read.
//!
//! - [`Web`] reads an address and keeps what was read for the length of a session.
//! - `fetch` asks servers, within limits; `address` says who is never asked.
//! - `render` decides what of an answer is shown; `sites` knows servers that have something better than their pages.
//! - `html`, `feed`, `json` and `charset` turn bytes into text.
//!
//! Knows nothing of agents and tools. What connections need (TLS, proxies) and what documents become is handed in.

pub mod address;
mod charset;
mod feed;
mod fetch;
mod html;
mod json;
mod kind;
mod page_cache;
mod render;
mod sites;

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use url::Url;

pub use address::AddressError;
use fetch::Network;
pub use fetch::{Connector, FetchError, Limits};
use page_cache::PageCache;

/// How a page is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// As a person reads it.
    Readable,
    /// As the server sends it.
    Raw,
}

/// What an address has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// After redirects; without user and password.
    pub final_url: String,
    /// What the server called it, in lower case; empty if it said nothing.
    pub content_type: String,
    /// How it became what it is: `json`, `feed`, `text`, `native` …
    pub method: String,
    /// What the reader should know about it.
    pub notes: Vec<String>,
    pub body: Body,
}

/// The content itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    Text(String),
    /// A picture, as it came.
    Picture(Vec<u8>),
}

/// Makes text of documents.
pub trait Convert: Send + Sync {
    /// The text of a file with this extension, such as `pdf`. The error is a sentence for the reader.
    fn document(&self, bytes: Vec<u8>, extension: &'static str) -> BoxFuture<'_, Result<String, String>>;
}

/// The web, as one session sees it. Nothing is set up before the first page is read.
pub struct Web {
    network: Network,
    kept: Mutex<PageCache>,
}

impl Web {
    /// With the usual limits.
    pub fn new(connector: Connector) -> Self {
        Self::with_limits(connector, Limits::default())
    }

    /// With limits of its own.
    pub fn with_limits(connector: Connector, limits: Limits) -> Self {
        Self { network: Network::new(connector, limits), kept: Mutex::default() }
    }

    /// Asks the server, and keeps what it says. Stops when the future is dropped.
    pub async fn load(
        &self,
        url: &Url,
        mode: Mode,
        convert: &dyn Convert,
    ) -> Result<Arc<Rendered>, FetchError> {
        let rendered = Arc::new(render::render(&self.network, convert, url, mode).await?);
        // What failed may work the next time.
        if rendered.method != render::FAILED {
            self.kept().put(url.as_str(), mode, &rendered);
        }
        Ok(rendered)
    }

    /// What was read before, without asking again.
    pub fn kept_page(&self, url: &Url, mode: Mode) -> Option<Arc<Rendered>> {
        self.kept().get(url.as_str(), mode)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, PageCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
