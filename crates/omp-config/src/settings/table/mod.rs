//! Every setting. One row gives the typed constant, `omp config`, the page of documentation and the checks of
//! files.
//!
//! A row is `CONSTANT: Kind(path, default, sentence)`; the constant is the path in capitals. The default of a
//! choice is its first word. Where the documents give no default, a comment says "ours".

use super::key::{Key, kind};
use super::row::{Group, Setting, Shape, Variable};

/// A row becomes a constant and an element of `ROWS`.
macro_rules! settings {
    ($group:ident; $($name:ident: $kind:ident($($argument:expr),* $(,)?) $(.$method:ident($($value:expr),*))*;)*) => {
        use super::*;

        pub(super) const ROWS: &[Setting] = &[$(
            kind::$kind::row($($argument),*)$(.$method($($value),*))*.placed(stringify!($name), Group::$group)
        ),*];

        $(pub const $name: Key<kind::$kind> = Key {
            setting: &kind::$kind::row($($argument),*)$(.$method($($value),*))*
                .placed(stringify!($name), Group::$group),
            kind: std::marker::PhantomData,
        };)*
    };
}

mod agents;
mod appearance;
mod code_intelligence;
mod context;
mod extensions;
mod files;
mod interaction;
mod memory;
mod models;
mod providers;
mod services;
mod sharing;
mod shell;
mod speech;
mod system;
mod thinking;
mod tools;

/// The typed constants.
pub mod keys {
    pub use super::agents::*;
    pub use super::appearance::*;
    pub use super::code_intelligence::*;
    pub use super::context::*;
    pub use super::extensions::*;
    pub use super::files::*;
    pub use super::interaction::*;
    pub use super::memory::*;
    pub use super::models::*;
    pub use super::providers::*;
    pub use super::services::*;
    pub use super::sharing::*;
    pub use super::shell::*;
    pub use super::speech::*;
    pub use super::system::*;
    pub use super::thinking::*;
    pub use super::tools::*;
}

/// The groups in the order of listings.
const GROUPS: &[&[Setting]] = &[
    models::ROWS,
    thinking::ROWS,
    interaction::ROWS,
    tools::ROWS,
    shell::ROWS,
    files::ROWS,
    code_intelligence::ROWS,
    context::ROWS,
    memory::ROWS,
    agents::ROWS,
    extensions::ROWS,
    appearance::ROWS,
    providers::ROWS,
    services::ROWS,
    sharing::ROWS,
    speech::ROWS,
    system::ROWS,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

const fn all() -> [Setting; COUNT] {
    let mut rows = [GROUPS[0][0]; COUNT];
    let (mut next, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut row = 0;
        while row < GROUPS[group].len() {
            rows[next] = GROUPS[group][row];
            next += 1;
            row += 1;
        }
        group += 1;
    }
    rows
}

static ROWS: [Setting; COUNT] = all();

/// Every setting, by group.
pub static TABLE: &[Setting] = &ROWS;

impl kind::Flag {
    const fn row(path: &'static str, default: bool, about: &'static str) -> Setting {
        Setting::new(path, Shape::Flag(default), about)
    }
}

impl kind::Number {
    const fn row(path: &'static str, default: f64, about: &'static str) -> Setting {
        Setting::new(path, Shape::Number(default), about)
    }
}

impl kind::Choice {
    const fn row(path: &'static str, choices: &'static [&'static str], about: &'static str) -> Setting {
        Setting::new(path, Shape::Choice { default: choices[0], choices }, about)
    }
}

impl kind::Text {
    const fn row(path: &'static str, default: Option<&'static str>, about: &'static str) -> Setting {
        Setting::new(path, Shape::Text(default), about)
    }
}

impl kind::List {
    const fn row(path: &'static str, default: &'static [&'static str], about: &'static str) -> Setting {
        Setting::new(path, Shape::List(default), about)
    }
}

impl kind::Record {
    const fn row(path: &'static str, about: &'static str) -> Setting {
        Setting::new(path, Shape::Record, about)
    }
}

const fn variable(name: &'static str, path: &'static str) -> Variable {
    Variable { name, path }
}
