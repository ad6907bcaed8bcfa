//! What the terminal can do, guessed from the environment.
//!
//! Pure functions of the variables that are handed in. A wrong guess only ever costs an optimisation; what a probe
//! answers later corrects it ([`crate::probe`]).

use crate::input::Mode;
use crate::render::Profile;

/// The environment variables, handed in by whoever may read them.
#[derive(Clone, Copy)]
pub struct Environment<'a>(pub &'a dyn Fn(&str) -> Option<String>);

impl Environment<'_> {
    fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A switch: set, and neither `0` nor `false`.
    fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    fn is(&self, name: &str, wanted: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case(wanted))
    }
}

/// Terminals we know by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brand {
    /// kitty.
    Kitty,
    /// Ghostty.
    Ghostty,
    /// WezTerm.
    WezTerm,
    /// iTerm2.
    Iterm2,
    /// Alacritty.
    Alacritty,
    /// The terminal inside Visual Studio Code.
    VsCode,
    /// Anything else.
    Unknown,
}

/// Which terminal this is.
pub fn brand(environment: Environment<'_>) -> Brand {
    let term = environment.get("TERM").unwrap_or_default();
    let program = |name| environment.is("TERM_PROGRAM", name);
    if environment.has("KITTY_WINDOW_ID") || term == "xterm-kitty" {
        Brand::Kitty
    } else if program("ghostty") || environment.has("GHOSTTY_RESOURCES_DIR") || term == "xterm-ghostty" {
        Brand::Ghostty
    } else if program("WezTerm") || environment.has("WEZTERM_PANE") {
        Brand::WezTerm
    } else if program("iTerm.app") || environment.has("ITERM_SESSION_ID") {
        Brand::Iterm2
    } else if environment.has("ALACRITTY_WINDOW_ID") || term.starts_with("alacritty") {
        Brand::Alacritty
    } else if program("vscode") {
        Brand::VsCode
    } else {
        Brand::Unknown
    }
}

/// Whether tmux, screen or zellij stands between us and the terminal.
pub fn multiplexer(environment: Environment<'_>) -> bool {
    let term = environment.get("TERM").unwrap_or_default();
    ["TMUX", "STY", "ZELLIJ"].iter().any(|name| environment.has(name))
        || term.starts_with("tmux")
        || term.starts_with("screen")
}

/// Whether the terminal understands nothing but text: no questions, no interface.
pub fn dumb(environment: Environment<'_>) -> bool {
    environment.get("TERM").is_none_or(|term| term == "dumb")
}

/// Whether links can be clicked. Most terminals that cannot do it ignore them; the Linux console need not.
pub fn links(environment: Environment<'_>) -> bool {
    !dumb(environment) && environment.get("TERM").is_none_or(|term| term != "linux")
}

/// A default that a probe may correct, or a decision of the user that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// What is likely.
    Default(bool),
    /// What the user said.
    Forced(bool),
}

impl Choice {
    /// The value.
    pub fn value(self) -> bool {
        match self {
            Self::Default(value) | Self::Forced(value) => value,
        }
    }

    /// The value after the terminal reported the mode behind it.
    #[must_use]
    pub fn reported(self, mode: Mode) -> Self {
        match self {
            Self::Forced(_) => self,
            Self::Default(_) => Self::Default(matches!(mode, Mode::On | Mode::Off)),
        }
    }
}

/// Whether frames are wrapped in the marks of synchronized output.
pub fn synchronized(environment: Environment<'_>) -> Choice {
    if environment.is_on("PI_NO_SYNC_OUTPUT") || environment.is("PI_TUI_SYNC_OUTPUT", "0") {
        return Choice::Forced(false);
    }
    if environment.is("PI_FORCE_SYNC_OUTPUT", "1") || environment.is("PI_TUI_SYNC_OUTPUT", "1") {
        return Choice::Forced(true);
    }
    let features = environment.get("TERM_FEATURES").unwrap_or_default();
    if has_feature(&features, "Sy") || environment.has("WT_SESSION") {
        return Choice::Default(true);
    }
    Choice::Default(!multiplexer(environment) && brand(environment) != Brand::Unknown)
}

/// Feature lists are capitalised words without separators, each perhaps followed by a number.
fn has_feature(features: &str, wanted: &str) -> bool {
    features
        .match_indices(wanted)
        .any(|(at, _)| !features[at + wanted.len()..].starts_with(|next: char| next.is_ascii_lowercase()))
}

