//! An answer that failed before anything was sent.

use futures_util::stream;
use omp_types::Failure;

use super::{BatchStream, now_ms};
use crate::answer::Answer;
use crate::model::Model;

/// The stream of a request that could not be made; it ends with the failure, like any other.
pub fn failed(model: &Model, failure: Failure) -> BatchStream {
    let mut answer = Answer::new(model, Default::default(), now_ms());
    answer.fail(failure);
    Box::pin(stream::iter([answer.take_events()]))
}
