//! `issue://` and `pr://`: issues and pull requests on GitHub.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_config::settings::{Key, Settings, keys, kind};
use omp_github::{Address, CacheOptions, Gh, Github, Kind};
use omp_shell::{Environment, Scope};
use omp_tools::{InternalUrl, Resource, Scheme};
use tokio_util::sync::CancellationToken;

use crate::options::SessionOptions;

/// Names another file for what is kept of GitHub.
const CACHE_VARIABLE: &str = "OMP_GITHUB_CACHE_DB";

/// One of the two schemes.
pub(super) struct Items {
    pub(super) kind: Kind,
    pub(super) github: Arc<Github>,
}

impl Scheme for Items {
    fn name(&self) -> &'static str {
        self.kind.scheme()
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        async move {
            let query = |name: &str| url.query(name).and_then(Result::ok);
            let address =
                Address::parse(self.kind, &url.decoded()?, query).map_err(|error| error.to_string())?;
            let text = self.github.read(&address, cancel).await?;
            Ok(Resource::text(text.text, text.mime))
        }
        .boxed()
    }
}

/// GitHub as the session's user sees it. `environment` is what `gh` gets.
pub(crate) fn github(
    settings: &Settings,
    options: &SessionOptions,
    scope: &Arc<Scope>,
    environment: &Environment,
) -> Arc<Github> {
    let gh = Gh { scope: Arc::clone(scope), cwd: options.cwd.clone(), environment: environment.clone() };
    let seconds = |key: Key<kind::Number>| settings.get(key).max(0.0) as u64;
    let cache = settings.get(keys::GITHUB_CACHE_ENABLED).then(|| CacheOptions {
        path: options
            .environment
            .var(CACHE_VARIABLE)
            .filter(|path| !path.is_empty())
            .map_or_else(|| options.directories.cache().join("github-cache.db"), PathBuf::from),
        soft_ttl: seconds(keys::GITHUB_CACHE_SOFT_TTL_SEC),
        hard_ttl: seconds(keys::GITHUB_CACHE_HARD_TTL_SEC),
    });
    Github::new(gh, cache)
}
