//! Every export of a module, one after another.

use kitbag_types::printable;
use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDeclaration, ExportDefaultDeclaration,
    ExportDefaultDeclarationKind, ExportNamedDeclaration, Expression, ModuleExportName, Program,
    Statement, VariableDeclaration, VariableDeclarationKind,
};
use oxc_ast_visit::Visit as _;
use oxc_semantic::ScopeFlags;
use oxc_span::{GetSpan, Span};

use crate::ModuleKind;
use crate::rules;

use super::Fault;
use super::bindings::{Binding, Bindings};
use super::diagnose::{contains, diagnose, function, identifier, variable};
use super::judge::{self, Held};
use super::notes::Notes;

pub(super) fn check(program: &Program<'_>, bindings: &Bindings<'_, '_>, notes: &mut Notes<'_>) {
    let mut exports = Exports { bindings, notes, values: 0 };
    for statement in &program.body {
        exports.statement(statement);
    }
    // An export by CommonJS is one that was meant, and is told already.
    if exports.values == 0 && !notes.tells(&rules::COMMONJS) {
        let made = contains(bindings, |finder| {
            finder.visit_program(program);
        });
        let message = if made {
            "the factory is used, and no result is exported"
        } else {
            "the module exports no value"
        };
        notes.at(&rules::NO_EXPORT, 0, message);
    }
}

struct Exports<'n, 'l, 'b, 'p, 'a> {
    bindings: &'b Bindings<'p, 'a>,
    notes: &'n mut Notes<'l>,
    /// How many values are exported, rightly or not.
    values: usize,
}

impl Exports<'_, '_, '_, '_, '_> {
    fn statement(&mut self, statement: &Statement<'_>) {
        match statement {
            Statement::ExportDeclaration(it) => self.declaration(it),
            Statement::ExportDefaultDeclaration(it) => self.default(it),
            Statement::ExportNamedDeclaration(it) => self.named(it),
            Statement::ExportFromDeclaration(it) if !it.export_kind.is_type() => {
                for specifier in it.specifiers.iter().filter(|it| !it.export_kind.is_type()) {
                    let name = printable(specifier.exported.name().as_str()).to_string();
                    let message =
                        format!("`{name}` comes from `{}`", printable(it.source.value.as_str()));
                    self.refuse(Fault::new(&rules::RE_EXPORT, specifier.span, message));
                }
            }
            Statement::ExportAllDeclaration(it) if !it.export_kind.is_type() => {
                let module = printable(it.source.value.as_str());
                let message = format!("everything of `{module}` is exported");
                self.refuse(Fault::new(&rules::EXPORT_STAR, it.span, message));
            }
            Statement::TSExportAssignment(it) => {
                self.refuse(Fault::plain(&rules::EXPORT_ASSIGNMENT, it.span));
            }
            _ => {}
        }
    }

    /// `export const …`, `export function …` and their like.
    fn declaration(&mut self, export: &ExportDeclaration<'_>) {
        let declaration = &export.declaration;
        if declaration.declare() {
            return;
        }
        match declaration {
            Declaration::VariableDeclaration(it) => self.variables(it),
            // An overload without a body says only what type the function has.
            Declaration::FunctionDeclaration(it) if it.body.is_some() => {
                let contains = contains(self.bindings, |finder| {
                    finder.visit_function(it, ScopeFlags::Function);
                });
                self.refuse(function(it.span, contains));
            }
            Declaration::ClassDeclaration(it) => self.refuse(Fault::plain(&rules::CLASS, it.span)),
            Declaration::TSEnumDeclaration(it) => self.refuse(Fault::plain(&rules::ENUM, it.span)),
            Declaration::TSNamespaceDeclaration(it) => {
                self.refuse(Fault::plain(&rules::NAMESPACE, it.span));
            }
            Declaration::TSImportEqualsDeclaration(it) if !it.import_kind.is_type() => {
                self.refuse(Fault::plain(&rules::ALIAS, it.span));
            }
            _ => {}
        }
    }

    fn variables(&mut self, declaration: &VariableDeclaration<'_>) {
        for declarator in &declaration.declarations {
            let BindingPattern::BindingIdentifier(name) = &declarator.id else {
                self.refuse(Fault::plain(&rules::DESTRUCTURED, declarator.id.span()));
                continue;
            };
            match (&declarator.init, declaration.kind) {
                (Some(init), VariableDeclarationKind::Const) => {
                    self.value(&name.name, name.span, init);
                }
                (_, kind) => {
                    let fault = variable(
                        &name.name,
                        name.span,
                        kind.as_str(),
                        name.symbol_id.get(),
                        self.bindings,
                    );
                    self.refuse(fault);
                }
            }
        }
    }

    fn default(&mut self, export: &ExportDefaultDeclaration<'_>) {
        // A default export has no name of its own: its place is the statement's.
        let span = export.span;
        match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => {
                if it.body.is_some() {
                    let contains = contains(self.bindings, |finder| {
                        finder.visit_function(it, ScopeFlags::Function);
                    });
                    self.refuse(function(it.span, contains));
                }
            }
            ExportDefaultDeclarationKind::ClassDeclaration(it) => {
                self.refuse(Fault::plain(&rules::CLASS, it.span));
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {}
            other => {
                let value = other.as_expression().expect("declarations are handled above");
                match judge::peel(value) {
                    Expression::Identifier(name) if self.bindings.is_type(name) => {}
                    Expression::Identifier(name) => match self.bindings.get(name) {
                        Some(Binding::Const(init)) => self.value("default", span, init),
                        _ => self.refuse(identifier(name, self.bindings)),
                    },
                    value => self.value("default", span, value),
                }
            }
        }
    }

    /// `export { a, b as c }`.
    fn named(&mut self, export: &ExportNamedDeclaration<'_>) {
        if export.export_kind.is_type() {
            return;
        }
        for specifier in export.specifiers.iter().filter(|it| !it.export_kind.is_type()) {
            let ModuleExportName::IdentifierReference(local) = &specifier.local else {
                self.refuse(Fault::plain(&rules::NOT_A_RESULT, specifier.span));
                continue;
            };
            if self.bindings.is_type(local) {
                continue;
            }
            match self.bindings.get(local) {
                Some(Binding::Const(init)) => {
                    let exported = &specifier.exported;
                    self.value(&exported.name(), exported.span(), init);
                }
                _ => self.refuse(identifier(local, self.bindings)),
            }
        }
    }

    fn value(&mut self, name: &str, span: Span, value: &Expression<'_>) {
        self.values += 1;
        let held = match judge::peel(value) {
            Expression::Identifier(_) => Err(diagnose(value, self.bindings)),
            _ => judge::value(value, self.bindings, self.notes),
        };
        let held = match held {
            Ok(held) => held,
            Err(fault) => return self.notes.fault(fault),
        };
        if self.notes.kind() == ModuleKind::Capability && (name != "default" || self.values > 1) {
            let message =
                format!("`{}` is exported beside or instead of `default`", printable(name));
            return self.notes.fault(Fault::new(&rules::ONE_DEFAULT, span, message));
        }
        let length = match held {
            Held::One => None,
            Held::Array(length) => Some(length),
        };
        self.notes.export(name, span.start as usize, length);
    }

    fn refuse(&mut self, fault: Fault) {
        self.values += 1;
        self.notes.fault(fault);
    }
}
