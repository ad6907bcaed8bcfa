//! What turns while something runs.

use std::time::Duration;

use crate::symbol::Preset;

/// A kind of spinner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spinner {
    /// Beside loaders and running tools: calm.
    Status,
    /// In progress bars and the like: fast.
    Activity,
}

impl Spinner {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Status, Self::Activity];

    /// The name in theme files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Activity => "activity",
        }
    }

    /// How long a frame stays: 12.5 frames a second, or 30.
    pub fn interval(self) -> Duration {
        match self {
            Self::Status => Duration::from_millis(80),
            Self::Activity => Duration::from_nanos(33_333_333),
        }
    }

    /// The frame to show when the spinner has turned for `running`. No frames, no sign.
    pub fn frame(self, frames: &[String], running: Duration) -> &str {
        let turns = running.as_nanos() / self.interval().as_nanos();
        let count = frames.len().max(1) as u128;
        let index = usize::try_from(turns % count).unwrap_or(0);
        frames.get(index).map_or("", String::as_str)
    }

    /// The frames of a preset.
    pub(crate) fn in_preset(self, preset: Preset) -> Vec<String> {
        let frames: &[&str] = match (self, preset) {
            (_, Preset::Ascii) => &["|", "/", "-", "\\"],
            (Self::Status, _) => &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
            (Self::Activity, _) => &["⣷", "⣯", "⣟", "⡿", "⢿", "⣻", "⣽", "⣾"],
        };
        frames.iter().map(|frame| (*frame).to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_the_clock() {
        let frames: Vec<String> = ["a", "b", "c"].map(str::to_owned).into();
        let shown = |kind: Spinner, millis| kind.frame(&frames, Duration::from_millis(millis)).to_owned();
        assert_eq!(shown(Spinner::Status, 0), "a");
        assert_eq!(shown(Spinner::Status, 79), "a");
        assert_eq!(shown(Spinner::Status, 80), "b");
        assert_eq!(shown(Spinner::Status, 1000), "a");
        assert_eq!(shown(Spinner::Activity, 1000), "a");
        assert_eq!(shown(Spinner::Activity, 67), "c");
        assert_eq!(Spinner::Status.frame(&[], Duration::ZERO), "");
    }
}
