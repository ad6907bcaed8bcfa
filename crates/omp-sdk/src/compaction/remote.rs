//! A service of the user's own that makes summaries.

use std::time::Duration;

use omp_compaction::Request;
use omp_llm::{PlainBody, PlainCall};
use omp_types::{Failure, FailureKind};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Compactor;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(5 * 60);

impl Compactor {
    /// Posts the question and takes `summary` of what comes back.
    pub(super) async fn ask_endpoint(
        &self,
        asked: &Request,
        cancel: &CancellationToken,
    ) -> Result<String, Failure> {
        let url = self.policy().endpoint.unwrap_or_default();
        let body = json!({ "systemPrompt": asked.system, "prompt": asked.prompt });
        let call = PlainCall::post(url.as_str(), PlainBody::Json(body));
        let sent = cancel.run_until_cancelled(self.models.pipeline.client.call(&call, LIMIT)).await;
        let answer =
            sent.ok_or_else(|| failure(FailureKind::Aborted, "Request was aborted".to_owned()))??;
        if !(200..300).contains(&answer.status) {
            let kind = omp_llm::classify_status(answer.status, &answer.body);
            return Err(failure(kind, format!("{url} returned status {}", answer.status)));
        }
        let parsed: Option<Value> = serde_json::from_str(&answer.body).ok();
        let summary = parsed.as_ref().and_then(|parsed| parsed.get("summary")).and_then(Value::as_str);
        summary.map(str::to_owned).ok_or_else(|| {
            failure(FailureKind::Fatal, format!("{url} returned no JSON object with a \"summary\""))
        })
    }
}

fn failure(kind: FailureKind, message: String) -> Failure {
    Failure { kind, message, status: None, retry_after_ms: None }
}
