//! `artifact://<id>`: the whole output of a tool of which the model saw a part.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_session::Artifacts;
use omp_tools::{InternalUrl, Resource, Scheme};
use tokio_util::sync::CancellationToken;

pub(crate) struct Artifact(pub(crate) Arc<Artifacts>);

impl Scheme for Artifact {
    fn name(&self) -> &'static str {
        "artifact"
    }

    fn open<'a>(
        &'a self,
        url: &'a InternalUrl,
        _cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Resource, String>> {
        let (artifacts, url) = (Arc::clone(&self.0), url.clone());
        crate::blocking(move || Ok(Resource::path(find(&artifacts, &url)?, "text/plain"))).boxed()
    }

    fn locate(&self, url: &InternalUrl) -> Result<PathBuf, String> {
        find(&self.0, url)
    }
}

fn find(artifacts: &Artifacts, url: &InternalUrl) -> Result<PathBuf, String> {
    let id = url.decoded()?;
    artifacts.find(id.trim_end_matches('/')).map_err(|error| error.to_string())
}
