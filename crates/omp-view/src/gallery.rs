use std::sync::Arc;
use omp_theme::Theme;
use crate::Look;
/// tmp
pub fn look(width: usize) -> Look { Look::new(Theme::built_in("dark").unwrap_or_else(|| panic!()), width) }
