//! One GET with its redirects, within limits of time and size.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION};
use tokio::time::Instant;
use url::Url;

use crate::address::{self, AddressError};
use crate::kind::{self, ContentType, Family};

/// How much of a page is loaded.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From the first byte sent to the last received.
    pub time: Duration,
    /// The same for a request that only looks whether there is something better.
    pub probe_time: Duration,
    /// Bytes of a text, after decompression.
    pub text_bytes: usize,
    /// Bytes of a picture or a document.
    pub binary_bytes: usize,
    pub redirects: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(30),
            probe_time: Duration::from_secs(5),
            text_bytes: 5 * 1024 * 1024,
            binary_bytes: 20 * 1024 * 1024,
            redirects: 10,
        }
    }
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) url: Url,
    pub(crate) accept: &'static str,
    pub(crate) purpose: Purpose,
    pub(crate) trust: Trust,
}

/// Who says where to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Whoever reads, or a server of the inner network. The name of the server may stand for any address.
    Named,
    /// A page outside. A name that stands for an address inside is a trap.
    Led,
}

impl Trust {
    /// Whom a server can lead to. One outside cannot lead inward, not even by its own name: whoever owns the name can
    /// let it stand for another address the next time it is looked up.
    pub(crate) fn after(inside: bool) -> Self {
        if inside { Self::Named } else { Self::Led }
    }
}

/// How much patience a request deserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// What was asked for.
    Page,
    /// Something that may be better.
    Probe,
}

/// What browsers ask for.
pub(crate) const PAGE: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
pub(crate) const MARKDOWN: &str = "text/markdown,text/x-markdown;q=0.9,text/plain;q=0.5";
pub(crate) const JSON: &str = "application/json";
pub(crate) const ANY: &str = "*/*";

/// What came back, whatever the status.
#[derive(Clone, Debug)]
pub(crate) struct Fetched {
    /// After redirects.
    pub(crate) url: Url,
    pub(crate) status: u16,
    pub(crate) kind: ContentType,
    pub(crate) bytes: Vec<u8>,
    /// Why there would be more.
    pub(crate) cut: Option<Cut>,
    /// It came from this machine or its network.
    pub(crate) inside: bool,
}

impl Fetched {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Is it nothing to read?
    pub(crate) fn is_binary(&self) -> bool {
        !self.kind.is_wide() && kind::is_binary(&self.bytes)
    }

