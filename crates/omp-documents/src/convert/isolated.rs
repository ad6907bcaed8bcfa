//! A thread for code that may panic, or never end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

use super::{ConvertError, MAX_SECONDS};
use crate::stop::Stop;

const NAME: &str = "omp-convert";
/// Documents nest, and converters follow by recursion.
const STACK: usize = 64 << 20;
/// How often the caller is asked meanwhile.
const LOOK: Duration = Duration::from_millis(20);

/// Runs `work` and waits for it. Work that is given up gets to know by its [`Stop`].
pub(super) fn run(
    stop: &Stop,
    work: impl FnOnce(&Stop) -> Result<String, ConvertError> + Send + 'static,
) -> Result<String, ConvertError> {
    keep_panics_quiet();
    let given_up = Arc::new(AtomicBool::new(false));
    let (asked, flag) = (stop.clone(), Arc::clone(&given_up));
    let inner = Stop::when(move || flag.load(Ordering::Relaxed) || asked.is_asked());
    let (sender, receiver) = channel();
    let body = move || {
        let result = catch_unwind(AssertUnwindSafe(|| work(&inner)));
        // Nobody may wait any more.
        let _ = sender.send(result.unwrap_or(Err(ConvertError::Panicked)));
    };
    thread::Builder::new().name(NAME.to_owned()).stack_size(STACK).spawn(body)?;
    let begun = Instant::now();
    loop {
        let error = match receiver.recv_timeout(LOOK) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => ConvertError::Panicked,
            Err(RecvTimeoutError::Timeout) if stop.is_asked() => ConvertError::Stopped,
            Err(RecvTimeoutError::Timeout) if begun.elapsed().as_secs() >= MAX_SECONDS => {
                ConvertError::TooLong
            }
            Err(RecvTimeoutError::Timeout) => continue,
        };
        given_up.store(true, Ordering::Relaxed);
        return Err(error);
    }
}

/// A panic of a converter is an answer; a message on the screen would only disturb.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let ours = thread::current().name() == Some(NAME);
            // The office converter makes threads of its own.
            let office = panic.location().is_some_and(|place| place.file().contains("office_oxide"));
            if !ours && !office {
                usual(panic);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let result = run(&Stop::never(), |_| panic!("on purpose"));
        assert!(matches!(result, Err(ConvertError::Panicked)), "{result:?}");
    }

    #[test]
    fn work_that_never_ends_is_left() {
        let asked = Arc::new(AtomicBool::new(false));
        let (stop, flag) = (Arc::clone(&asked), Arc::clone(&asked));
        let result = run(&Stop::when(move || stop.load(Ordering::Relaxed)), move |inner| {
            flag.store(true, Ordering::Relaxed);
            while !inner.is_asked() {
                thread::yield_now();
            }
            thread::park();
            Ok(String::new())
        });
        assert!(matches!(result, Err(ConvertError::Stopped)), "{result:?}");
    }
}
