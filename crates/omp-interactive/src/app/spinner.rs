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

/// The time of turns: it stands still while omp waits for the user.
#[derive(Debug, Default)]
pub(super) struct TurnClock {
    waited: Duration,
    since: Option<Duration>,
}

impl TurnClock {
    /// The time of turns at a time of the program.
    fn at(&self, now: Duration) -> Duration {
        self.since.unwrap_or(now).saturating_sub(self.waited)
    }

    /// Does omp wait for the user now?
    fn set_waiting(&mut self, is_waiting: bool, now: Duration) {
        if is_waiting {
            self.since.get_or_insert(now);
        } else if let Some(since) = self.since.take() {
            self.waited += now.saturating_sub(since);
        }
    }
}

impl App {
    /// The time of turns.
    pub(super) fn turn_now(&self) -> Duration {
        self.turn.clock.at(self.surface.now())
    }

    /// Stops or continues the clock of turns, as a question of the session is open or not.
    pub(super) fn set_turn_clock(&mut self) {
        let is_waiting = self.panels.open.first().is_some_and(|opened| opened.panel.is_unasked());
        self.turn.clock.set_waiting(is_waiting, self.surface.now());
    }

    /// When something changes by itself.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        let run = self.turn.run.as_ref().filter(|_| self.turn.clock.since.is_none());
        let turns = run.map(|run| self.turn.spinner.next(run.begun));
        [self.surface.scheduler.deadline(), turns].into_iter().flatten().min()
    }

    /// Time has gone by.
    pub(crate) fn tick(&mut self) {
        let now = self.surface.now();
        if self.turn.clock.since.is_some() {
            return;
        }
        if self.turn.run.as_ref().is_none_or(|run| now < self.turn.spinner.next(run.begun)) {
            return;
        }
        self.turn.spinner.last = now;
        let wanted = match self.shown.conversation.tick(self.turn.clock.at(now)) {
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
        let component = self.surface.lanes.transcript.number();
        self.surface.scheduler.request(Request::Text { component, bytes: arrived }, now);
        // What is in front may show something of the session.
        if !self.panels.open.is_empty() {
            self.surface.changed();
        }
    }

    /// For how long a run that began at `begun` has gone on, as it is shown.
    pub(super) fn running(&self, begun: Duration) -> Duration {
        let running = self.turn_now().saturating_sub(begun);
        self.turn.spinner.seen(running, self.surface.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_clock_of_turns_stands_still_while_the_user_is_asked() {
        let mut clock = TurnClock::default();
        assert_eq!(clock.at(at(500)), at(500));
        for now in [1000, 1500] {
            clock.set_waiting(true, at(now));
            assert_eq!(clock.at(at(now + 400)), at(1000));
        }
        clock.set_waiting(false, at(3000));
        assert_eq!(clock.at(at(3200)), at(1200));
        clock.set_waiting(true, at(4000));
        clock.set_waiting(false, at(4500));
        assert_eq!(clock.at(at(5000)), at(2500));
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
