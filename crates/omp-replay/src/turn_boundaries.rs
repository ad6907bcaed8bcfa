//! The borders of turns in a session that is played.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use omp_agent::{Look, Occasion, Order, Shorter, Upkeep, UpkeepError, View};
use tokio_util::sync::CancellationToken;

use crate::play::Player;

/// Waits for the screen, then looks as usual.
pub(crate) struct Played {
    pub(crate) inner: Arc<dyn Upkeep>,
    pub(crate) player: Arc<Player>,
}

impl Upkeep for Played {
    fn look<'a>(&'a self, occasion: Occasion<'a>, view: View<'a>) -> BoxFuture<'a, Look> {
        Box::pin(async move {
            if matches!(occasion, Occasion::AfterTurn | Occasion::Incomplete) {
                self.player.border().await;
            }
            self.inner.look(occasion, view).await
        })
    }

    fn shorten<'a>(
        &'a self,
        order: Order<'a>,
        view: View<'a>,
        cancel: CancellationToken,
    ) -> BoxFuture<'a, Result<Shorter, UpkeepError>> {
        self.inner.shorten(order, view, cancel)
    }
}
