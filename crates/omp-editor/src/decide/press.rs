//! Keys that mean something when pressed twice.

use std::time::Duration;

/// Two presses count as one gesture within this time.
pub const WINDOW: Duration = Duration::from_millis(500);

/// Presses closer than this come from no finger: a wheel or a touchpad that is reported as arrow keys.
const BURST: Duration = Duration::from_millis(40);

/// Remembers one press. Times are counted from any fixed moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presses {
    last: Option<Duration>,
}

impl Presses {
    /// Notes a press; true if it is the second of two. The third starts over.
    pub fn press(&mut self, now: Duration) -> bool {
        let double = self.last.is_some_and(|last| now.saturating_sub(last) <= WINDOW);
        self.last = (!double).then_some(now);
        double
    }

    /// Another key came in between.
    pub fn forget(&mut self) {
        self.last = None;
    }
}

/// What is known when the left arrow is pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftState {
    /// The editor holds nothing.
    pub empty: bool,
    /// There are sub-agents.
    pub subagents: bool,
    /// One of them is looked at.
    pub focused: bool,
}

/// Where two presses of the left arrow lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftTarget {
    /// To the list of agents.
    Hub,
    /// Back to the main session.
    Main,
}

/// Notices two presses of the left arrow in an empty editor, and not a burst of arrows.
#[derive(Clone, Copy, Debug, Default)]
pub struct DoubleLeft {
    last: Option<Duration>,
    /// Whether the last press stood alone, so that it can be the first of two.
    alone: bool,
}

impl DoubleLeft {
    /// Notes a press of the left arrow.
    pub fn press(&mut self, state: LeftState, now: Duration) -> Option<LeftTarget> {
        let target = match state {
            LeftState { empty: false, .. } => None,
            LeftState { focused: true, .. } => Some(LeftTarget::Main),
            LeftState { subagents: true, .. } => Some(LeftTarget::Hub),
            _ => None,
        };
        if target.is_none() {
            self.forget();
            return None;
        }
        let gap = self.last.map(|last| now.saturating_sub(last));
        let double = self.alone && gap.is_some_and(|gap| gap >= BURST && gap <= WINDOW);
        self.alone = gap.is_none_or(|gap| gap >= BURST) && !double;
        self.last = Some(now);
        target.filter(|_| double)
    }

    /// Another key came in between.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}
