//! The queries that come with the grammars, each compiled when its language is first shown.

use std::sync::OnceLock;

use tree_sitter::Query;

use super::Class;
use crate::Language;

/// A query and what its captures mean.
pub(super) struct Compiled {
    pub(super) query: Query,
    pub(super) classes: Vec<Option<Class>>,
}

/// The most languages that there may be.
const ROOM: usize = 64;

static COMPILED: [OnceLock<Option<Compiled>>; ROOM] = [const { OnceLock::new() }; ROOM];

/// The queries of a language, the more general first. A language without any is coloured by the kinds of its tokens.
fn queries(language: Language) -> impl Iterator<Item = &'static str> {
    let general = match language.name() {
        "cpp" | "objc" => omp_grammars::C.queries(),
        "tsx" => omp_grammars::JAVASCRIPT.queries(),
        // The others are about elements.
        "typescript" => &omp_grammars::JAVASCRIPT.queries()[..1],
        _ => &[],
    };
    general.iter().chain(language.queries()).copied()
}

/// The query of a language, compiled once for the whole program.
pub(super) fn of(language: Language) -> Option<&'static Compiled> {
    queries(language).next()?;
    COMPILED.get(language.index())?.get_or_init(|| compile(language)).as_ref()
}

/// Can the language be coloured without compiling anything?
pub(super) fn is_ready(language: Language) -> bool {
    queries(language).next().is_none()
        || COMPILED.get(language.index()).is_none_or(|compiled| compiled.get().is_some())
}

/// A grammar whose query does not fit it is coloured by its tokens; a test sees to it that there is none.
fn compile(language: Language) -> Option<Compiled> {
    let text: Vec<&str> = queries(language).collect();
    let query = Query::new(&language.grammar(), &text.join("\n")).ok()?;
    let classes = query.capture_names().iter().map(|name| Class::of_capture(name)).collect();
    Some(Compiled { query, classes })
}

/// Whether a query should be there.
#[cfg(test)]
pub(super) fn is_listed(language: Language) -> bool {
    queries(language).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_all() {
        assert!(Language::all().count() <= ROOM);
        assert!(Language::all().enumerate().all(|(index, language)| language.index() == index));
    }
}
