//! Which names a module imports from which other one, written into the specifiers themselves.
//!
//! QuickJS asks for a module without saying what is imported from it. A module of ours that lacks a name must load nevertheless,
//! and a CommonJS module has no list of names at all. So `import { a, b } from "x"` becomes `import { a, b } from "x\u{1}a\u{2}b"`,
//! and the loader can make a module that offers exactly those.

use oxc_allocator::Allocator;
use oxc_ast::ast::{ImportDeclarationSpecifier, ModuleExportName, Program, Statement, StringLiteral};

/// Stands between a specifier and the names. No path and no package has it.
pub(crate) const SEPARATOR: char = '\u{1}';
const BETWEEN: char = '\u{2}';

/// A specifier with the names that are wanted of it.
pub(crate) fn with_names(specifier: &str, names: &[impl AsRef<str>]) -> String {
    let mut text = format!("{specifier}{SEPARATOR}");
    for (number, name) in names.iter().enumerate() {
        if number > 0 {
            text.push(BETWEEN);
        }
        text.push_str(name.as_ref());
    }
    text
}

/// The two parts again. No names means: all of it, whatever that is.
pub(crate) fn split_names(specifier: &str) -> (&str, Vec<&str>) {
    match specifier.split_once(SEPARATOR) {
        Some((specifier, names)) => {
            (specifier, names.split(BETWEEN).filter(|name| !name.is_empty()).collect())
        }
        None => (specifier, Vec::new()),
    }
}

/// One specifier in a source, and the names wanted of it.
pub(crate) struct Wanted {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) specifier: String,
    pub(crate) names: Vec<String>,
}

fn name(name: &ModuleExportName<'_>) -> String {
    name.name().as_str().to_owned()
}

/// The names that a statement wants, and from where. `None` for whole modules.
pub(super) fn names_of(statement: &Statement<'_>) -> Option<Vec<String>> {
    match statement {
        Statement::ImportDeclaration(import) => {
            let mut names = Vec::new();
            for specifier in import.specifiers.as_ref()? {
                match specifier {
                    ImportDeclarationSpecifier::ImportSpecifier(one) => names.push(name(&one.imported)),
                    ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => names.push("default".to_owned()),
                    ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => return None,
                }
            }
            Some(names)
        }
        Statement::ExportFromDeclaration(export) => {
            Some(export.specifiers.iter().map(|specifier| name(&specifier.local)).collect())
        }
        _ => None,
    }
}

fn source_of<'p, 'a>(statement: &'p mut Statement<'a>) -> Option<&'p mut StringLiteral<'a>> {
    match statement {
        Statement::ImportDeclaration(import) => Some(&mut import.source),
        Statement::ExportFromDeclaration(export) => Some(&mut export.source),
        _ => None,
    }
}

/// Writes the names into the tree.
pub(crate) fn annotate<'a>(program: &mut Program<'a>, allocator: &'a Allocator) {
    for statement in &mut program.body {
        let Some(names) = names_of(statement).filter(|names| !names.is_empty()) else { continue };
        let Some(source) = source_of(statement) else { continue };
        source.value = allocator.alloc_str(&with_names(source.value.as_str(), &names)).into();
        source.raw = None;
    }
}

/// Where to write the names into a source that is kept as it is.
pub(crate) fn wanted(program: &mut Program<'_>) -> Vec<Wanted> {
    let mut found = Vec::new();
    for statement in &mut program.body {
        let Some(names) = names_of(statement).filter(|names| !names.is_empty()) else { continue };
        let Some(source) = source_of(statement) else { continue };
        let (start, end) = (source.span.start, source.span.end);
        found.push(Wanted { start, end, specifier: source.value.as_str().to_owned(), names });
    }
    found
}
