//! Credentials that a program of the user prints.

use std::time::Duration;

use omp_llm::AwsCredentials;
use serde_json::Value;

use super::answer;
use crate::environment::capture;

/// It may ask a vault or a browser.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs `credential_process` of a profile. What it prints is never shown.
pub(super) async fn run(profile: String, command: String) -> Result<AwsCredentials, String> {
    // Commands have a runtime of their own, as those of the models file.
    let running = tokio::task::spawn_blocking(move || capture(&command, LIMIT));
    let printed = running.await.ok().flatten().ok_or_else(|| {
        format!(
            "credential_process of the AWS profile {profile} failed, or took more than {} seconds",
            LIMIT.as_secs()
        )
    })?;
    let value: Value = serde_json::from_str(&printed).unwrap_or_default();
    let found = answer::from_json(&value).filter(|_| value["Version"] == 1);
    found.ok_or_else(|| {
        format!("credential_process of the AWS profile {profile} printed no credentials of version 1")
    })
}
