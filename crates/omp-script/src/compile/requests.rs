//! Everything that a module asks for, for readers that do not run it.

use oxc_ast::ast::{
    Argument, CallExpression, Expression, ImportDeclarationSpecifier, ImportExpression, Program, Statement,
};
use oxc_ast_visit::{Visit, walk};

use super::imports::names_of;

/// One module that is asked for. No names means: all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) specifier: String,
    pub(crate) names: Vec<String>,
}

#[derive(Default)]
struct Requests(Vec<Request>);

impl Requests {
    fn add(&mut self, specifier: &str, names: Vec<String>) {
        self.0.push(Request { specifier: specifier.to_owned(), names });
    }
}

impl<'a> Visit<'a> for Requests {
    fn visit_import_expression(&mut self, import: &ImportExpression<'a>) {
        if let Expression::StringLiteral(specifier) = &import.source {
            self.add(specifier.value.as_str(), Vec::new());
        }
        walk::walk_import_expression(self, import);
    }

    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        if let Expression::Identifier(name) = &call.callee
            && name.name == "require"
            && let Some(Argument::StringLiteral(specifier)) = call.arguments.first()
        {
            self.add(specifier.value.as_str(), Vec::new());
        }
        walk::walk_call_expression(self, call);
    }
}

/// Requests of a program whose types are gone.
pub(crate) fn requests(program: &Program<'_>) -> Vec<Request> {
    let mut found = Requests::default();
    for statement in &program.body {
        let specifier = match statement {
            Statement::ImportDeclaration(import) => &import.source,
            Statement::ExportFromDeclaration(export) => &export.source,
            Statement::ExportAllDeclaration(export) => &export.source,
            _ => continue,
        };
        let names = names_of(statement).unwrap_or_default();
        found.add(specifier.value.as_str(), names);
    }
    found.0.extend(members(program));
    found.visit_program(program);
    found.0
}

/// What is used of a module that was imported as a whole: `import * as fs`, then `fs.watch`.
fn members(program: &Program<'_>) -> Vec<Request> {
    let mut whole = Vec::new();
    for statement in &program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        for specifier in import.specifiers.iter().flatten() {
            let local = match specifier {
                ImportDeclarationSpecifier::ImportDefaultSpecifier(one) => &one.local,
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(one) => &one.local,
                ImportDeclarationSpecifier::ImportSpecifier(_) => continue,
            };
            whole.push((local.name.as_str().to_owned(), import.source.value.as_str().to_owned()));
        }
    }
    let mut members = Members { whole, found: Vec::new() };
    members.visit_program(program);
    members.found
}

struct Members {
    whole: Vec<(String, String)>,
    found: Vec<Request>,
}

impl<'a> Visit<'a> for Members {
    fn visit_static_member_expression(&mut self, member: &oxc_ast::ast::StaticMemberExpression<'a>) {
        if let Expression::Identifier(object) = &member.object
            && let Some((_, specifier)) = self.whole.iter().find(|(local, _)| object.name == local.as_str())
        {
            let names = vec![member.property.name.as_str().to_owned()];
            self.found.push(Request { specifier: specifier.clone(), names });
        }
        walk::walk_static_member_expression(self, member);
    }
}
