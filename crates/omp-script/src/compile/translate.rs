//! TypeScript and JSX to JavaScript. Plain JavaScript stays as it is, but for its imports.

use std::path::Path;

use oxc_allocator::Allocator;
use oxc_ast::ast::{BindingPattern, Declaration, Program, Statement};
use oxc_codegen::{Codegen, CodegenOptions, CodegenReturn};
use oxc_parser::{Parser, ParserReturn};
use oxc_semantic::{Scoping, SemanticBuilder};
use oxc_span::SourceType;
use oxc_transformer::{TransformOptions, Transformer};

use super::imports::{annotate, wanted, with_names};
use super::map::SourceMap;
use super::requests::{Request, requests};
use super::{Compiled, Hint, ModuleKind};

pub(super) struct Translated {
    pub(super) compiled: Compiled,
    pub(super) map: SourceMap,
    pub(super) requests: Vec<Request>,
}

/// What a module of CommonJS finds in its scope; an ES module that names one gets it too, as in other loaders of TypeScript.
const COMMONJS: [&str; 5] = ["require", "module", "exports", "__filename", "__dirname"];

fn source_type(path: &Path, hint: Hint) -> SourceType {
    let plain = match hint {
        Hint::Is(ModuleKind::CommonJs) => SourceType::cjs(),
        Hint::Is(ModuleKind::Es) => SourceType::mjs(),
        Hint::Unknown => SourceType::unambiguous(),
    };
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("ts" | "mts") => SourceType::ts(),
        Some("cts") => SourceType::ts().with_commonjs(true),
        Some("tsx") => SourceType::tsx(),
        Some("jsx") => SourceType::jsx(),
        _ => plain,
    }
}

pub(super) fn translate(path: &Path, source: &str, hint: Hint) -> Result<Translated, String> {
    let allocator = Allocator::default();
    // The line that the engine puts before it would make this no first line any more.
    let plain = source.strip_prefix("#!").map(|rest| format!("//{rest}"));
    let source = plain.as_deref().unwrap_or(source);
    let kind = source_type(path, hint);
    let parsed = Parser::new(&allocator, source, kind).parse();
    if let Some(problem) = syntax_problem(path, source, &parsed) {
        return Err(problem);
    }
    if kind.is_typescript() || kind.is_jsx() {
        transform(path, source, &allocator, parsed, hint)
    } else {
        Ok(keep(source, parsed, hint))
    }
}

fn syntax_problem(path: &Path, source: &str, parsed: &ParserReturn<'_>) -> Option<String> {
    let has_failed = parsed.panicked || parsed.diagnostics.has_errors();
    let error = parsed.diagnostics.iter().next().filter(|_| has_failed)?;
    let offset = error.labels.first().map_or(0, |label| label.offset());
    Some(sentence(path, source, offset as usize, &error.message))
}

fn sentence(path: &Path, source: &str, offset: usize, message: &str) -> String {
    let before = &source[..source.floor_char_boundary(offset)];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
    format!("{message} (at {}:{line}:{column})", path.display())
}

fn scope_of(scoping: &Scoping) -> Vec<&'static str> {
    let unresolved = scoping.root_unresolved_references();
    COMMONJS.into_iter().filter(|name| unresolved.keys().any(|own| own.as_str() == *name)).collect()
}

fn decide(hint: Hint, has_module_syntax: bool, scope: &[&str], is_typescript: bool) -> ModuleKind {
    match hint {
        _ if has_module_syntax => ModuleKind::Es,
        Hint::Is(kind) => kind,
        // A script that neither imports nor exports is the same in both, but for strictness.
        Hint::Unknown if is_typescript && !scope.contains(&"module") && !scope.contains(&"exports") => {
            ModuleKind::Es
        }
        Hint::Unknown => ModuleKind::CommonJs,
    }
}

/// A file for a Node that has no TypeScript: what kind of module it is, and its code with a source map inside. It may ask for
/// `require` and the like, as in the engine.
pub(crate) fn translate_for_node(
    path: &Path,
    source: &str,
    hint: Hint,
) -> Result<(ModuleKind, String), String> {
    let allocator = Allocator::default();
    let kind = source_type(path, hint);
    let parsed = Parser::new(&allocator, source, kind).parse();
    if let Some(problem) = syntax_problem(path, source, &parsed) {
        return Err(problem);
    }
    let Printed { kind, scope, text, .. } = print(path, source, &allocator, parsed, hint)?;
    let map =
        text.map.map(|map| format!("\n//# sourceMappingURL={}\n", map.to_data_url())).unwrap_or_default();
    Ok((kind, format!("{}{}{map}", node_prefix(kind, &scope), text.code)))
}

/// On the first line, so that lines stay what they are.
fn node_prefix(kind: ModuleKind, scope: &[&str]) -> String {
    if kind == ModuleKind::CommonJs || scope.is_empty() {
        return String::new();
    }
    let value = |name: &&str| match *name {
        "require" => "require = ompRequire(import.meta.url)",
        "__filename" => "__filename = import.meta.filename",
        "__dirname" => "__dirname = import.meta.dirname",
        "module" => "module = { exports: {} }",
        _ => "exports = {}",
    };
    let values: Vec<&str> = scope.iter().map(value).collect();
    format!("import {{ createRequire as ompRequire }} from \"node:module\"; const {}; ", values.join(", "))
}

