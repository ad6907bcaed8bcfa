//! The project that Google's Code Assist wants to see with every request.
//!
//! Most accounts have one that Google manages. A new account is given one, which takes a moment; accounts of companies
//! must bring their own.

use std::time::Duration;

use omp_llm::{PlainBody, PlainCall, Secret};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{Attempt, LoginError, REQUEST_LIMIT, as_text, server_says};
use crate::token;

const FREE_TIER: &str = "free-tier";
/// Accounts that predate the others' choice.
const LEGACY_TIER: &str = "legacy-tier";
/// A new project is there after some of these pauses, each longer than the one before.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(5),
    Duration::from_secs(10),
    Duration::from_secs(15),
];

/// Who asks, and where.
pub(super) struct Account<'a> {
    pub(super) url: &'a str,
    pub(super) metadata: &'a Value,
    /// The project the user named.
    pub(super) own: Option<&'a str>,
}

/// The project of the account.
pub(super) async fn project(
    attempt: &Attempt<'_>,
    account: &Account<'_>,
    access: &Secret,
) -> Result<String, LoginError> {
    let assist = Assist { attempt, account, access };
    let loaded = assist.post("loadCodeAssist", assist.body(&json!({}))).await?;
    if let Some(project) = project_of(&loaded) {
        return Ok(project);
    }
    if let (Some(own), true) = (account.own, loaded.get("currentTier").is_some_and(Value::is_object)) {
        return Ok(own.to_owned());
    }
    let tier = tier_of(&loaded);
    if tier != FREE_TIER && account.own.is_none() {
        return Err(LoginError::NeedsProject);
    }
    assist.onboard(&tier).await
}

/// The project an answer names, as text or as an object.
fn project_of(value: &Value) -> Option<String> {
    let named = &value["cloudaicompanionProject"];
    let text = named.as_str().or_else(|| named["id"].as_str());
    text.filter(|text| !text.is_empty()).map(as_text)
}

/// What the account would be given if it asked.
fn tier_of(loaded: &Value) -> String {
    let tiers = loaded["allowedTiers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let usual = tiers.iter().find(|tier| tier["isDefault"] == true);
    usual.and_then(|tier| tier["id"].as_str()).unwrap_or(LEGACY_TIER).to_owned()
}

struct Assist<'a> {
    attempt: &'a Attempt<'a>,
    account: &'a Account<'a>,
    access: &'a Secret,
}

impl Assist<'_> {
    fn body(&self, members: &Value) -> Value {
        let mut body = json!({"metadata": self.account.metadata});
        if let Some(own) = self.account.own {
            body["cloudaicompanionProject"] = own.into();
            body["metadata"]["duetProject"] = own.into();
        }
        for (name, value) in members.as_object().into_iter().flatten() {
            body[name.as_str()] = value.clone();
        }
        body
    }

    async fn post(&self, method: &str, body: Value) -> Result<Value, LoginError> {
        let url = format!("{}/v1internal:{method}", self.account.url);
        self.ask(PlainCall::post(url, PlainBody::Json(body))).await
    }

    async fn ask(&self, call: PlainCall) -> Result<Value, LoginError> {
        let call = call.header("authorization", format!("Bearer {}", self.access.reveal()));
        let answer = self.attempt.client.call(&call, REQUEST_LIMIT).await;
        let answer = answer.map_err(|failure| server_says(&failure.message))?;
        let value = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
        match answer.status {
            200 => Ok(value),
            401 | 403 => Err(LoginError::Denied(token::refusal(answer.status, &value).sentence().to_owned())),
            status => Err(server_says(token::refusal(status, &value).sentence())),
        }
    }

    /// Asks for a project and waits until it is there.
    async fn onboard(&self, tier: &str) -> Result<String, LoginError> {
        let mut operation = self.post("onboardUser", self.body(&json!({"tierId": tier}))).await?;
        for pause in PAUSES {
            if operation["done"] == true {
                break;
            }
            sleep(pause).await;
            operation = match operation["name"].as_str().filter(|name| is_plain(name)) {
                Some(name) => {
                    self.ask(PlainCall::get(format!("{}/v1internal/{name}", self.account.url))).await?
                }
                None => self.post("onboardUser", self.body(&json!({"tierId": tier}))).await?,
            };
        }
        let given = project_of(&operation["response"]).or_else(|| self.account.own.map(str::to_owned));
        given
            .filter(|_| operation["done"] == true)
            .ok_or_else(|| LoginError::Server("Google assigned no project to the account".to_owned()))
    }
}

/// The name of an operation is part of an address; what would break out of it is not taken.
fn is_plain(name: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '/' | '-' | '_' | '.');
    !name.is_empty() && name.len() < 300 && name.chars().all(letter) && !name.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_name_projects_and_tiers() {
        assert_eq!(project_of(&json!({"cloudaicompanionProject": "p"})).as_deref(), Some("p"));
        assert_eq!(project_of(&json!({"cloudaicompanionProject": {"id": "p"}})).as_deref(), Some("p"));
        assert_eq!(project_of(&json!({"cloudaicompanionProject": ""})), None);
        let tiers = json!({"allowedTiers": [{"id": "a"}, {"id": "free-tier", "isDefault": true}]});
        assert_eq!(tier_of(&tiers), FREE_TIER);
        assert_eq!(tier_of(&json!({})), LEGACY_TIER);
        assert!(is_plain("operations/abc-1") && !is_plain("../x") && !is_plain("a?b"));
    }
}
