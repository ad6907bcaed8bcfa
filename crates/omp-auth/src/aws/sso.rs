//! Single sign-on: the token that `aws sso login` left, traded for keys.

use std::path::{Path, PathBuf};

use omp_llm::{AwsCredentials, PlainCall};

use super::plan::SsoAccount;
use super::profiles::read;
use super::{LIMIT, Network, answer};
use crate::{Clock, SystemClock};
use serde_json::Value;

const LARGEST_TOKEN: u64 = 64 * 1024;

pub(super) async fn credentials(
    network: &Network<'_>,
    account: &SsoAccount,
) -> Result<AwsCredentials, String> {
    let again = || format!("run `aws sso login --profile {}`", account.profile);
    let path = account.home.as_ref().map(|home| file(home, &account.filed_under));
    let reading =
        tokio::task::spawn_blocking(move || path.and_then(|path| read(&path, LARGEST_TOKEN).ok().flatten()));
    let text = reading.await.ok().flatten();
    let value: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let token = value["accessToken"].as_str().filter(|token| !token.is_empty());
    let token = token
        .ok_or_else(|| format!("nobody is logged in to the AWS profile {}; {}", account.profile, again()))?;
    let ended = value["expiresAt"]
        .as_str()
        .and_then(answer::milliseconds)
        .is_none_or(|end| end <= SystemClock.now_ms());
    if ended {
        return Err(format!("the login of the AWS profile {} has ended; {}", account.profile, again()));
    }
    let region = Network { region: &account.region, ..*network };
    let base = region.endpoint("SSO", "portal.sso");
    let mut query = url_query(&[("role_name", &account.role), ("account_id", &account.account)]);
    query.insert_str(0, &format!("{base}/federation/credentials?"));
    let call = PlainCall::get(query).header("x-amz-sso_bearer_token", token);
    let answer = network.client.call(&call, LIMIT).await.map_err(|failure| failure.message)?;
    let value: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    match answer.status {
        200 => answer::from_json(&value["roleCredentials"])
            .ok_or_else(|| "single sign-on of AWS gave no credentials".to_owned()),
        401 => Err(format!(
            "the login of the AWS profile {} is no longer accepted; {}",
            account.profile,
            again()
        )),
        status => Err(format!(
            "single sign-on of AWS refused the role {} (status {status}): {}",
            account.role,
            value["message"].as_str().unwrap_or("no reason given")
        )),
    }
}

/// Amazon's tools file a token under the hash of what it is for.
fn file(home: &Path, filed_under: &str) -> PathBuf {
    let hash = ring::digest::digest(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY, filed_under.as_bytes());
    let name: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    home.join(".aws/sso/cache").join(format!("{name}.json"))
}

fn url_query(pairs: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}
