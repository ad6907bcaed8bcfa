//! What the browser brings back.

use std::borrow::Cow;

/// The end of the browser's part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Redirect {
    Code(String),
    /// The person or the provider said no.
    Refused(String),
}

/// Reads the parameters of the callback. What does not carry our `state` was not started by us.
pub(super) fn redirect<'a>(
    parameters: impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
    state: &str,
) -> Result<Redirect, String> {
    const MAX_WORDS: usize = 200;
    let (mut code, mut given, mut error, mut description) = (None, None, None, None);
    for (name, value) in parameters.take(50) {
        match name.as_ref() {
            "code" => code = Some(value.into_owned()),
            "state" => given = Some(value.into_owned()),
            "error" => error = Some(value.into_owned()),
            "error_description" => description = Some(value.into_owned()),
            _ => {}
        }
    }
    match given {
        Some(given) if given == state => {}
        Some(_) => return Err("The URL belongs to another login".to_owned()),
        None => return Err("Incomplete URL: it has no \"state\"".to_owned()),
    }
    if let Some(error) = error {
        let words = description.unwrap_or(error);
        let shown = words.chars().filter(|letter| !letter.is_control()).take(MAX_WORDS);
        return Ok(Redirect::Refused(shown.collect()));
    }
    match code.filter(|code| !code.is_empty()) {
        Some(code) => Ok(Redirect::Code(code)),
        None => Err("Incomplete URL: it has no \"code\"".to_owned()),
    }
}
