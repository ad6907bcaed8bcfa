//! Where Azure OpenAI is for this user: every company has an address of its own.

use super::{Lookup, SelectError};
use crate::model::Model;

pub(super) const BASE_URL: &str = "AZURE_OPENAI_BASE_URL";
pub(super) const RESOURCE: &str = "AZURE_OPENAI_RESOURCE_NAME";

/// The address a file gives, else the variable's, else that of the resource.
pub(super) fn address(model: &Model, lookup: &dyn Lookup) -> Result<String, SelectError> {
    if model.base_url != super::builtin::AZURE {
        return Ok(model.base_url.clone());
    }
    let set = |name: &str| {
        let value = lookup.env(name)?.trim().to_owned();
        (!value.is_empty()).then_some(value)
    };
    // A resource is one label of a host name; what would break out of it is not taken.
    let plain = |name: &String| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    let of_resource = || {
        let resource = set(RESOURCE).filter(plain)?;
        Some(format!("https://{resource}.openai.azure.com/openai/v1"))
    };
    let missing = || SelectError::MissingAddress { provider: model.provider.clone() };
    set(BASE_URL).or_else(of_resource).ok_or_else(missing)
}
