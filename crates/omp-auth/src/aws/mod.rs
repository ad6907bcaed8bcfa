//! Amazon's credentials: where they are on this machine, or who gives them.
//!
//! The order is that of Amazon's own tools: keys in the environment, the chosen profile (keys, roles, single sign-on,
//! a program), the identity of a workload, the container, the machine itself. Nothing here is asked before a request
//! needs it, and every step that leaves this machine is bounded.

mod answer;
mod metadata;
mod plan;
mod process;
mod profiles;
mod sso;
mod sts;

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use omp_llm::{AwsCredentials, AwsOptions, AwsProvider, Client};

use crate::environment::Environment;
use plan::{Base, Plan, plan};
use profiles::Profiles;

/// Amazon's servers answer at once, or not at all.
const LIMIT: Duration = Duration::from_secs(10);

/// Variables that promise credentials which only the network can give.
const PROMISES: [&str; 3] = [
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

/// Looks in all the places, in their order.
pub(crate) struct Chain(Arc<dyn Environment>);

impl Chain {
    pub(crate) fn new(environment: &Arc<dyn Environment>) -> Self {
        Self(Arc::clone(environment))
    }

    /// Reads what lies in files, away from the threads that serve others.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Environment, &Profiles) -> T + Send + 'static,
    ) -> Result<T, String> {
        let environment = Arc::clone(&self.0);
        let reading = tokio::task::spawn_blocking(move || {
            let profiles = Profiles::load(environment.as_ref());
            work(environment.as_ref(), &profiles)
        });
        reading.await.map_err(|_| "the files of AWS could not be read".to_owned())
    }

    async fn find(&self, client: &Client) -> Result<AwsCredentials, String> {
        let plan = self.read(plan).await??;
        let Plan { base, roles, region } = plan;
        let network = Network { client, environment: &self.0, region: &region };
        let mut credentials = match base {
            Base::Keys(credentials) => credentials,
            Base::Process { profile, command } => process::run(profile, command).await?,
            Base::Sso(account) => sso::credentials(&network, &account).await?,
            Base::WebIdentity(identity) => sts::assume_with_token(&network, &identity).await?,
            Base::Container => metadata::of_container(&network).await?,
            Base::Instance => metadata::of_instance(&network).await?,
        };
        for role in &roles {
            credentials = sts::assume(&network, role, &credentials).await?;
        }
        Ok(credentials)
    }
}

impl AwsProvider for Chain {
    fn region(&self) -> BoxFuture<'_, String> {
        self.read(region)
            .map(|region| region.unwrap_or_else(|_| AwsOptions::DEFAULT_REGION.to_owned()))
            .boxed()
    }

    fn credentials<'a>(&'a self, client: &'a Client) -> BoxFuture<'a, Result<AwsCredentials, String>> {
        self.find(client).boxed()
    }
}

/// What every step over the network works with.
struct Network<'a> {
    client: &'a Client,
    environment: &'a Arc<dyn Environment>,
    region: &'a str,
}

impl Network<'_> {
    fn set(&self, name: &str) -> Option<String> {
        set(self.environment.as_ref(), name)
    }

    /// Where a service is: where the user says, else at its usual place.
    fn endpoint(&self, service: &str, usual: &str) -> String {
        let named = self.set(&format!("AWS_ENDPOINT_URL_{service}")).or_else(|| self.set("AWS_ENDPOINT_URL"));
        let url = named.unwrap_or_else(|| {
            let suffix = if self.region.starts_with("cn-") { ".cn" } else { "" };
            format!("https://{usual}.{}.amazonaws.com{suffix}", self.region)
        });
        url.trim_end_matches('/').to_owned()
    }
}

/// Could requests be signed? Asked for listings, so what only the network can tell counts as yes.
pub(crate) fn is_available(environment: &dyn Environment) -> bool {
    PROMISES.iter().any(|name| set(environment, name).is_some())
        || set(environment, "AWS_PROFILE").is_some()
        || plan(environment, &Profiles::load(environment))
            .is_ok_and(|plan| !matches!(plan.base, Base::Instance))
}

fn region(environment: &dyn Environment, profiles: &Profiles) -> String {
    let variable = ["AWS_REGION", "AWS_DEFAULT_REGION"].iter().find_map(|name| set(environment, name));
    let region = variable.or_else(|| profiles.member(&profiles.chosen, "region").map(str::to_owned));
    region.filter(|region| is_plain(region)).unwrap_or_else(|| AwsOptions::DEFAULT_REGION.to_owned())
}

fn set(environment: &dyn Environment, name: &str) -> Option<String> {
    environment.var(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// A region is part of a host name; what would break out of it is not taken.
fn is_plain(region: &str) -> bool {
    region.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
}

#[cfg(test)]
mod tests;
