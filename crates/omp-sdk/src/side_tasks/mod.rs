//! What models are asked beside the conversation: names, questions on the side, pictures, single consultations.

pub(crate) mod bench;
pub(crate) mod consult;
pub(crate) mod side_question;
pub(crate) mod small_model;
pub(crate) mod titles;
pub(crate) mod vision;
