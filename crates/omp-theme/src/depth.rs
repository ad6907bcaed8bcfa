//! How many colours a terminal is taken to show.

use omp_tui::text::Depth;

/// The depth that the environment speaks of; `env` looks up a variable.
///
/// `NO_COLOR` turns colours off. Otherwise a terminal shows 24 bits unless it is one of those that do not, and does not say
/// that it does.
pub fn color_depth(env: impl Fn(&str) -> Option<String>) -> Depth {
    let value = |name: &str| env(name).unwrap_or_default();
    if !value("NO_COLOR").is_empty() {
        return Depth::Monochrome;
    }
    let says_so = matches!(value("COLORTERM").to_ascii_lowercase().as_str(), "truecolor" | "24bit");
    let windows = env("WT_SESSION").is_some();
    if !says_so && !windows && matches!(value("TERM").as_str(), "" | "dumb" | "linux") {
        return Depth::Indexed;
    }
    Depth::Direct
}

#[cfg(test)]
mod tests {
    use omp_tui::text::{Color, Line, Style};

    use super::*;

    fn depth(variables: &[(&str, &str)]) -> Depth {
        color_depth(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    /// proves: TUI-136
    #[test]
    fn the_environment_names_the_depth() {
        let sgr = |variables: &[(&str, &str)]| {
            let orange = Style::PLAIN.foreground(Color::Rgb(255, 135, 0));
            Line::styled(orange, "x").to_ansi(depth(variables))
        };
        let direct = "\x1b[38;2;255;135;0mx\x1b[m";
        let indexed = "\x1b[38;5;208mx\x1b[m";
        for color in ["truecolor", "24bit"] {
            for term in ["dumb", "linux", ""] {
                assert_eq!(sgr(&[("COLORTERM", color), ("TERM", term)]), direct, "{color} {term}");
            }
        }
        for term in ["dumb", "linux", ""] {
            assert_eq!(sgr(&[("TERM", term)]), indexed, "{term}");
            assert_eq!(sgr(&[("TERM", term), ("WT_SESSION", "1")]), direct, "{term}");
            assert_eq!(sgr(&[("TERM", term), ("COLORTERM", "yes")]), indexed, "{term}");
        }
        assert_eq!(sgr(&[]), indexed);
        for term in ["xterm", "xterm-256color", "screen", "vt100"] {
            assert_eq!(sgr(&[("TERM", term)]), direct, "{term}");
        }
    }

    #[test]
    fn no_color_means_none() {
        assert_eq!(depth(&[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]), Depth::Monochrome);
        assert_eq!(depth(&[("NO_COLOR", ""), ("COLORTERM", "truecolor")]), Depth::Direct);
    }
}
