//! History as pictures: text on PNG frames, in pixel fonts that models read well.
//!
//! A picture costs a model fewer tokens than the text on it. [`compact`] prints the part of a conversation that is put
//! frames, without a model and without the network; the same input gives the same bytes.
//!
//! | part | what it does |
//! |---|---|
//! | [`Shape`] | which font, ink and width a model reads best |
//! | [`Script`] | a conversation as text with two inks |
//! | [`paginate`] | text on pages of a shape |
//! | [`draw`] | a page as PNG |
//! | [`Archive`] | the frames of a conversation, and what did not fit on them |

mod archive;
mod draw;
mod font;
mod guide;
mod ink;
mod page;
mod script;
mod shape;

pub use archive::{Archive, Frame, Input, compact, frame_budget, frames};
pub use draw::draw;
pub use font::printable_share;
pub use guide::reading_guide;
pub use page::{Page, paginate};
pub use script::{Script, Span, collapse};
pub use shape::{Layout, Shape};