/// Whether the screen can be pushed into history before it is taken over.
pub fn screen_to_history(environment: Environment<'_>) -> bool {
    brand(environment) == Brand::Kitty && !multiplexer(environment)
}

/// How pictures are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageProtocol {
    /// kitty's graphics protocol.
    Kitty,
    /// iTerm2's inline images.
    Iterm2,
    /// Sixel.
    Sixel,
    /// Characters of two colours each, which every terminal shows; only where the user asks for it.
    Blocks,
    /// Not at all: a line of text stands for the picture.
    None,
}

/// How pictures are sent, and whether the user decided that.
pub fn image_protocol(environment: Environment<'_>) -> (ImageProtocol, bool) {
    let forced =
        match environment.get("PI_FORCE_IMAGE_PROTOCOL").unwrap_or_default().to_ascii_lowercase().as_str() {
            "kitty" => Some(ImageProtocol::Kitty),
            "iterm2" => Some(ImageProtocol::Iterm2),
            "sixel" => Some(ImageProtocol::Sixel),
            "blocks" => Some(ImageProtocol::Blocks),
            "off" => Some(ImageProtocol::None),
            _ => None,
        };
    if let Some(protocol) = forced {
        return (protocol, true);
    }
    let protocol = match brand(environment) {
        _ if multiplexer(environment) => ImageProtocol::None,
        Brand::Kitty | Brand::Ghostty | Brand::WezTerm => ImageProtocol::Kitty,
        Brand::Iterm2 | Brand::VsCode => ImageProtocol::Iterm2,
        Brand::Alacritty | Brand::Unknown => ImageProtocol::None,
    };
    (protocol, false)
}

/// Whether kitty pictures are placed by characters that stand for their cells.
pub fn placeholders(environment: Environment<'_>) -> bool {
    if environment.is_on("PI_NO_KITTY_PLACEHOLDERS") {
        return false;
    }
    environment.is_on("PI_KITTY_PLACEHOLDERS") || matches!(brand(environment), Brand::Kitty | Brand::Ghostty)
}

/// Whether the terminal's own cursor is shown: the variable, or else the setting.
pub fn hardware_cursor(environment: Environment<'_>, setting: bool) -> bool {
    match environment.get("PI_HARDWARE_CURSOR") {
        Some(_) => environment.is_on("PI_HARDWARE_CURSOR"),
        None => setting,
    }
}

/// What the renderer should assume of the terminal; `cursor` is the setting for [`hardware_cursor`].
pub fn profile(environment: Environment<'_>, cursor: bool) -> Profile {
    Profile {
        synchronized: synchronized(environment).value(),
        multiplexer: multiplexer(environment),
        screen_to_history: screen_to_history(environment),
        hardware_cursor: hardware_cursor(environment, cursor),
        ..Profile::default()
    }
}

