//! Credentials of the place where we run: a container's server, or the machine's own.

use std::time::Duration;

use omp_llm::{AwsCredentials, PlainAnswer, PlainCall};
use serde_json::Value;
use url::{Host, Url};

use super::profiles::read;
use super::{LIMIT, Network, answer};

/// On Amazon's machines the metadata server answers at once; elsewhere nobody should wait for it.
const METADATA_LIMIT: Duration = Duration::from_secs(1);
const METADATA: &str = "http://169.254.169.254";
const CONTAINER: &str = "http://169.254.170.2";
/// Hosts that may be asked in the open: this machine, and the two that exist in containers.
const IN_THE_OPEN: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];
const TOKEN_SECONDS: &str = "21600";
const LARGEST_TOKEN: u64 = 64 * 1024;

pub(super) async fn of_container(network: &Network<'_>) -> Result<AwsCredentials, String> {
    let url = match (
        network.set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"),
        network.set("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
    ) {
        (Some(path), _) if path.starts_with('/') => format!("{CONTAINER}{path}"),
        (Some(_), _) => return Err("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI must begin with /".to_owned()),
        (None, Some(url)) => checked(&url)?,
        (None, None) => return Err("no container offers AWS credentials".to_owned()),
    };
    let mut call = PlainCall::get(url).direct();
    if let Some(token) = container_token(network).await? {
        call = call.header("authorization", token);
    }
    let answer = network.client.call(&call, LIMIT).await.map_err(|failure| failure.message)?;
    found(&answer, "the container's server")
}

/// A token goes over TLS, or to a host that cannot be anybody else's.
fn checked(url: &str) -> Result<String, String> {
    let refused = || {
        format!(
            "AWS_CONTAINER_CREDENTIALS_FULL_URI must use https, or be an address of this machine or container, not {url}"
        )
    };
    let parsed = Url::parse(url).map_err(|_| refused())?;
    let local = match parsed.host() {
        Some(Host::Ipv4(address)) => {
            address.is_loopback() || IN_THE_OPEN.contains(&address.to_string().as_str())
        }
        Some(Host::Ipv6(address)) => {
            address.is_loopback() || IN_THE_OPEN.contains(&address.to_string().as_str())
        }
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    };
    match parsed.scheme() == "https" || (parsed.scheme() == "http" && local) {
        true => Ok(url.to_owned()),
        false => Err(refused()),
    }
}

async fn container_token(network: &Network<'_>) -> Result<Option<String>, String> {
    let Some(file) = network.set("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") else {
        return Ok(network.set("AWS_CONTAINER_AUTHORIZATION_TOKEN"));
    };
    let path = std::path::PathBuf::from(&file);
    let text = tokio::task::spawn_blocking(move || read(&path, LARGEST_TOKEN)).await;
    match text {
        Ok(Ok(Some(text))) => Ok(Some(text.trim().to_owned())),
        _ => Err(format!("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE {file} cannot be read")),
    }
}

/// Only the second version of the protocol: the first gives credentials to whoever gets a request through.
pub(super) async fn of_instance(network: &Network<'_>) -> Result<AwsCredentials, String> {
    let nobody = || "there are no AWS credentials".to_owned();
    let base = network.set("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or_else(|| METADATA.to_owned());
    let base = base.trim_end_matches('/');
    let call = PlainCall::put(format!("{base}/latest/api/token"))
        .header("x-aws-ec2-metadata-token-ttl-seconds", TOKEN_SECONDS)
        .direct();
    let answer = network.client.call(&call, METADATA_LIMIT).await.map_err(|_| nobody())?;
    if answer.status != 200 {
        return Err(nobody());
    }
    let token = answer.body.trim().to_owned();
    let ask = async |path: &str| {
        let call = PlainCall::get(format!("{base}/latest/meta-data/iam/security-credentials/{path}"));
        let call = call.header("x-aws-ec2-metadata-token", &token).direct();
        network.client.call(&call, METADATA_LIMIT).await.map_err(|failure| failure.message)
    };
    let roles = ask("").await?;
    let role = roles.body.lines().next().map(str::trim).filter(|role| roles.status == 200 && is_name(role));
    let role = role.ok_or_else(|| "this machine has no AWS role".to_owned())?;
    found(&ask(role).await?, "the machine's metadata server")
}

/// The name of a role is part of an address.
fn is_name(role: &str) -> bool {
    let letter = |letter: char| letter.is_ascii_alphanumeric() || "+=,.@_-".contains(letter);
    !role.is_empty() && role.chars().all(letter)
}

fn found(answer: &PlainAnswer, who: &str) -> Result<AwsCredentials, String> {
    if answer.status != 200 {
        return Err(format!("{who} refused to give AWS credentials (status {})", answer.status));
    }
    let value: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    answer::from_json(&value).ok_or_else(|| format!("{who} gave no AWS credentials"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_is_asked_only_where_nobody_listens() {
        for url in
            ["https://x.example/c", "http://127.0.0.1:1/c", "http://169.254.170.23/v1", "http://localhost/c"]
        {
            assert_eq!(checked(url).as_deref(), Ok(url));
        }
        for url in ["http://x.example/c", "ftp://127.0.0.1/c", "http://169.254.169.254/c", "nonsense"] {
            assert!(checked(url).is_err(), "{url}");
        }
    }
}
