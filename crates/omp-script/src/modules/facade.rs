//! Modules that are made for whoever imports them: they offer exactly the names that are wanted.

use rquickjs::{Ctx, Object, Result};
use serde_json::Value;

use super::{ModulesInner, commonjs};
use crate::compile::with_names;

/// What a facade stands for.
#[derive(Clone, Debug)]
pub(crate) enum Stand {
    /// A builtin of the owner of the unit; `shown` is the name it was imported by.
    Builtin {
        name: String,
        shown: String,
    },
    Node(String),
    /// A file; its name in the engine.
    CommonJs(String),
    /// JSON or text.
    Data(String),
    /// An ES module some of whose exports are types, which are not there at run time.
    Types(String),
}

#[derive(Clone, Debug)]
pub(crate) struct Facade {
    stand: Stand,
    names: Vec<String>,
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

impl Facade {
    pub(crate) fn new(stand: Stand, names: &[&str]) -> Self {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort();
        names.dedup();
        Self { stand, names }
    }

    pub(crate) fn name(&self) -> String {
        let (kind, what) = match &self.stand {
            Stand::Builtin { name, .. } => ("builtin", name),
            Stand::Node(name) => ("node", name),
            Stand::CommonJs(name) => ("cjs", name),
            Stand::Data(name) => ("data", name),
            Stand::Types(name) => ("types", name),
        };
        with_names(&format!("omp:use/{kind}/{what}"), &self.names)
    }

    pub(crate) fn file(&self) -> Option<String> {
        match &self.stand {
            Stand::CommonJs(name) | Stand::Data(name) | Stand::Types(name) => Some(name.clone()),
            Stand::Builtin { .. } | Stand::Node(_) => None,
        }
    }

    /// The source. `all`, the whole value, has to be known now when everything is wanted of something that is no ES module.
    pub(crate) fn source(&self, ctx: &Ctx<'_>, modules: &ModulesInner) -> Result<String> {
        Ok(match &self.stand {
            Stand::Builtin { name, shown } => {
                let head = format!(
                    "import * as all from {};\nimport {{ pick }} from \"omp:internal\";\n",
                    quoted(name)
                );
                head + &self.picks("", |own| format!("pick(all, {}, {})", quoted(own), quoted(shown)))
            }
            Stand::Node(name) => {
                let head = format!(
                    "import {{ node, pickNode }} from \"omp:internal\";\nconst all = node({});\nexport default all;\n",
                    quoted(name)
                );
                let pick = |own: &str| format!("pickNode(all, {}, {})", quoted(own), quoted(name));
                head + &self.known(|| commonjs::node_keys(ctx, name))?.picks("default", pick)
            }
            Stand::CommonJs(name) | Stand::Data(name) => {
                modules.commonjs_must_exist(ctx, name)?;
                let head = format!(
                    "import {{ load, standard }} from \"omp:internal\";\nconst all = load({});\nexport default standard(all);\n",
                    quoted(name)
                );
                let pick = |own: &str| format!("all?.[{}]", quoted(own));
                head + &self.known(|| commonjs::keys(ctx, name))?.picks("default", pick)
            }
            Stand::Types(name) => {
                let types = modules.types_of(name);
                let mut text = format!("export * from {0};\n", quoted(name));
                let mut names = self.names.iter().filter(|own| !types.contains(own)).peekable();
                if names.peek().is_some() {
                    let list: Vec<String> = names.map(|own| quoted(own)).collect();
                    text += &format!("export {{ {} }} from {};\n", list.join(", "), quoted(name));
                }
                for (number, own) in self.names.iter().filter(|own| types.contains(own)).enumerate() {
                    text += &format!(
                        "const t{number} = undefined;\nexport {{ t{number} as {} }};\n",
                        quoted(own)
                    );
                }
                text
            }
        })
    }

    /// The facade with the names of the value itself, if all were wanted.
    fn known(&self, keys: impl FnOnce() -> Result<Vec<String>>) -> Result<Self> {
        let names = if self.names.is_empty() { keys()? } else { self.names.clone() };
        Ok(Self { stand: self.stand.clone(), names })
    }

    fn picks(&self, without: &str, pick: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for (number, name) in self.names.iter().filter(|name| *name != without).enumerate() {
            text +=
                &format!("const v{number} = {};\nexport {{ v{number} as {} }};\n", pick(name), quoted(name));
        }
        text
    }
}

/// What the bootstrap exports, for whoever is inside the engine.
pub(crate) fn internal<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    ctx.userdata::<commonjs::Internal>().ok_or(rquickjs::Error::Unknown)?.restore(ctx)
}