/// The one line that the engine puts before a module; see `LINES_BEFORE`.
fn prefix(kind: ModuleKind, scope: &[&str]) -> String {
    match kind {
        ModuleKind::CommonJs => "(function (exports, require, module, __filename, __dirname) {\n".to_owned(),
        ModuleKind::Es if scope.is_empty() => "\n".to_owned(),
        ModuleKind::Es => {
            let names = scope.join(", ");
            format!("const {{ {names} }} = import.meta.commonjs;\n")
        }
    }
}

fn suffix(kind: ModuleKind) -> &'static str {
    match kind {
        ModuleKind::CommonJs => "\n})",
        ModuleKind::Es => "",
    }
}

fn transform<'a>(
    path: &Path,
    source: &'a str,
    allocator: &'a Allocator,
    parsed: ParserReturn<'a>,
    hint: Hint,
) -> Result<Translated, String> {
    let Printed { kind, scope, text, types, requests } = print(path, source, allocator, parsed, hint)?;
    let mut positions = SourceMap::default();
    for token in text.map.iter().flat_map(|map| map.get_tokens()) {
        positions.push(token.get_dst_line(), token.get_dst_col(), token.get_src_line(), token.get_src_col());
    }
    let code = format!("{}{}{}", prefix(kind, &scope), text.code, suffix(kind));
    Ok(Translated { compiled: Compiled { kind, code, types }, map: positions, requests })
}

/// JavaScript without types.
struct Printed<'a> {
    kind: ModuleKind,
    /// What it takes for granted in its scope.
    scope: Vec<&'static str>,
    text: CodegenReturn<'a>,
    types: Vec<String>,
    requests: Vec<Request>,
}

fn print<'a>(
    path: &Path,
    source: &'a str,
    allocator: &'a Allocator,
    parsed: ParserReturn<'a>,
    hint: Hint,
) -> Result<Printed<'a>, String> {
    let has_module_syntax = parsed.module_record.has_module_syntax;
    let mut program = parsed.program;
    let mut types = exported(&program);
    let checked = SemanticBuilder::new()
        .with_excess_capacity(2.0)
        .with_enum_eval(true)
        .with_check_syntax_error(true)
        .build(&program);
    if let Some(error) = checked.diagnostics.iter().next().filter(|_| checked.diagnostics.has_errors()) {
        // The last label is what is wrong; those before it say why.
        let offset = error.labels.last().map_or(0, |label| label.offset());
        return Err(sentence(path, source, offset as usize, &error.message));
    }
    let scoping = checked.semantic.into_scoping();
    let options = TransformOptions::default();
    let done = Transformer::new(allocator, path, &options).build_with_scoping(scoping, &mut program);
    if let Some(error) = done.diagnostics.iter().next().filter(|_| done.diagnostics.has_errors()) {
        let offset = error.labels.first().map_or(0, |label| label.offset());
        return Err(sentence(path, source, offset as usize, &error.message));
    }
    // What is not there any more was a type.
    let values = exported(&program);
    types.retain(|name| !values.contains(name));
    let requests = requests(&program);
    annotate(&mut program, allocator);
    let scope = scope_of(&done.scoping);
    let kind = decide(hint, has_module_syntax, &scope, true);
    let options = CodegenOptions { source_map_path: Some(path.to_owned()), ..CodegenOptions::default() };
    let text = Codegen::new().with_options(options).with_source_text(source).build(&program);
    Ok(Printed { kind, scope, text, types, requests })
}

/// JavaScript as it is, with the names of its imports.
fn keep(source: &str, parsed: ParserReturn<'_>, hint: Hint) -> Translated {
    let has_module_syntax = parsed.module_record.has_module_syntax;
    let mut program = parsed.program;
    let scope = if COMMONJS.iter().any(|name| source.contains(name)) {
        let checked = SemanticBuilder::new().build(&program);
        scope_of(checked.semantic.scoping())
    } else {
        Vec::new()
    };
    let kind = decide(hint, has_module_syntax, &scope, false);
    let requests = requests(&program);
    let mut code = prefix(kind, &scope);
    let mut at = 0;
    for import in wanted(&mut program) {
        let specifier = serde_json::Value::from(with_names(&import.specifier, &import.names));
        code.push_str(&source[at..import.start as usize]);
        code.push_str(&specifier.to_string());
        at = import.end as usize;
    }
    code.push_str(&source[at..]);
    code.push_str(suffix(kind));
    Translated { compiled: Compiled { kind, code, types: Vec::new() }, map: SourceMap::default(), requests }
}

/// Names that a file exports, values and types alike.
fn exported(program: &Program<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let mut add = |name: &str| names.push(name.to_owned());
    for statement in &program.body {
        match statement {
            Statement::ExportDeclaration(export) => match &export.declaration {
                Declaration::TSInterfaceDeclaration(declaration) => add(declaration.id.name.as_str()),
                Declaration::TSTypeAliasDeclaration(declaration) => add(declaration.id.name.as_str()),
                Declaration::VariableDeclaration(variables) => {
                    for variable in &variables.declarations {
                        if let BindingPattern::BindingIdentifier(id) = &variable.id {
                            add(id.name.as_str());
                        }
                    }
                }
                other => {
                    if let Some(id) = other.id() {
                        add(id.name.as_str());
                    }
                }
            },
            Statement::ExportNamedDeclaration(export) => {
                export.specifiers.iter().for_each(|one| add(one.exported.name().as_str()));
            }
            Statement::ExportFromDeclaration(export) => {
                export.specifiers.iter().for_each(|one| add(one.exported.name().as_str()));
            }
            _ => {}
        }
    }
    names
}
