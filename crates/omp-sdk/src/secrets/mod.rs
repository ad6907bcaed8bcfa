//! Known secrets: which there are (`known`), and how they are masked in everything that is shown and kept (`masking`), also in
//! outputs that lie on the disk already (`artifacts`). In requests they are masked by a stage of `crate::request`.

pub(crate) mod artifacts;
pub(crate) mod known;
pub(crate) mod masking;
