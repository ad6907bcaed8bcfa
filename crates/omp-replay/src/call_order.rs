//! Calls that run beside each other end in the order in which they ended when they were recorded.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// The calls that run, by the places of their ends in the recording.
#[derive(Debug, Default)]
pub(crate) struct Order {
    running: Mutex<BTreeSet<usize>>,
    ended: Notify,
}

/// A call that runs. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct Ending {
    order: Arc<Order>,
    place: usize,
}

impl Order {
    fn running(&self) -> MutexGuard<'_, BTreeSet<usize>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call begins.
    pub(crate) fn begin(self: &Arc<Self>, place: usize) -> Ending {
        self.running().insert(place);
        Ending { order: Arc::clone(self), place }
    }
}

impl Ending {
    /// Waits for those that ended before it, as far as they have begun.
    pub(crate) async fn turn(&self) {
        // The others of the same answer begin first.
        tokio::task::yield_now().await;
        loop {
            let ended = self.order.ended.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            if self.order.running().first().is_none_or(|first| *first >= self.place) {
                return;
            }
            ended.await;
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.order.running().remove(&self.place);
        self.order.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_end_as_they_ended() {
        let order = Arc::new(Order::default());
        let ends = Mutex::new(Vec::new());
        let call = |place: usize| {
            let ending = order.begin(place);
            let ends = &ends;
            async move {
                ending.turn().await;
                ends.lock().unwrap().push(place);
            }
        };
        futures_util::join!(call(2), call(0), call(1));
        assert_eq!(*ends.lock().unwrap(), [0, 1, 2]);
        // One that is stopped holds nobody up.
        let (stopped, waits) = (order.begin(3), order.begin(4));
        drop(stopped);
        waits.turn().await;
    }
}
