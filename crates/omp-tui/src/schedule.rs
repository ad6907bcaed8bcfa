//! When to draw. A pure state machine: it is told the time and names the next moment at which something is due; while
//! nothing is, nobody has to wake up.

use std::collections::BTreeSet;
use std::time::Duration;

/// Ordinary frames come at most this often: about 30 a second.
const ORDINARY: Duration = Duration::from_millis(33);
/// Frames that answer a key come at most this often.
const PROMPT: Duration = Duration::from_millis(2);
/// Frames for text that arrives come at most this often: 20 a second read as well as 30, and each costs its cursor moves and
/// colours, whatever it shows.
const TEXT: Duration = Duration::from_millis(50);
/// After so long without text its next piece is shown as soon as a key would be; only what follows is collected. Somebody
/// waits for the first word of an answer, whatever else was drawn a moment ago.
const QUIET: Duration = TRICKLE;
/// Text that trickles in is collected until there are so many bytes of it, which is worth a frame …
const WORTH: usize = 24;
/// … or until so much time has gone by. Most models speak slower than they could be drawn: twenty frames a second of five
/// letters each would be mostly cursor moves.
const TRICKLE: Duration = Duration::from_millis(100);
/// How long a size must stand still before anything is drawn for it. Somebody who drags a window makes many sizes, and a frame
/// for one that is gone already is written into a screen of another size.
const SETTLE: Duration = Duration::from_millis(50);

/// Why a frame is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Something changed.
    Ordinary,
    /// So many bytes of a text have arrived in one component, and more are to be expected.
    Text {
        /// The component.
        component: usize,
        /// How many bytes.
        bytes: usize,
    },
    /// One component changed on its own, such as a spinner.
    Component(usize),
    /// A key was handled; its echo should not wait.
    Key,
    /// The user asked for it: at once.
    Forced,
}

/// What has to be laid out again for a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything.
    Everything,
    /// These components; the others stand.
    Components(BTreeSet<usize>),
}

/// Collects requests and says when the frame that answers them is due.
#[derive(Debug, Default)]
pub struct Scheduler {
    last: Option<Duration>,
    due: Option<Duration>,
    settled: Option<Duration>,
    extent: Option<Extent>,
    /// Bytes of text since the last frame.
    text: usize,
    /// When a frame with new text was drawn last.
    last_text: Option<Duration>,
}

impl Scheduler {
    /// Nothing wanted, nothing drawn.
    pub fn new() -> Self {
        Self::default()
    }

    /// A frame is wanted.
    pub fn request(&mut self, request: Request, now: Duration) {
        let after = |pause: Duration| self.last.map_or(now, |last| (last + pause).max(now));
        let text = match request {
            Request::Text { bytes, .. } => self.text.saturating_add(bytes),
            _ => self.text,
        };
        let is_quiet = self.last_text.is_none_or(|last| now >= last + QUIET);
        let due = match request {
            Request::Forced => now,
            Request::Text { .. } if is_quiet => after(PROMPT),
            Request::Text { .. } if text < WORTH => after(TRICKLE),
            Request::Text { .. } => after(TEXT),
            Request::Key => after(PROMPT),
            Request::Ordinary | Request::Component(_) => after(ORDINARY),
        };
        self.text = text;
        self.due = Some(self.due.map_or(due, |known| known.min(due)));
        let alone = match request {
            Request::Component(component) | Request::Text { component, .. } => Some(component),
            _ => None,
        };
        match (&mut self.extent, alone) {
            (Some(Extent::Everything), _) => {}
            (Some(Extent::Components(components)), Some(component)) => {
                components.insert(component);
            }
            (None, Some(component)) => {
                self.extent = Some(Extent::Components(BTreeSet::from([component])));
            }
            _ => self.extent = Some(Extent::Everything),
        }
    }

    /// The terminal has another size. Every further change puts the next frame off, whatever else asks for one.
    pub fn resized(&mut self, now: Duration) {
        self.request(Request::Ordinary, now);
        self.extent = Some(Extent::Everything);
        self.settled = Some(now + SETTLE);
    }

    /// Nothing is drawn before `until`, since an answer is expected; [`Scheduler::answered`] ends that.
    pub fn hold(&mut self, until: Duration) {
        self.settled = Some(until);
    }

    /// The answer is there: what was put off is due.
    pub fn answered(&mut self) {
        self.settled = None;
    }

    /// When the next frame is due.
    pub fn deadline(&self) -> Option<Duration> {
        Some(self.due?.max(self.settled.unwrap_or_default()))
    }