    /// The size of all of it, as far as it is known.
    pub(crate) fn size(&self) -> u64 {
        match self.cut {
            Some(Cut::Size { total: Some(total), .. }) => total,
            _ => self.bytes.len() as u64,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The size is known if the server said it.
    Size {
        limit: usize,
        total: Option<u64>,
    },
    Time {
        limit: Duration,
    },
    /// The connection ended early.
    Broken,
}

/// Why nothing came back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    #[error("{0}")]
    Address(#[from] AddressError),
    #[error("cannot reach {place}: {cause}")]
    Unreachable { place: String, cause: String },
    #[error("{place} timed out after {seconds} seconds")]
    Silent { place: String, seconds: u64 },
    #[error("{place} redirects more than {limit} times, finally to {last}")]
    Redirects { place: String, limit: usize, last: String },
    #[error("the network is not available: {0}")]
    Setup(String),
}

/// Where pages come from. The rendering does not know whether that is the network.
pub(crate) trait Source: Sync {
    fn get(&self, request: Request) -> BoxFuture<'_, Result<Fetched, FetchError>>;
}

/// Makes what connections have in common: TLS, proxies and our name. Called when the first page is read.
pub type Connector = Arc<dyn Fn() -> Result<reqwest::ClientBuilder, String> + Send + Sync>;

/// Pages of the network.
pub(crate) struct Network {
    connector: Connector,
    /// Through the user's proxies.
    outward: OnceLock<Result<reqwest::Client, String>>,
    /// To servers of this machine and its network, which proxies do not know.
    inward: OnceLock<Result<reqwest::Client, String>>,
    /// To where strangers lead us.
    led: OnceLock<Result<reqwest::Client, String>>,
    limits: Limits,
}

impl Network {
    pub(crate) fn new(connector: Connector, limits: Limits) -> Self {
        let (outward, inward, led) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { connector, outward, inward, led, limits }
    }

    fn client(&self, url: &Url, trust: Trust) -> Result<&reqwest::Client, FetchError> {
        let inward = address::is_inward(url);
        let build = || {
            let builder = (self.connector)()?;
            let builder = if inward { builder.no_proxy() } else { builder };
            let names = Arc::new(Names(trust));
            let builder = builder.redirect(reqwest::redirect::Policy::none()).dns_resolver(names);
            builder.build().map_err(|error| deepest_cause(&error))
        };
        let client = match (inward, trust) {
            (true, _) => &self.inward,
            (false, Trust::Named) => &self.outward,
            (false, Trust::Led) => &self.led,
        };
        client.get_or_init(build).as_ref().map_err(|cause| FetchError::Setup(cause.clone()))
    }

    async fn fetch(&self, request: Request) -> Result<Fetched, FetchError> {
        let limit = match request.purpose {
            Purpose::Page => self.limits.time,
            Purpose::Probe => self.limits.probe_time,
        };
        let clock = Clock { deadline: Instant::now() + limit, limit };
        let (url, response) = self.follow(&request, &clock).await?;
        let status = response.status().as_u16();
        let kind = ContentType::parse(header(response.headers(), CONTENT_TYPE).unwrap_or_default());
        let inside = is_inside(&url, &response);
        let (bytes, cut) = self.body(response, &kind, &clock).await;
        Ok(Fetched { url, status, kind, bytes, cut, inside })
    }

    /// Asks until somebody answers with something else than another address.
    async fn follow(&self, request: &Request, clock: &Clock) -> Result<(Url, reqwest::Response), FetchError> {
        let (mut url, mut trust) = (request.url.clone(), request.trust);
        address::check(&url)?;
        for _ in 0..=self.limits.redirects {
            let response = self.send(&url, trust, request.accept, clock).await?;
            let next = location(&response).and_then(|location| url.join(&location).ok());
            let Some(next) = next else { return Ok((url, response)) };
            address::follow(&url, &next)?;
            if Trust::after(is_inside(&url, &response)) == Trust::Led {
                trust = Trust::Led;
            }
            url = with_user(&url, next);
        }
        let (place, last) = (address::shown(&request.url), address::shown(&url));
        Err(FetchError::Redirects { place, limit: self.limits.redirects, last })
    }

    async fn send(
        &self,
        url: &Url,
        trust: Trust,
        accept: &'static str,
        clock: &Clock,
    ) -> Result<reqwest::Response, FetchError> {
        let sending = self.client(url, trust)?.get(url.clone()).header(ACCEPT, accept).send();
        let place = || address::shown(url);
        match tokio::time::timeout_at(clock.deadline, sending).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => {
                Err(FetchError::Unreachable { place: place(), cause: deepest_cause(&error.without_url()) })
            }
            Err(_) => Err(FetchError::Silent { place: place(), seconds: clock.limit.as_secs() }),
        }
    }

    /// What came within the limits is worth something even if there would be more.
    async fn body(
        &self,
        mut response: reqwest::Response,
        kind: &ContentType,
        clock: &Clock,
    ) -> (Vec<u8>, Option<Cut>) {
        let (limit, indivisible) = match kind.family() {
            Family::Picture | Family::Document => (self.limits.binary_bytes, true),
            Family::Unknown => (self.limits.binary_bytes, false),
            _ => (self.limits.text_bytes, false),
        };
        let total = header(response.headers(), CONTENT_LENGTH).and_then(|length| length.parse().ok());
        // Half a picture is nothing, so it is not loaded at all.
        if indivisible && total > Some(limit as u64) {
            return (Vec::new(), Some(Cut::Size { limit, total }));
        }
        let mut bytes = Vec::new();
        loop {
            match tokio::time::timeout_at(clock.deadline, response.chunk()).await {
                Err(_) => return (bytes, Some(Cut::Time { limit: clock.limit })),
                Ok(Err(_)) => return (bytes, Some(Cut::Broken)),
                Ok(Ok(None)) => return (bytes, None),
                Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk),
            }
            if bytes.len() > limit {
                bytes.truncate(limit);
                return (bytes, Some(Cut::Size { limit, total }));
            }
        }
    }
}