/// Whether desktop notifications may be sent.
pub fn notifications(environment: Environment<'_>) -> bool {
    !["off", "0", "false"].iter().any(|word| environment.is("PI_NOTIFICATIONS", word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(variables: &[(&str, &str)], ask: impl Fn(Environment<'_>) -> T) -> T {
        let read = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        ask(Environment(&read))
    }

    /// proves: TUI-037, TUI-039, TUI-042
    #[test]
    fn synchronized_output_is_decided_in_order() {
        use Choice::{Default, Forced};
        let kitty = ("KITTY_WINDOW_ID", "1");
        let tmux = ("TMUX", "/tmp/x");
        let table: &[(&[(&str, &str)], Choice)] = &[
            (&[], Default(false)),
            (&[("TERM", "xterm-256color")], Default(false)),
            (&[kitty], Default(true)),
            (&[("TERM_PROGRAM", "ghostty")], Default(true)),
            (&[("TERM_PROGRAM", "WezTerm")], Default(true)),
            (&[("TERM_PROGRAM", "iTerm.app")], Default(true)),
            (&[("ALACRITTY_WINDOW_ID", "3")], Default(true)),
            (&[("TERM_PROGRAM", "vscode")], Default(true)),
            (&[kitty, tmux], Default(false)),
            (&[tmux, ("TERM_FEATURES", "T3Sy")], Default(true)),
            (&[("TERM_FEATURES", "T3Syx")], Default(false)),
            (&[("WT_SESSION", "x")], Default(true)),
            (&[kitty, ("PI_NO_SYNC_OUTPUT", "1")], Forced(false)),
            (&[kitty, ("PI_TUI_SYNC_OUTPUT", "0")], Forced(false)),
            (&[tmux, ("PI_FORCE_SYNC_OUTPUT", "1")], Forced(true)),
            (&[tmux, ("PI_TUI_SYNC_OUTPUT", "1")], Forced(true)),
            (&[("PI_FORCE_SYNC_OUTPUT", "1"), ("PI_NO_SYNC_OUTPUT", "1")], Forced(false)),
        ];
        for (variables, expected) in table {
            assert_eq!(with(variables, synchronized), *expected, "{variables:?}");
        }
    }

    #[test]
    fn a_report_corrects_the_default_but_not_the_user() {
        assert_eq!(Choice::Default(false).reported(Mode::Off), Choice::Default(true));
        assert_eq!(Choice::Default(true).reported(Mode::Unknown), Choice::Default(false));
        assert_eq!(Choice::Forced(true).reported(Mode::Unknown), Choice::Forced(true));
        assert_eq!(Choice::Forced(false).reported(Mode::On), Choice::Forced(false));
    }

    /// proves: TUI-040
    #[test]
    fn multiplexers_are_recognised() {
        for variable in
            [("TMUX", "x"), ("STY", "x"), ("ZELLIJ", "0"), ("TERM", "tmux-256color"), ("TERM", "screen")]
        {
            assert!(with(&[variable], multiplexer), "{variable:?}");
        }
        for variable in [("TERM", "xterm"), ("TERM", "xterm-kitty"), ("TMUX", "")] {
            assert!(!with(&[variable], multiplexer), "{variable:?}");
        }
    }

    /// proves: TUI-048
    #[test]
    fn variables_of_an_older_engine_mean_nothing() {
        let all = |environment: Environment<'_>| {
            let guesses = (synchronized(environment), image_protocol(environment), placeholders(environment));
            (profile(environment, true), guesses, notifications(environment), dumb(environment))
        };
        for variable in ["PI_TUI_ED3_SAFE", "PI_CLEAR_ON_SHRINK", "PI_TUI_DEBUG"] {
            for term in ["xterm-kitty", "tmux-256color", "dumb"] {
                for value in ["1", "0"] {
                    assert_eq!(with(&[("TERM", term), (variable, value)], all), with(&[("TERM", term)], all));
                }
            }
        }
    }

    #[test]
    fn pictures() {
        let protocol = |variables: &[(&str, &str)]| with(variables, image_protocol).0;
        assert_eq!(protocol(&[("TERM", "xterm-kitty")]), ImageProtocol::Kitty);
        assert_eq!(protocol(&[("TERM", "xterm-kitty"), ("TMUX", "x")]), ImageProtocol::None);
        assert_eq!(protocol(&[("ITERM_SESSION_ID", "x")]), ImageProtocol::Iterm2);
        assert_eq!(protocol(&[]), ImageProtocol::None);
        for (word, forced) in [
            ("kitty", ImageProtocol::Kitty),
            ("iterm2", ImageProtocol::Iterm2),
            ("sixel", ImageProtocol::Sixel),
            ("blocks", ImageProtocol::Blocks),
            ("off", ImageProtocol::None),
        ] {
            assert_eq!(protocol(&[("PI_FORCE_IMAGE_PROTOCOL", word), ("TERM", "xterm-kitty")]), forced);
        }
        assert!(
            with(&[("TERM", "xterm-kitty")], placeholders)
                && with(&[("TERM", "xterm-ghostty")], placeholders)
        );
        assert!(!with(&[("TERM_PROGRAM", "WezTerm")], placeholders));
        assert!(!with(&[("TERM", "xterm-kitty"), ("PI_NO_KITTY_PLACEHOLDERS", "1")], placeholders));
        assert!(with(&[("PI_KITTY_PLACEHOLDERS", "1")], placeholders));
    }

    #[test]
    fn small_switches() {
        assert!(with(&[], |environment| hardware_cursor(environment, true)));
        assert!(with(&[("PI_HARDWARE_CURSOR", "1")], |environment| hardware_cursor(environment, false)));
        assert!(!with(&[("PI_HARDWARE_CURSOR", "0")], |environment| hardware_cursor(environment, true)));
        for word in ["off", "0", "false"] {
            assert!(!with(&[("PI_NOTIFICATIONS", word)], notifications));
        }
        assert!(with(&[], notifications));
        assert!(with(&[("TERM", "dumb")], dumb) && with(&[], dumb) && !with(&[("TERM", "xterm")], dumb));
        assert!(with(&[("TERM", "xterm-kitty")], screen_to_history));
        assert!(!with(&[("TERM", "xterm")], screen_to_history));
    }
}
