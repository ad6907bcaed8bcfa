//! How the requests to one model differ from what its wire would send.

use indexmap::IndexMap;

use crate::wire::Retention;

/// What the user's file says about the last form of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shaping {
    /// The model's id in the request, where it is not the one that users write.
    pub wire_id: Option<String>,
    /// How long the provider should keep the prompt.
    pub retention: Option<Retention>,
    /// Headers that are taken out, in lower case; a `*` at the end stands for any rest of a name.
    pub strip_headers: Vec<String>,
    /// Headers that are set at last; `None` takes one out.
    pub set_headers: IndexMap<String, Option<String>>,
}

impl Shaping {
    /// Must a header of this name, in lower case, go?
    pub(crate) fn strips(&self, name: &str) -> bool {
        self.strip_headers.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(front) => name.starts_with(front),
            None => name == pattern,
        })
    }
}
