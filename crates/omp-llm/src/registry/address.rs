//! Addresses with parts that only the user's environment knows, written `${NAME}`.

use super::{Lookup, SelectError};
use crate::model::Model;

/// The model's address with all parts filled in.
pub(super) fn fill(model: &Model, lookup: &dyn Lookup) -> Result<String, SelectError> {
    let mut filled = String::new();
    let mut rest = model.base_url.as_str();
    while let Some((front, name, behind)) = next_part(rest) {
        let value = lookup.env(name).map(|value| value.trim().to_owned()).filter(|value| is_plain(value));
        let value = value.ok_or_else(|| SelectError::MissingAddressPart {
            provider: model.provider.clone(),
            variable: name.to_owned(),
        })?;
        filled.extend([front, &value]);
        rest = behind;
    }
    Ok(filled + rest)
}

/// What stands before the first part, its name, and what follows.
fn next_part(text: &str) -> Option<(&str, &str, &str)> {
    let (front, rest) = text.split_once("${")?;
    let (name, behind) = rest.split_once('}')?;
    Some((front, name, behind))
}

/// What would break out of its part of the address is not taken.
fn is_plain(value: &str) -> bool {
    !value.is_empty() && value.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
}
