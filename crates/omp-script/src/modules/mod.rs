//! Finding and loading modules.
//!
//! Every module has one name in the engine. Files are their real path (with a query, if it was imported with one). What is made for
//! the importer (see `compile::imports`) is a **facade**: `omp:use`, what it stands for, and the names it offers.
//!
//! | name | module |
//! |---|---|
//! | `/path/file.ts` | a file that is an ES module |
//! | `omp:internal` | the bootstrap; only modules of ours may import it |
//! | `omp:host` | what reaches the host |
//! | the first name of a builtin | a virtual module of the owner of the unit |
//! | `omp:use…` | a facade of a builtin, of a module of Node, of CommonJS or JSON, or of a file with exported types |

mod commonjs;
mod facade;
mod files;
mod node;
mod package;
mod resolve;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rquickjs::function::Func;
use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Ctx, Error, Exception, Module, Object, Result};

use crate::compile::split_names;
use crate::state::State;
use crate::unit::{BuiltinModule, Touch};
pub(crate) use commonjs::Internal;
use facade::{Facade, Stand};
use files::{Files, Loaded, ModuleFile};
pub(crate) use node::node_name;
pub(crate) use package::{kind_of, package_of};
pub(crate) use resolve::{Way, resolve};

/// What a specifier stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A module of the owner, by its first name.
    Builtin(String),
    /// A module of Node, without `node:`; we may not have it.
    Node(String),
    /// A module of the engine itself.
    Engine(&'static str),
    File {
        path: PathBuf,
        query: String,
    },
}

pub(crate) struct ModulesInner {
    pub(crate) state: Rc<State>,
    pub(crate) files: Files,
    facades: RefCell<HashMap<String, Facade>>,
}

/// The modules of one unit.
#[derive(Clone)]
pub(crate) struct Modules(Rc<ModulesInner>);

const HOST: &str = "import { callNow, call } from \"omp:internal\";\nexport { callNow, call };\n";

impl Modules {
    pub(crate) fn new(state: Rc<State>) -> Self {
        let files = Files::new(state.seal.clone());
        Self(Rc::new(ModulesInner { state, files, facades: RefCell::default() }))
    }

    pub(crate) fn resolver(&self) -> impl Resolver + 'static {
        ModuleResolver(self.0.clone())
    }

    pub(crate) fn loader(&self) -> impl Loader + 'static {
        ModuleLoader(self.0.clone())
    }

    /// What the bootstrap needs for `require`.
    pub(crate) fn install(&self, natives: &Object<'_>) -> Result<()> {
        commonjs::install(natives, &self.0)?;
        let inner = self.0.clone();
        natives.set(
            "resolve",
            Func::from(move |ctx: Ctx<'_>, base: String, specifier: String, way: String| {
                let way = if way == "require" { resolve::Way::Require } else { resolve::Way::Import };
                inner
                    .resolve(&base, &specifier, way)
                    .map(|target| target.shown())
                    .map_err(|message| raise(&ctx, &message))
            }),
        )
    }
}

/// An error of ours as one of Node: with a code that programs look at.
pub(crate) fn raise(ctx: &Ctx<'_>, message: &str) -> Error {
    let exception = match Exception::from_message(ctx.clone(), message) {
        Ok(exception) => exception,
        Err(error) => return error,
    };
    if message.starts_with("cannot find") {
        let _ = exception.as_object().set("code", "MODULE_NOT_FOUND");
    }
    exception.throw()
}

impl Target {
    /// As `import.meta.resolve` and `require.resolve` show it.
    fn shown(&self) -> String {
        match self {
            Self::Builtin(name) => name.clone(),
            Self::Node(name) => node::shown(name),
            Self::Engine(name) => (*name).to_owned(),
            Self::File { path, .. } => path.display().to_string(),
        }
    }
}

impl ModulesInner {
    pub(crate) fn builtin(&self, name: &str) -> Option<&BuiltinModule> {
        let all = self.state.builtins.iter().chain([&self.state.prelude]);
        all.into_iter().find(|builtin| builtin.answers_to(name))
    }

    /// The file that a base stands for: what is relative is relative to it.
    fn directory_of(&self, base: &str) -> PathBuf {
        let base = self.facades.borrow().get(base).and_then(Facade::file).unwrap_or_else(|| base.to_owned());
        let base = base.strip_prefix("file://").unwrap_or(&base);
        match Path::new(crate::compile::strip_query(base)).parent() {
            Some(parent) if base.starts_with('/') => parent.to_owned(),
            _ => self.state.cwd.borrow().clone(),
        }
    }

