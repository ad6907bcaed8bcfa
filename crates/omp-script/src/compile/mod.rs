//! From the source of a user to JavaScript that QuickJS runs, and from positions in it back to the source.

mod cache;
mod imports;
mod map;
mod requests;
mod translate;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use cache::Cache;
pub(crate) use imports::{SEPARATOR, split_names, with_names};
use map::SourceMap;
pub(crate) use requests::Request;
use translate::Translated;
pub(crate) use translate::translate_for_node;

/// What kind of module a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModuleKind {
    Es,
    CommonJs,
}

/// What is known about a file before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Its name or its package says so.
    Is(ModuleKind),
    /// Its syntax decides.
    Unknown,
}

/// A file that can be run.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) kind: ModuleKind,
    pub(crate) code: String,
    /// The names of its types that it exports: other files may import them as if they were values.
    pub(crate) types: Vec<String>,
}

/// Compiles, and remembers where everything was. One for all units of an engine.
pub(crate) struct Compiler {
    cache: Option<Cache>,
    maps: RefCell<HashMap<String, Rc<Positions>>>,
}

/// Where the positions of one module come from: read when they are first asked for.
enum Positions {
    Known(SourceMap),
    Kept(PathBuf),
}

/// What the engine itself puts before the first line of a module.
const LINES_BEFORE: u32 = 1;

impl Compiler {
    pub(crate) fn new(cache: Option<PathBuf>) -> Self {
        Self { cache: cache.map(Cache::new), maps: RefCell::default() }
    }

    /// Compiles a file that is known to the engine as `name`. An error is a sentence with file, line and column.
    pub(crate) fn compile(
        &self,
        path: &Path,
        name: &str,
        source: &str,
        hint: Hint,
    ) -> Result<Compiled, String> {
        let key = self.cache.as_ref().map(|cache| (cache, cache.key(path, source, hint)));
        if let Some((cache, key)) = &key
            && let Some(compiled) = cache.read(key)
        {
            self.remember(name, Positions::Kept(cache.map_path(key)));
            return Ok(compiled);
        }
        let Translated { compiled, map, .. } = translate::translate(path, source, hint)?;
        if let Some((cache, key)) = &key {
            cache.write(key, &compiled, &map);
        }
        self.remember(name, Positions::Known(map));
        Ok(compiled)
    }

    fn remember(&self, name: &str, positions: Positions) {
        self.maps.borrow_mut().insert(name.to_owned(), Rc::new(positions));
    }

    /// A stack with the positions of the sources.
    pub(crate) fn map_stack(&self, stack: &str) -> String {
        let mut mapped = String::with_capacity(stack.len());
        for line in stack.lines() {
            // What the engine does by itself explains nothing.
            if line.contains("omp:internal") || line.contains(SEPARATOR) {
                continue;
            }
            match crate::error::place(line).and_then(|place| Some((self.original(&place)?, place))) {
                Some((original, place)) => {
                    mapped.push_str(&line.replace(&place.to_string(), &original.to_string()));
                }
                None => mapped.push_str(line),
            }
            mapped.push('\n');
        }
        mapped.truncate(mapped.trim_end().len());
        mapped
    }

    fn original(&self, place: &crate::Place) -> Option<crate::Place> {
        let positions = self.maps.borrow().get(&place.file).cloned()?;
        let file = strip_query(&place.file).to_owned();
        let line = place.line.checked_sub(LINES_BEFORE)?;
        let (line, column) = match &*positions {
            Positions::Known(map) => map.original(line, place.column)?,
            Positions::Kept(path) => {
                let map = SourceMap::from_bytes(&std::fs::read(path).ok()?)?;
                let found = map.original(line, place.column);
                self.remember(&place.file, Positions::Known(map));
                found?
            }
        };
        Some(crate::Place { file, line, column })
    }
}

/// What a file asks for. With a `cache`, its syntax is read once.
pub(crate) fn requests_of(
    path: &Path,
    source: &str,
    hint: Hint,
    cache: Option<&Path>,
) -> Result<Vec<Request>, String> {
    let cache = cache.map(|directory| Cache::new(directory.to_owned()));
    let key = cache.as_ref().map(|cache| (cache, cache.key(path, source, hint)));
    if let Some(known) = key.as_ref().and_then(|(cache, key)| cache.read_requests(key)) {
        return Ok(known);
    }
    let requests = translate::translate(path, source, hint)?.requests;
    if let Some((cache, key)) = &key {
        cache.write_requests(key, &requests);
    }
    Ok(requests)
}

/// The path of a module's name: `import("./x.ts?v=2")` is a second instance of the same file.
pub(crate) fn strip_query(name: &str) -> &str {
    name.find('?').map_or(name, |at| &name[..at])
}