    /// Takes the frame that is due at `now`; the caller draws it.
    pub fn take(&mut self, now: Duration) -> Option<Extent> {
        if now < self.deadline()? {
            return None;
        }
        self.due = None;
        self.settled = None;
        if std::mem::take(&mut self.text) > 0 {
            self.last_text = Some(now);
        }
        self.last = Some(now);
        self.extent.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// proves: TUI-083
    #[test]
    fn ordinary_requests_share_frames() {
        let mut scheduler = Scheduler::new();
        let mut frames = 0;
        for millisecond in 0..1000 {
            scheduler.request(Request::Ordinary, at(millisecond));
            frames += usize::from(scheduler.take(at(millisecond)).is_some());
        }
        assert!((28..=31).contains(&frames), "{frames}");
        // A forced one does not wait for its turn.
        scheduler.request(Request::Forced, at(1000));
        assert_eq!(scheduler.take(at(1000)), Some(Extent::Everything));
        scheduler.request(Request::Forced, at(1000));
        assert_eq!(scheduler.take(at(1000)), Some(Extent::Everything));
    }

    #[test]
    fn nothing_wanted_means_nothing_due() {
        let mut scheduler = Scheduler::new();
        assert_eq!(scheduler.deadline(), None);
        scheduler.request(Request::Ordinary, at(5));
        assert_eq!(scheduler.deadline(), Some(at(5)));
        assert!(scheduler.take(at(5)).is_some());
        assert_eq!((scheduler.deadline(), scheduler.take(at(999))), (None, None));
    }

    #[test]
    fn a_key_overtakes_the_stream() {
        let mut scheduler = Scheduler::new();
        scheduler.request(Request::Ordinary, at(0));
        scheduler.take(at(0));
        scheduler.request(Request::Ordinary, at(1));
        assert_eq!(scheduler.deadline(), Some(at(33)));
        scheduler.request(Request::Key, at(1));
        assert_eq!(scheduler.deadline(), Some(at(2)));
        scheduler.request(Request::Key, at(20));
        assert_eq!(scheduler.deadline(), Some(at(2)));
    }

    /// The spinner was drawn a moment ago, and the frame of another change is not due yet: the first word of an answer waits
    /// for neither, what follows it waits for its turn, and after a pause the next word is a first one again.
    #[test]
    fn the_first_text_after_a_quiet_time_does_not_wait() {
        let piece = Request::Text { component: 1, bytes: 5 };
        let mut scheduler = Scheduler::new();
        scheduler.request(Request::Component(2), at(1000));
        assert!(scheduler.take(at(1000)).is_some());
        scheduler.request(Request::Ordinary, at(1001));
        assert_eq!(scheduler.deadline(), Some(at(1033)));
        scheduler.request(piece, at(1001));
        assert_eq!(scheduler.deadline(), Some(at(1002)));
        assert!(scheduler.take(at(1002)).is_some());
        scheduler.request(piece, at(1003));
        assert_eq!(scheduler.deadline(), Some(at(1102)));
        assert!(scheduler.take(at(1102)).is_some());
        scheduler.request(piece, at(1500));
        assert_eq!(scheduler.deadline(), Some(at(1500)));
    }

    /// A piece of five bytes every 20 ms is about ten frames a second, every 5 ms about 20; the first piece comes at once.
    #[test]
    fn text_that_trickles_is_collected() {
        let piece = Request::Text { component: 1, bytes: 5 };
        for (pause, wanted) in [(20, 9..=11), (5, 19..=21), (200, 5..=5)] {
            let mut scheduler = Scheduler::new();
            let mut frames = Vec::new();
            for millisecond in 0..1000 {
                if millisecond % pause == 0 {
                    scheduler.request(piece, at(millisecond));
                }
                if scheduler.take(at(millisecond)).is_some() {
                    frames.push(millisecond);
                }
            }
            assert!(wanted.contains(&frames.len()), "{pause}: {frames:?}");
            assert_eq!(frames[0], 0);
        }
        // What is typed meanwhile does not wait.
        let mut scheduler = Scheduler::new();
        scheduler.request(piece, at(0));
        assert!(scheduler.take(at(0)).is_some());
        scheduler.request(piece, at(2));
        assert_eq!(scheduler.deadline(), Some(at(100)));
        scheduler.request(Request::Key, at(6));
        assert_eq!(scheduler.take(at(6)), Some(Extent::Everything));
        // Nothing else needs to be laid out for it.
        scheduler.request(piece, at(200));
        assert_eq!(scheduler.take(at(200)), Some(Extent::Components(BTreeSet::from([1]))));
    }

    #[test]
    fn components_alone_stay_alone() {
        let mut scheduler = Scheduler::new();
        scheduler.request(Request::Component(3), at(0));
        scheduler.request(Request::Component(5), at(0));
        assert_eq!(scheduler.take(at(0)), Some(Extent::Components(BTreeSet::from([3, 5]))));
        scheduler.request(Request::Component(3), at(50));
        scheduler.request(Request::Ordinary, at(50));
        scheduler.request(Request::Component(4), at(50));
        assert_eq!(scheduler.take(at(50)), Some(Extent::Everything));
    }

    /// A storm of sizes is one frame, 50 ms after the last.
    #[test]
    fn a_size_settles_first() {
        let mut scheduler = Scheduler::new();
        for millisecond in (0..300).step_by(10) {
            scheduler.resized(at(millisecond));
            scheduler.request(Request::Key, at(millisecond));
            assert_eq!(scheduler.take(at(millisecond)), None);
        }
        assert_eq!(scheduler.deadline(), Some(at(340)));
        assert_eq!(scheduler.take(at(340)), Some(Extent::Everything));
        assert_eq!(scheduler.deadline(), None);
    }
}