impl Source for Network {
    fn get(&self, request: Request) -> BoxFuture<'_, Result<Fetched, FetchError>> {
        self.fetch(request).boxed()
    }
}

struct Clock {
    deadline: Instant,
    limit: Duration,
}

/// Who we are to a server holds for all of its addresses, and for nobody else.
fn with_user(from: &Url, mut to: Url) -> Url {
    let has_user = !to.username().is_empty() || to.password().is_some();
    if from.origin() == to.origin() && !has_user {
        // Both fail only for addresses that cannot have a user.
        let _ = to.set_username(from.username());
        let _ = to.set_password(from.password());
    }
    to
}

fn header(headers: &HeaderMap, name: reqwest::header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Where a redirect leads. Addresses should be ASCII, and browsers take them as they come.
fn location(response: &reqwest::Response) -> Option<String> {
    let value = response.headers().get(LOCATION).filter(|_| response.status().is_redirection())?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The useful sentence stands three levels deep.
fn deepest_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// Did the answer come from this machine or its network? Through a proxy nobody knows, and the proxy decides.
fn is_inside(url: &Url, response: &reqwest::Response) -> bool {
    let at = response.remote_addr();
    address::is_inward(url) || at.is_some_and(|at| address::is_inside(at.ip()))
}

/// Looks names up and refuses those that stand for addresses which are never asked, or not from there. Connections go to
/// the addresses that were checked.
struct Names(Trust);

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let trust = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            if found.iter().any(|address| address::is_metadata(address.ip())) {
                return Err(AddressError::Metadata(name.as_str().to_owned()).into());
            }
            if trust == Trust::Led && found.iter().any(|address| address::is_inside(address.ip())) {
                return Err(AddressError::InwardName(name.as_str().to_owned()).into());
            }
            let found: Addrs = Box::new(found.into_iter());
            Ok(found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: SEC-036
    #[tokio::test]
    async fn names_of_this_machine_are_for_those_who_name_them() {
        let look =
            async |trust| Names(trust).resolve("localhost".parse().unwrap()).await.map(Iterator::count);
        assert!(look(Trust::Named).await.is_ok_and(|found| found > 0));
        let refused = look(Trust::Led).await.unwrap_err().to_string();
        assert!(refused.contains("a redirect leads to localhost"), "{refused}");
    }

    /// A name that was outside is looked up again after a redirect and may be bound to this machine by then.
    // proves: SEC-036
    #[test]
    fn who_can_lead_where() {
        assert_eq!(Trust::after(false), Trust::Led, "also to its own name, which may be bound anew");
        assert_eq!(Trust::after(true), Trust::Named, "inside one knows each other");
    }

    #[test]
    fn users_stay_with_their_server() {
        let from = Url::parse("https://user:secret@a.test/x").unwrap();
        let same = with_user(&from, from.join("/y").unwrap());
        assert_eq!(same.as_str(), "https://user:secret@a.test/y");
        let other = with_user(&from, Url::parse("https://b.test/y").unwrap());
        assert_eq!(other.as_str(), "https://b.test/y");
        let plain = with_user(&from, Url::parse("http://a.test/y").unwrap());
        assert_eq!(plain.as_str(), "http://a.test/y");
    }
}
