//! Roles: credentials that are put on over others.

use omp_llm::{AwsCredentials, PlainBody, PlainCall};
use url::form_urlencoded::Serializer;

use super::plan::{Role, WebIdentity};
use super::profiles::read;
use super::{LIMIT, Network, answer};

const VERSION: &str = "2011-06-15";
const LARGEST_TOKEN: u64 = 64 * 1024;
const FORM: &str = "application/x-www-form-urlencoded; charset=utf-8";

/// Puts a role on, with credentials that may.
pub(super) async fn assume(
    network: &Network<'_>,
    role: &Role,
    credentials: &AwsCredentials,
) -> Result<AwsCredentials, String> {
    let body = form("AssumeRole", role, None);
    let url = format!("{}/", network.endpoint("STS", "sts"));
    let signature = credentials.sign_post(network.region, "sts", &url, &body);
    let call = PlainCall::post(url, PlainBody::Signed { content_type: FORM, text: body });
    let call = signature.into_iter().fold(call, |call, (name, value)| call.header(name, value));
    ask(network, role, call).await
}

/// Puts a role on, with the token of a workload. Nobody signs.
pub(super) async fn assume_with_token(
    network: &Network<'_>,
    identity: &WebIdentity,
) -> Result<AwsCredentials, String> {
    let path = identity.token_file.clone();
    let reading = tokio::task::spawn_blocking(move || read(&path, LARGEST_TOKEN));
    let text = reading.await.map_err(|error| error.to_string()).and_then(|text| text);
    let place = identity.token_file.display();
    let token = match text {
        Ok(Some(text)) if !text.trim().is_empty() => text.trim().to_owned(),
        Ok(_) => return Err(format!("the web identity token {place} is missing or empty")),
        Err(cause) => return Err(format!("the web identity token {place} cannot be read ({cause})")),
    };
    let body = form("AssumeRoleWithWebIdentity", &identity.role, Some(&token));
    let url = format!("{}/", network.endpoint("STS", "sts"));
    let call = PlainCall::post(url, PlainBody::Signed { content_type: FORM, text: body });
    ask(network, &identity.role, call).await
}

fn form(action: &str, role: &Role, token: Option<&str>) -> String {
    let mut form = Serializer::new(String::new());
    form.append_pair("Action", action).append_pair("Version", VERSION);
    form.append_pair("RoleArn", &role.arn);
    form.append_pair("RoleSessionName", role.session.as_deref().unwrap_or("omp"));
    let optional = [("ExternalId", &role.external_id), ("DurationSeconds", &role.seconds)];
    for (name, value) in optional {
        if let Some(value) = value {
            form.append_pair(name, value);
        }
    }
    if let Some(token) = token {
        form.append_pair("WebIdentityToken", token);
    }
    form.finish()
}

async fn ask(network: &Network<'_>, role: &Role, call: PlainCall) -> Result<AwsCredentials, String> {
    let answer = network.client.call(&call.header("accept", "text/xml"), LIMIT).await;
    let answer = answer.map_err(|failure| failure.message)?;
    if answer.status != 200 {
        let words = answer::between(&answer.body, "Message").unwrap_or("no reason given");
        let words: String = words.chars().filter(|letter| !letter.is_control()).take(300).collect();
        return Err(format!("AWS refused the role {} (status {}): {words}", role.arn, answer.status));
    }
    answer::from_xml(&answer.body).ok_or_else(|| format!("AWS gave no credentials for the role {}", role.arn))
}
