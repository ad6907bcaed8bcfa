//! What happens before the first prompt, and how long it takes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use omp_sdk::Environment;

use crate::output;

/// Start-up by phases: `PI_DEBUG_STARTUP` streams them, `PI_TIMING` sums them up, and a start that hangs says
/// where.
pub(crate) struct Startup {
    begun: Instant,
    rows: Vec<(&'static str, Duration)>,
    prompts: Vec<Duration>,
    stream: bool,
    timing: bool,
    /// The program is to end with the report.
    only: bool,
    current: Arc<Mutex<Option<&'static str>>>,
}

/// Stands for a phase that may take as long as the user likes.
const PATIENT: &str = "";

/// How often a slow start says what it waits for.
const PATIENCE: Duration = Duration::from_secs(10);

impl Startup {
    pub(crate) fn new(environment: &dyn Environment) -> Self {
        let set = |name: &str| environment.var(name).is_some_and(|value| !value.is_empty());
        let startup = Self {
            begun: Instant::now(),
            rows: Vec::new(),
            prompts: Vec::new(),
            stream: set("PI_DEBUG_STARTUP"),
            timing: set("PI_TIMING"),
            only: environment.var("PI_TIMING").as_deref() == Some("x"),
            current: Arc::new(Mutex::new(Some("start"))),
        };
        startup.watch();
        startup
    }

    /// Runs one phase.
    pub(crate) fn phase<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let begun = self.enter(name);
        let value = work();
        self.leave(name, begun);
        value
    }

    /// A phase that waits for the user, who needs no reminder of it.
    pub(crate) fn patient_phase<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let begun = self.enter(name);
        self.set_current(Some(PATIENT));
        let value = work();
        self.leave(name, begun);
        value
    }

    pub(crate) async fn phase_async<T>(&mut self, name: &'static str, work: impl Future<Output = T>) -> T {
        let begun = self.enter(name);
        let value = work.await;
        self.leave(name, begun);
        value
    }

    fn enter(&self, name: &'static str) -> Instant {
        self.set_current(Some(name));
        if self.stream {
            output::note(&format!("[startup] {name}:start"));
        }
        Instant::now()
    }

    fn leave(&mut self, name: &'static str, begun: Instant) {
        if self.stream {
            output::note(&format!("[startup] {name}:done"));
        }
        self.rows.push((name, begun.elapsed()));
    }

    /// A mode runs now: whatever takes long from here on is not the start.
    pub(crate) fn finished(&self) {
        self.set_current(None);
    }

    /// A person is about to see the interface: the report comes before it. Says whether it was all that was wanted.
    pub(crate) fn is_all_that_is_wanted(&self) -> bool {
        self.finished();
        self.report();
        self.only
    }

    pub(crate) fn prompt_done(&mut self, took: Duration) {
        self.prompts.push(took);
    }

    /// The `PI_TIMING` tree.
    pub(crate) fn report(&self) {
        if !self.timing {
            return;
        }
        let ms = |duration: &Duration| duration.as_secs_f64() * 1000.0;
        let mut text = format!("Timing: {:.1} ms total\n", ms(&self.begun.elapsed()));
        for (name, took) in &self.rows {
            text.push_str(&format!("  {name:<12} {:>9.1} ms\n", ms(took)));
        }
        for (index, took) in self.prompts.iter().enumerate() {
            text.push_str(&format!("  {:<12} {:>9.1} ms\n", format!("prompt {}", index + 1), ms(took)));
        }
        output::print(output::Stream::Err, &text);
    }

    fn set_current(&self, phase: Option<&'static str>) {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    fn watch(&self) {
        let current = Arc::downgrade(&self.current);
        let begun = self.begun;
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(PATIENCE);
                let Some(current) = current.upgrade() else { return };
                let phase = *current.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(phase) = phase else { return };
                if phase == PATIENT {
                    continue;
                }
                let seconds = begun.elapsed().as_secs();
                output::note(&format!(
                    "Still starting after {seconds} s, in phase \"{phase}\" (Ctrl+C to stop)"
                ));
            }
        });
    }
}
