//! The interactive program: what people see and type when they talk to an agent in their terminal.

mod app;
mod appearance;
mod blocks;
mod clipboard;
mod conversation;
mod extensions;
mod gallery;
mod greeting;
mod images;
mod journal;
mod key_viewer;
mod pane;
mod panels;
mod parts;
mod pictures;
mod recent;
mod run;
mod screen;
mod screen_replay;
mod session_channel;
mod stage;
mod whats_new;

pub use app::Titles;
pub use appearance::{check_theme, is_light_theme, page_theme};
pub use clipboard::Clipboard;
pub use extensions::{ExtensionPort, ExtensionRequests};
pub use gallery::Exhibition;
pub use greeting::{Greeter, Greeting};
pub use key_viewer::show_keys;
pub use omp_panels::wizard::VERSION as SETUP_VERSION;
pub use panels::sessions::{PickStart, Picked, pick_session};
pub use run::{Edit, End, SessionNumbers, SetUp, Start, run};
pub use screen_replay::play;
pub use session_channel::{SessionChannel, SessionMessage, SessionMessages};
