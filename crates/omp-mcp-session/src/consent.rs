//! A login to a server, with a person: the browser comes back to a port of this machine, or the person pastes where it
//! ended.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use omp_auth::{BrowserReturn, Notice, Person};
use omp_mcp::{Callback, CallbackWanted, Consent, LoginError};
use url::Url;

/// How long a person may take.
const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// Sends a person to the authorization server.
pub struct PersonConsent(pub Arc<dyn Person>);

struct Waiting {
    person: Arc<dyn Person>,
    /// `None`: the address is elsewhere, and only the person can bring it here.
    listener: Option<BrowserReturn>,
    redirect_uri: String,
}

impl Consent for PersonConsent {
    fn listen(&self, wanted: CallbackWanted) -> BoxFuture<'_, Result<Box<dyn Callback>, LoginError>> {
        Box::pin(async move {
            let failed = |reason: String| LoginError::Failed(reason);
            let fixed = wanted.redirect_uri.as_deref().map(Url::parse).transpose();
            let fixed = fixed.map_err(|error| failed(format!("\"redirectUri\": {error}")))?;
            let here = fixed.as_ref().is_none_or(is_here);
            let port = fixed.as_ref().filter(|_| here).and_then(Url::port).or(wanted.port).unwrap_or(0);
            let path = fixed.as_ref().map_or(wanted.path.as_str(), |url| url.path());
            let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
            let mut listener = None;
            if here {
                match BrowserReturn::bind(port, &path).await {
                    Ok(bound) => listener = Some(bound),
                    Err(error) if port == 0 => return Err(failed(error.to_string())),
                    Err(error) => self.0.tell(Notice::PortBusy { port, reason: error.to_string() }),
                }
            }
            let redirect_uri = match wanted.redirect_uri {
                Some(fixed) => fixed,
                None => {
                    let port = listener.as_ref().map_or(port, BrowserReturn::port);
                    format!("http://127.0.0.1:{port}{path}")
                }
            };
            Ok(Box::new(Waiting { person: Arc::clone(&self.0), listener, redirect_uri }) as Box<dyn Callback>)
        })
    }
}

fn is_here(url: &Url) -> bool {
    matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"))
}

impl Callback for Waiting {
    fn redirect_uri(&self) -> String {
        self.redirect_uri.clone()
    }

    fn wait(self: Box<Self>, url: String) -> BoxFuture<'static, Result<String, LoginError>> {
        Box::pin(async move {
            let Self { person, listener, redirect_uri } = *self;
            person.tell(Notice::Open { url });
            person.tell(Notice::PasteOffered);
            let browser = async {
                match listener {
                    Some(listener) => {
                        let target = listener.wait().await;
                        let base = Url::parse(&redirect_uri).and_then(|base| base.join(&target));
                        base.map_or(target, String::from)
                    }
                    None => std::future::pending().await,
                }
            };
            let pasted = async {
                loop {
                    match person.line().await {
                        Some(line) if Url::parse(line.trim()).is_ok() => return line.trim().to_owned(),
                        Some(_) => {
                            person.tell(Notice::NotUsable { reason: "this is not an address".to_owned() });
                        }
                        None => std::future::pending::<()>().await,
                    }
                }
            };
            let back = async {
                tokio::select! {
                    address = browser => address,
                    address = pasted => address,
                }
            };
            tokio::time::timeout(PATIENCE, back).await.map_err(|_| LoginError::TimedOut)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Somebody who went to lunch.
    struct Absent;

    impl Person for Absent {
        fn tell(&self, _: Notice) {}

        fn line(&self) -> BoxFuture<'_, Option<String>> {
            Box::pin(std::future::ready(None))
        }
    }

    // proves: EXT-102
    #[tokio::test(start_paused = true)]
    async fn nobody_is_waited_for_without_end() {
        let wanted =
            CallbackWanted { server: "s".to_owned(), redirect_uri: None, port: None, path: "/c".to_owned() };
        let callback = PersonConsent(Arc::new(Absent)).listen(wanted).await.unwrap();
        assert!(callback.redirect_uri().starts_with("http://127.0.0.1:"), "{}", callback.redirect_uri());
        let begun = tokio::time::Instant::now();
        let error = callback.wait("http://127.0.0.1/authorize".to_owned()).await.unwrap_err();
        assert_eq!(error.to_string(), "OAuth flow timed out. Please try again.");
        assert_eq!(begun.elapsed().as_secs(), PATIENCE.as_secs());
    }
}
