//! What the environment says about Azure, Amazon and Google's Code Assist.

use std::sync::Arc;

use omp_llm::{AwsSource, AzureOptions, CodeAssistOptions, Hosts};

use crate::environment::Environment;
use crate::{aws, tls};

/// The options, and what the user should know about them. Amazon's are looked for at its first request.
pub fn cloud_hosts(environment: &Arc<dyn Environment>, warnings: &mut Vec<String>) -> Hosts {
    warnings.extend(tls::problem(environment.as_ref()));
    Hosts {
        azure: azure(environment.as_ref(), warnings),
        aws: AwsSource::new(aws::Chain::new(environment)),
        code_assist: code_assist(environment.as_ref()),
    }
}

fn code_assist(environment: &dyn Environment) -> CodeAssistOptions {
    let version = environment.var("PI_AI_GEMINI_CLI_VERSION").map(|value| value.trim().to_owned());
    let given = version.filter(|version| !version.is_empty());
    given.map_or_else(CodeAssistOptions::default, |client_version| CodeAssistOptions { client_version })
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
