//! Files as modules: read once for each unit, so that what changes on disk changes nothing that runs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::package::kind_of;
use crate::compile::{Compiled, Compiler, ModuleKind};
use crate::seal::CodeSeal;

/// Larger files are not code.
const LARGEST: u64 = 64 << 20;

#[derive(Clone)]
pub(crate) enum Loaded {
    Es(Rc<Compiled>),
    CommonJs(Rc<Compiled>),
    Json(Rc<str>),
    Text(Rc<str>),
}

/// A file that is imported.
pub(crate) struct ModuleFile<'m> {
    pub(crate) path: &'m Path,
    /// What the engine calls it.
    pub(crate) name: &'m str,
    /// The type that the import names.
    pub(crate) said: Option<&'m str>,
}

pub(crate) struct Files {
    loaded: RefCell<HashMap<String, Loaded>>,
    seal: Option<Arc<CodeSeal>>,
}

impl Files {
    pub(crate) fn new(seal: Option<Arc<CodeSeal>>) -> Self {
        Self { loaded: RefCell::default(), seal }
    }

    pub(crate) fn get(&self, name: &str) -> Option<Loaded> {
        self.loaded.borrow().get(name).cloned()
    }

    /// The module in a file. An error is a sentence.
    pub(crate) fn load(&self, compiler: &Compiler, file: &ModuleFile<'_>) -> Result<Loaded, String> {
        if let Some(loaded) = self.get(file.name) {
            return Ok(loaded);
        }
        let loaded = self.read(compiler, file)?;
        self.loaded.borrow_mut().insert(file.name.to_owned(), loaded.clone());
        Ok(loaded)
    }

    fn read(&self, compiler: &Compiler, file: &ModuleFile<'_>) -> Result<Loaded, String> {
        let &ModuleFile { path, name, said } = file;
        let cannot = |reason: &str| format!("cannot read {}: {reason}", path.display());
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if extension == "node" {
            return Err(format!("{} is native code, which is not offered by omp", path.display()));
        }
        let length = std::fs::metadata(path).map_err(|error| cannot(&error.to_string()))?.len();
        if length > LARGEST {
            return Err(cannot("it is too large to be a module"));
        }
        let bytes = std::fs::read(path).map_err(|error| cannot(&error.to_string()))?;
        if let Some(seal) = &self.seal {
            seal.check(path, &bytes)?;
        }
        let text = String::from_utf8(bytes).map_err(|_| cannot("it is not UTF-8"))?;
        let text = text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned);
        match extension {
            "json" => return Ok(Loaded::Json(text.into())),
            "md" | "txt" | "html" | "css" => return Ok(Loaded::Text(text.into())),
            _ => {}
        }
        match said {
            Some("json") => return Ok(Loaded::Json(text.into())),
            Some("text" | "file") => return Ok(Loaded::Text(text.into())),
            _ => {}
        }
        let compiled = Rc::new(compiler.compile(path, name, &text, kind_of(path))?);
        Ok(match compiled.kind {
            ModuleKind::Es => Loaded::Es(compiled),
            ModuleKind::CommonJs => Loaded::CommonJs(compiled),
        })
    }
}
