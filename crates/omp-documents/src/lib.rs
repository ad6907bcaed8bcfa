//! What is inside files that are more than text: members of archives, rows of databases, cells of notebooks, and
//! the words of office documents.
//!
//! - [`archive`] lists and reads members of zip and tar files, and replaces one without touching the others.
//! - [`database`] reads and changes rows of SQLite files.
//! - [`notebook`] shows Jupyter notebooks as text that can be edited, and puts such text back.
//! - [`convert`] turns PDF, Word, Excel, PowerPoint, RTF and EPUB files into Markdown or plain text.
//!
//! Every file may come from anywhere, so nothing here trusts what a file says about itself: sizes are counted, not
//! believed, and everything has a bound. All functions block and obey [`Stop`]. Nothing here knows about agents.

pub mod archive;
pub mod convert;
pub mod database;
pub mod notebook;
mod pointer;
mod stop;

pub use stop::Stop;
