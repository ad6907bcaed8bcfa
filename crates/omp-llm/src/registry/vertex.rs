//! Where Vertex AI is for this user: project and place are part of the address.

use super::{Lookup, SelectError};
use crate::model::Model;

/// What the machine's application-default credentials say, apart from secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoogleDefault {
    /// The project the credentials belong to.
    pub project: Option<String>,
}

pub(super) const PROJECT: [&str; 3] = ["GOOGLE_CLOUD_PROJECT", "GCP_PROJECT", "GCLOUD_PROJECT"];
const LOCATION: [&str; 3] = ["GOOGLE_VERTEX_LOCATION", "GOOGLE_CLOUD_LOCATION", "VERTEX_LOCATION"];
/// Serves every model and needs no choice.
const EVERYWHERE: &str = "global";

/// The address up to `/models`. A base that names a publisher is complete. A key stands for its project, so it needs
/// none in the address; a token does not.
pub(super) fn address(model: &Model, lookup: &dyn Lookup) -> Result<String, SelectError> {
    let base = model.base_url.trim_end_matches('/');
    if base.contains("/publishers/") {
        return Ok(base.to_owned());
    }
    let location = variable(&LOCATION, lookup).unwrap_or_else(|| EVERYWHERE.to_owned());
    let host = match (base, location.as_str()) {
        // The key's own host, and that of the place that is everywhere.
        (super::builtin::VERTEX, _) if model.key.is_some() => base.to_owned(),
        (super::builtin::VERTEX, EVERYWHERE) => base.to_owned(),
        (super::builtin::VERTEX, place) => base.replacen("https://", &format!("https://{place}-"), 1),
        (other, _) => other.to_owned(),
    };
    let bare = url::Url::parse(&host).is_ok_and(|url| url.path() == "/");
    let host = if bare { format!("{host}/v1") } else { host };
    if model.key.is_some() {
        return Ok(format!("{host}/publishers/google"));
    }
    let project = variable(&PROJECT, lookup).or_else(|| lookup.google_default()?.project);
    let project = project.ok_or_else(|| SelectError::MissingProject { provider: model.provider.clone() })?;
    Ok(format!("{host}/projects/{project}/locations/{location}/publishers/google"))
}

/// The first that is set. What would break out of its part of the address is not taken.
fn variable(names: &[&str], lookup: &dyn Lookup) -> Option<String> {
    let plain = |text: &String| {
        text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':'))
    };
    let found = names.iter().find_map(|name| lookup.env(name).filter(|value| !value.trim().is_empty()));
    found.map(|value| value.trim().to_owned()).filter(plain)
}
