//! Azure OpenAI: the Responses API at a company's own address, where models have the names of their deployments.

use omp_types::ModelRequest;

use crate::hosts::AzureOptions;
use crate::model::Model;
use crate::wire::responses::{self, Limits, Variant};
use crate::wire::{Policy, WireRequest, join};

pub(super) fn encode(
    model: &Model,
    request: &ModelRequest,
    policy: Policy,
    options: &AzureOptions,
) -> WireRequest {
    let deployment = options.deployments.get(&model.id).map_or(model.wire_id(), String::as_str);
    let variant = Variant { model: deployment, limits: Limits::Sent };
    let (body, names) = responses::body(model, request, policy, &variant);
    WireRequest {
        url: address(&model.base_url, &options.api_version),
        headers: Vec::new(),
        body: body.to_string(),
        names,
    }
}

/// The version is part of every address, unless the user has already written one.
fn address(base_url: &str, version: &str) -> String {
    let (base, query) = base_url.split_once('?').unwrap_or((base_url, ""));
    let url = join(base, "/responses");
    let given = query.split('&').any(|pair| pair.starts_with("api-version="));
    match (query, given) {
        ("", _) => format!("{url}?api-version={version}"),
        (query, true) => format!("{url}?{query}"),
        (query, false) => format!("{url}?{query}&api-version={version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_version_is_there_once() {
        let base = "https://x.openai.azure.com/openai/v1";
        assert_eq!(address(base, "v1"), format!("{base}/responses?api-version=v1"));
        assert_eq!(
            address(&format!("{base}/?api-version=preview"), "v1"),
            format!("{base}/responses?api-version=preview")
        );
        assert_eq!(
            address(&format!("{base}?a=b"), "2025-04-01-preview"),
            format!("{base}/responses?a=b&api-version=2025-04-01-preview")
        );
    }
}
