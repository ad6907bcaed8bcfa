//! The themes that come with the program.

use std::sync::Arc;

use crate::theme::Theme;

macro_rules! themes {
    ($($name:literal)*) => {
        /// Names and files, sorted by name.
        const THEMES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../themes/", $name, ".json"))),)*];
    };
}

themes! {
    "amber"
    "ansi"
    "blossom"
    "contrast-dark"
    "contrast-light"
    "dark"
    "dusk"
    "ember"
    "fjord"
    "forest"
    "graphite"
    "lagoon"
    "light"
    "meadow"
    "midnight"
    "mist"
    "mono-dark"
    "mono-light"
    "ocean"
    "paper"
    "phosphor"
    "rosewood"
    "safe-dark"
    "safe-light"
    "solar-dark"
    "solar-light"
    "titanium"
}

/// The theme that always works.
pub(crate) const FALLBACK: &str = "dark";

/// The names, sorted.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    THEMES.iter().map(|(name, _)| *name)
}

pub(crate) fn find(name: &str) -> Option<Arc<Theme>> {
    let (_, json) = THEMES.iter().find(|(built_in, _)| *built_in == name)?;
    Theme::load(json).ok().map(Arc::new)
}
