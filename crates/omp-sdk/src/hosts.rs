//! What the environment says about Azure and Amazon.

use std::sync::Arc;

use omp_llm::{AwsSource, AzureOptions, Hosts};

use crate::aws;
use crate::environment::Environment;

/// The options, and what the user should know about them. Amazon's are looked for at its first request.
pub(crate) fn load(environment: &Arc<dyn Environment>, warnings: &mut Vec<String>) -> Hosts {
    let for_aws = Arc::clone(environment);
    Hosts {
        azure: azure(environment.as_ref(), warnings),
        aws: AwsSource::new(move || aws::options(for_aws.as_ref())),
    }
}

fn azure(environment: &dyn Environment, warnings: &mut Vec<String>) -> AzureOptions {
    const MAP: &str = "AZURE_OPENAI_DEPLOYMENT_NAME_MAP";
    let set = |name: &str| {
        environment.var(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let mut options = AzureOptions::default();
    if let Some(version) = set("AZURE_OPENAI_API_VERSION") {
        options.api_version = version;
    }
    if let Some(text) = set(MAP) {
        let (deployments, unreadable) = AzureOptions::parse_deployments(&text);
        options.deployments = deployments;
        if !unreadable.is_empty() {
            warnings.push(format!("{MAP}: {} is no pair of the form id=deployment.", unreadable.join(", ")));
        }
    }
    options
}
