//! What models are asked beside the conversation: names, questions on the side, pictures, single consultations.

pub(crate) mod bench;
pub(crate) mod consult;
pub(crate) mod side_question;
pub(crate) mod small_model;
pub(crate) mod titles;
pub(crate) mod vision;

use crate::session::Session;

/// Requests beside the conversation: side questions and the session's title.
#[derive(Clone, Copy)]
pub struct SideTasks<'s> {
    pub(crate) session: &'s Session,
}
