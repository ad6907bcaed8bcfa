//! Telling owners that results wait for them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::jobs::Inner;

/// The first wait after a failure; each further one is twice as long.
const BASE: Duration = Duration::from_millis(500);
/// No wait is longer, jitter not counted.
const LONGEST: Duration = Duration::from_secs(30);
/// The wait is doubled that often at most.
const MOST_DOUBLINGS: u32 = 8;
/// What chance adds to a wait, so that many programs do not knock at the same moment.
const JITTER: Duration = Duration::from_millis(200);

/// Who reads the results of an owner's jobs.
pub trait Recipient: Send + Sync {
    /// Results wait: [`crate::Jobs::claim`] takes them, now or at the next good moment.
    fn results_wait(&self) -> Result<(), Unreachable>;
}

/// The owner cannot be told now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable;

/// An owner and whether somebody is already trying to reach it.
pub(crate) struct Mailbox {
    pub(crate) owner: String,
    pub(crate) recipient: Arc<dyn Recipient>,
    pub(crate) knocking: bool,
}

/// Tells the owner until it worked or nothing waits any more.
pub(crate) async fn knock(jobs: Weak<Inner>, owner: String) {
    let mut attempt = 0;
    loop {
        let wait = {
            let Some(jobs) = jobs.upgrade() else { return };
            let Some((recipient, posted)) = jobs.recipient_in_need(&owner) else { return };
            match recipient.results_wait() {
                Ok(()) if jobs.stop_knocking(&owner, posted) => return,
                Ok(()) => continue,
                Err(Unreachable) => delay(attempt, (jobs.limits.chance)()),
            }
        };
        tokio::time::sleep(wait).await;
        attempt += 1;
    }
}

/// How long to wait after that many failures, with a chance of `0.0..1.0`.
fn delay(failures: u32, chance: f64) -> Duration {
    let doubled = BASE * 2_u32.pow(failures.min(MOST_DOUBLINGS));
    doubled.min(LONGEST) + JITTER.mul_f64(chance.clamp(0.0, 0.999))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_limit() {
        let waits: Vec<u128> = (0..9).map(|failures| delay(failures, 0.0).as_millis()).collect();
        assert_eq!(waits, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
        assert_eq!(delay(u32::MAX, 0.0), LONGEST);
        assert!(delay(0, 1.0) < BASE + JITTER && delay(0, 0.5) == BASE + JITTER / 2);
    }
}
