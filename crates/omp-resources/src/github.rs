//! `issue://` and `pr://`: issues and pull requests on GitHub.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_config::Directories;
use omp_config::settings::{Key, Settings, keys, kind};
use omp_github::{Address, CacheOptions, Gh, Github, ItemKind};
use omp_shell::{Environment, Scope};
use omp_tools::{InternalUrl, Resource, Scheme};
use tokio_util::sync::CancellationToken;

/// Names another file for what is kept of GitHub.
const CACHE_VARIABLE: &str = "OMP_GITHUB_CACHE_DB";

/// One of the two schemes.
pub(crate) struct Items {
    pub(crate) kind: ItemKind,
    pub(crate) github: Arc<Github>,
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

/// GitHub as the session's user sees it. `environment` is what `gh` gets; `variables` may name another file for the cache.
pub fn github(
    settings: &Settings,
    directories: &Directories,
    variables: &dyn omp_auth::Environment,
    cwd: &Path,
    scope: &Arc<Scope>,
    environment: &Environment,
) -> Arc<Github> {
    let gh = Gh { scope: Arc::clone(scope), cwd: cwd.to_owned(), environment: environment.clone() };
    let seconds = |key: Key<kind::Number>| settings.get(key).max(0.0) as u64;
    let cache = settings.get(keys::GITHUB_CACHE_ENABLED).then(|| CacheOptions {
        path: variables
            .var(CACHE_VARIABLE)
            .filter(|path| !path.is_empty())
            .map_or_else(|| directories.cache().join("github-cache.db"), PathBuf::from),
        soft_ttl: seconds(keys::GITHUB_CACHE_SOFT_TTL_SEC),
        hard_ttl: seconds(keys::GITHUB_CACHE_HARD_TTL_SEC),
    });
    Github::new(gh, cache)
}