    pub(crate) fn resolve(
        &self,
        base: &str,
        specifier: &str,
        way: resolve::Way,
    ) -> std::result::Result<Target, String> {
        if specifier == "omp:internal" && (base.starts_with("omp:") || self.builtin(base).is_some()) {
            return Ok(Target::Engine("omp:internal"));
        }
        if specifier == "omp:host" {
            return Ok(Target::Engine("omp:host"));
        }
        if let Some(builtin) = self.builtin(specifier) {
            return Ok(Target::Builtin(builtin.name().to_owned()));
        }
        if let Some(name) = node::node_name(specifier) {
            return Ok(Target::Node(name.to_owned()));
        }
        let (path, query) = resolve::resolve(&self.directory_of(base), specifier, way)?;
        Ok(Target::File { path, query })
    }

    /// The name in the engine of what is imported.
    fn name_of(&self, ctx: &Ctx<'_>, base: &str, specifier: &str, said: Option<&str>) -> Result<String> {
        let (specifier, names) = split_names(specifier);
        let found = self.resolve(base, specifier, resolve::Way::Import);
        let target =
            found.map_err(|message| raise(ctx, &format!("{message}, imported by {}", shown_base(base))))?;
        let stand = match target {
            Target::Engine(name) => return Ok(name.to_owned()),
            Target::Builtin(name) if names.is_empty() => return Ok(name),
            Target::Builtin(name) => Stand::Builtin { name, shown: specifier.to_owned() },
            Target::Node(name) => Stand::Node(name),
            Target::File { path, query } => {
                self.state.shared.touch(Touch::Read, &path.display().to_string());
                let name = format!("{}{query}", path.display());
                let file = ModuleFile { path: &path, name: &name, said };
                let loaded = self.files.load(&self.state.compiler, &file);
                match loaded.map_err(|message| syntax(ctx, &message))? {
                    Loaded::Es(compiled) => {
                        let types: Vec<_> = names
                            .iter()
                            .filter(|name| compiled.types.iter().any(|own| own == *name))
                            .collect();
                        if types.is_empty() {
                            return Ok(name);
                        }
                        Stand::Types(name)
                    }
                    Loaded::CommonJs(_) => Stand::CommonJs(name),
                    Loaded::Json(_) | Loaded::Text(_) => Stand::Data(name),
                }
            }
        };
        let facade = Facade::new(stand, &names);
        let name = facade.name();
        self.facades.borrow_mut().entry(name.clone()).or_insert(facade);
        Ok(name)
    }

    fn source(&self, ctx: &Ctx<'_>, name: &str) -> Result<String> {
        if name == "omp:host" {
            return Ok(HOST.to_owned());
        }
        let facade = self.facades.borrow().get(name).cloned();
        if let Some(facade) = facade {
            return facade.source(ctx, self);
        }
        if let Some(builtin) = self.builtin(name) {
            return Ok(builtin.source.to_string());
        }
        match self.files.get(name) {
            Some(Loaded::Es(compiled)) => Ok(compiled.code.clone()),
            _ => Err(raise(ctx, &format!("cannot find module {name}"))),
        }
    }

    fn describe(&self, module: &Module<'_, Declared>, name: &str) -> Result<()> {
        let meta = module.meta()?;
        if !name.starts_with('/') {
            return meta.set("url", name);
        }
        let path = crate::compile::strip_query(name);
        let query = &name[path.len()..];
        let url =
            url::Url::from_file_path(path).map_or_else(|()| format!("file://{path}"), |url| url.to_string());
        let directory = Path::new(path).parent().unwrap_or(Path::new("/")).display().to_string();
        meta.set("url", format!("{url}{query}"))?;
        meta.set("filename", path)?;
        meta.set("path", path)?;
        meta.set("dirname", directory.as_str())?;
        meta.set("dir", directory.as_str())?;
        meta.set("main", false)?;
        let internal: Object<'_> = commonjs::meta_helpers(module.ctx(), path)?;
        for key in ["resolve", "commonjs", "require"] {
            meta.set(key, internal.get::<_, rquickjs::Value<'_>>(key)?)?;
        }
        Ok(())
    }
}

fn shown_base(base: &str) -> &str {
    let (base, _) = split_names(base);
    if base.is_empty() { "the program" } else { base }
}

fn syntax(ctx: &Ctx<'_>, message: &str) -> Error {
    Exception::throw_syntax(ctx, message)
}

struct ModuleResolver(Rc<ModulesInner>);

impl Resolver for ModuleResolver {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        let kind = attributes.and_then(|attributes| attributes.get_type().ok().flatten());
        self.0.name_of(ctx, base, name, kind.as_deref())
    }
}

struct ModuleLoader(Rc<ModulesInner>);

impl Loader for ModuleLoader {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        let source = self.0.source(ctx, name)?;
        let module = Module::declare(ctx.clone(), name, source)?;
        self.0.describe(&module, name)?;
        Ok(module)
    }
}
