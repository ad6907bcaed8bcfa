//! Plugins: what installing them needs of the program, the network above all.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use omp_auth::Environment;
use omp_config::Directories;
use omp_plugins::git::Git;
use omp_plugins::packages::{InstallStep, Installer, Packages};
use omp_plugins::registry::{Registry, RegistryConfig};
use omp_plugins::{Fetch, FetchError, Fetched};
use omp_shell::Environment as ChildEnvironment;
use tokio_util::sync::CancellationToken;
use url::Url;

pub use omp_config::packages as records;
pub use omp_plugins::{git, marketplace, packages, registry};

/// The longest pause within an answer.
const PAUSE: Duration = Duration::from_secs(30);
/// The longest answer.
const LONGEST: Duration = Duration::from_secs(600);
/// Redirects that are followed.
const REDIRECTS: usize = 8;

/// The network as models and pages have it: their TLS, their proxies, set up with the first request.
pub fn fetcher(environment: &Arc<dyn Environment>) -> Arc<dyn Fetch> {
    let environment = Arc::clone(environment);
    let client = Arc::new(OnceLock::new());
    Arc::new(WebFetch(move |url: Url, headers: Vec<(String, String)>, limit| {
        let (environment, client) = (Arc::clone(&environment), Arc::clone(&client));
        async move {
            let client = client.get_or_init(|| {
                let client = omp_llm::Client::new(omp_auth::client_options(environment.as_ref()));
                let builder =
                    client.and_then(|client| client.stranger_builder()).map_err(|error| error.to_string())?;
                builder.read_timeout(PAUSE).timeout(LONGEST).build().map_err(|error| error.to_string())
            });
            let client = client.as_ref().map_err(|error| FetchError::Failed(error.clone()))?;
            let failed = |error: &dyn std::error::Error| FetchError::Failed(reason(error));
            let (mut url, mut headers) = (url, headers);
            for _ in 0..=REDIRECTS {
                let mut request = client.get(url.clone());
                for (name, value) in &headers {
                    request = request.header(name, value);
                }
                let mut response = request.send().await.map_err(|error| failed(&error.without_url()))?;
                let status = response.status();
                if status.is_redirection() {
                    let location = response.headers().get("location").and_then(|value| value.to_str().ok());
                    let next = location.and_then(|location| url.join(location).ok());
                    let next =
                        next.ok_or_else(|| FetchError::Failed("the server redirects to nowhere".to_owned()))?;
                    if !may_follow(&url, &next) {
                        return Err(FetchError::Failed(
                            "the server redirects to an address without encryption".to_owned(),
                        ));
                    }
                    if next.origin() != url.origin() {
                        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("authorization"));
                    }
                    url = next;
                    continue;
                }
                if !status.is_success() {
                    return Err(FetchError::Status(status.as_u16()));
                }
                let mut body = Vec::new();
                while let Some(chunk) =
                    response.chunk().await.map_err(|error| failed(&error.without_url()))?
                {
                    if (body.len() + chunk.len()) as u64 > limit {
                        return Err(FetchError::TooLarge(limit));
                    }
                    body.extend_from_slice(&chunk);
                }
                return Ok(Fetched { body });
            }
            Err(FetchError::Failed(format!("the server redirects more than {REDIRECTS} times")))
        }
        .boxed()
    }))
}

/// The packages of a user, as a run in `cwd` sees them.
pub fn packages_of(directories: &Directories, cwd: &Path) -> Packages {
    Packages::new(&directories.plugins(), cwd)
}

/// git, for clones that nobody is asked about.
pub fn git_for(cancel: &CancellationToken) -> Git {
    Git::new(ChildEnvironment::inherited(), cancel.clone())
}

/// What installing packages needs. What is wrong with the user's configuration of registries is added to `warnings`.
pub fn installer(
    directories: &Directories,
    environment: &Arc<dyn Environment>,
    progress: Arc<dyn Fn(InstallStep) + Send + Sync>,
    cancel: &CancellationToken,
    warnings: &mut Vec<String>,
) -> Installer {
    let variable = |name: &str| environment.var(name);
    let config = RegistryConfig::load(&directories.home, &variable, warnings);
    Installer {
        registry: Registry::new(config, fetcher(environment)),
        git: git_for(cancel),
        provided: Arc::new(omp_extension_host::is_built_in),
        progress,
        cancel: cancel.clone(),
    }
}

/// Requests by a function.
struct WebFetch<F>(F);

type Answer = BoxFuture<'static, Result<Fetched, FetchError>>;

impl<F: Fn(Url, Vec<(String, String)>, u64) -> Answer + Send + Sync> Fetch for WebFetch<F> {
    fn get<'a>(
        &'a self,
        url: &'a str,
        headers: &'a [(String, String)],
        limit: u64,
    ) -> BoxFuture<'a, Result<Fetched, FetchError>> {
        match Url::parse(url) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => (self.0)(url, headers.to_vec(), limit),
            Ok(_) => {
                std::future::ready(Err(FetchError::Failed("it is not an address of the web".to_owned())))
                    .boxed()
            }
            Err(error) => std::future::ready(Err(FetchError::Failed(error.to_string()))).boxed(),
        }
    }
}

/// Whoever began with encryption stays with it.
fn may_follow(from: &Url, to: &Url) -> bool {
    matches!((from.scheme(), to.scheme()), ("http", "http" | "https") | ("https", "https"))
}

/// The innermost cause, which says most.
fn reason(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
