//! Whether the prompt cache is asked for, and for how long.

use super::{Policy, Retention};
use crate::model::{CacheControlFormat, Model};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caching {
    Off,
    Short,
    Long,
}

impl Caching {
    pub(super) fn new(model: &Model, policy: Policy) -> Self {
        if model.compat.cache_control != CacheControlFormat::Anthropic || policy.retention == Retention::None
        {
            Self::Off
        } else if policy.retention == Retention::Long && model.compat.long_cache_retention {
            Self::Long
        } else {
            Self::Short
        }
    }
}
