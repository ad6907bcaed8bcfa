//! Requests of a login. Their bodies are bounded; nothing follows a redirect to another host.

use std::sync::{Arc, OnceLock};

use futures_util::StreamExt as _;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientFuture, OAuthHttpRedirectPolicy, OAuthHttpRequest,
};

use crate::transport::Connector;
use crate::transport::http::HttpClient;

/// Metadata and tokens are small.
const MOST: usize = 1024 * 1024;

#[derive(Clone)]
pub(super) struct OauthHttp {
    connector: Connector,
    clients: Arc<OnceLock<Result<Clients, String>>>,
}

#[derive(Clone)]
struct Clients {
    following: reqwest::Client,
    staying: reqwest::Client,
}

impl OauthHttp {
    pub(super) fn new(connector: Connector) -> Self {
        Self { connector, clients: Arc::default() }
    }

    /// A client for a question beside the protocol.
    pub(super) fn probe(&self) -> Result<reqwest::Client, String> {
        self.client(OAuthHttpRedirectPolicy::Stop)
    }

    fn client(&self, policy: OAuthHttpRedirectPolicy) -> Result<reqwest::Client, String> {
        let clients = self.clients.get_or_init(|| {
            let staying = (self.connector)()?.redirect(reqwest::redirect::Policy::none()).build();
            Ok(Clients {
                following: HttpClient::new(&self.connector)?.inner().clone(),
                staying: staying.map_err(|error| error.to_string())?,
            })
        });
        let clients = clients.clone()?;
        Ok(match policy {
            OAuthHttpRedirectPolicy::Follow => clients.following,
            _ => clients.staying,
        })
    }
}

impl OAuthHttpClient for OauthHttp {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let client = self.client(request.redirect_policy)?;
            let mut outgoing = reqwest::Request::try_from(request.request)?;
            *outgoing.timeout_mut() = request.timeout;
            let response = client.execute(outgoing).await?;
            let mut answer = http::Response::builder().status(response.status());
            for (name, value) in response.headers() {
                answer = answer.header(name, value);
            }
            let mut body = Vec::new();
            let mut chunks = response.bytes_stream();
            while let Some(chunk) = chunks.next().await {
                body.extend_from_slice(&chunk?);
                if body.len() > MOST {
                    return Err("the answer of the authorization server is too large".into());
                }
            }
            Ok(answer.body(body)?)
        })
    }
}
