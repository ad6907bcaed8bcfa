//! What turns while something runs, and when it need not: a text that is arriving shows by itself that it does.

use std::time::Duration;

use omp_tui::schedule::Request;
use omp_types::{AgentEvent, StreamEvent};

use super::App;

/// What turns moves on this often.
const STEP: Duration = Duration::from_millis(80);
/// As long after the last piece of a text what turns stands still.
const REST: Duration = Duration::from_millis(250);

/// When what turns moved last, and when a piece of text came last.
#[derive(Debug, Default)]
pub(super) struct Spinner {
    last: Duration,
    heard: Option<Duration>,
}

impl Spinner {
    /// Whether text is arriving.
    fn rests(&self, now: Duration) -> bool {
        self.heard.is_some_and(|heard| now < heard + REST)
    }

    /// When it moves next, for work that began at `begun`. While text arrives only the seconds count.
    fn next(&self, begun: Duration) -> Duration {
        let step = |since: Duration, step: Duration| {
            let steps = since.as_millis() / step.as_millis() + 1;
            step * u32::try_from(steps).unwrap_or(u32::MAX)
        };
        match self.heard.map(|heard| heard + REST).filter(|end| *end > self.last) {
            Some(end) => end.min(begun + step(self.last.saturating_sub(begun), Duration::from_secs(1))),
            None => step(self.last, STEP),
        }
    }

    /// How long work that has gone on for `running` seems to have gone on.
    fn seen(&self, running: Duration, now: Duration) -> Duration {
        if self.rests(now) { Duration::from_secs(running.as_secs()) } else { running }
    }
}

impl App {
    /// When something changes by itself.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let turns = self.turn.run.as_ref().map(|run| self.turn.spinner.next(run.begun));
        [self.surface.scheduler.deadline(), turns].into_iter().flatten().min()
    }

    /// Time has gone by.
    pub(crate) fn tick(&mut self) {
        let now = self.surface.now();
        if self.turn.run.as_ref().is_none_or(|run| now < self.turn.spinner.next(run.begun)) {
            return;
        }
        self.turn.spinner.last = now;
        let wanted = match self.shown.conversation.tick(now) {
            true => Request::Ordinary,
            false => Request::Component(self.surface.lanes.working.number()),
        };
        self.surface.scheduler.request(wanted, now);
    }

    /// A frame is wanted for an event of the session.
    pub(super) fn changed_by(&mut self, event: &AgentEvent) {
        let arrived = match event {
            AgentEvent::MessageUpdate(update) => match &update.assistant_message_event {
                StreamEvent::TextDelta { delta, .. } => delta.len(),
                StreamEvent::ThinkingDelta { delta, .. } if self.surface.stage.thoughts() => delta.len(),
                _ => 0,
            },
            _ => 0,
        };
        if arrived == 0 {
            return self.surface.changed();
        }
        let now = self.surface.now();
        self.turn.spinner.heard = Some(now);
        self.surface.scheduler.request(Request::Text(arrived), now);
    }

    /// For how long a run that began at `begun` has gone on, as it is shown.
    pub(super) fn running(&self, begun: Duration) -> Duration {
        let now = self.surface.now();
        self.turn.spinner.seen(now.saturating_sub(begun), now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn while_text_arrives_only_the_seconds_count() {
        let mut turning = Spinner { last: at(1000), heard: None };
        assert_eq!(turning.next(at(300)), at(1040));
        turning.heard = Some(at(1010));
        assert_eq!(turning.next(at(300)), at(1260), "then it turns again");
        turning.heard = Some(at(1200));
        assert_eq!(turning.next(at(300)), at(1300), "a second is over");
        assert_eq!(turning.seen(at(1700), at(1300)), at(1000));
        turning.last = at(1300);
        assert_eq!(turning.next(at(300)), at(1450));
        assert_eq!(turning.seen(at(1150), at(1450)), at(1150));
        turning.last = at(1450);
        assert_eq!(turning.next(at(300)), at(1520));
    }
}
