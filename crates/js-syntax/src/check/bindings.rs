//! What the names of a module stand for.

use std::collections::HashMap;

use oxc_ast::ast::{
    BindingPattern, CallExpression, Class, Declaration, ExportDefaultDeclarationKind, Expression,
    Function, IdentifierReference, ImportDeclaration, ImportDeclarationSpecifier, Program,
    Statement, VariableDeclaration, VariableDeclarationKind,
};
use oxc_semantic::{Scoping, SymbolFlags, SymbolId};

use crate::factory::{self, Factory};

/// A name at the top level of the module.
#[derive(Clone, Copy)]
pub(super) enum Binding<'p, 'a> {
    /// The factory itself, imported as a value.
    Factory(&'static Factory),
    /// `import * as name` from an authoring module.
    Namespace(&'p str),
    /// Anything else that is imported.
    Imported(Import<'p>),
    /// A `const` bound by a plain name.
    Const(&'p Expression<'a>),
    /// A variable bound otherwise.
    Variable(Variable),
    /// A function.
    Function(&'p Function<'a>),
    /// A class.
    Class,
}

/// An import that is no factory.
#[derive(Clone, Copy)]
pub(super) struct Import<'p> {
    pub(super) module: &'p str,
    pub(super) what: Imported<'p>,
    /// By `import type`, which leaves no value behind.
    pub(super) type_only: bool,
}

#[derive(Clone, Copy)]
pub(super) enum Imported<'p> {
    Name(&'p str),
    Default,
    Namespace,
}

/// Why a variable is no plain constant.
#[derive(Clone, Copy)]
pub(super) enum Variable {
    Kind(&'static str),
    Pattern,
}

/// The names of a module, with what the semantic pass knows of them.
pub(super) struct Bindings<'p, 'a> {
    pub(super) scoping: &'p Scoping,
    by_symbol: HashMap<SymbolId, Binding<'p, 'a>>,
}

impl<'p, 'a> Bindings<'p, 'a> {
    pub(super) fn of(program: &'p Program<'a>, scoping: &'p Scoping) -> Self {
        let mut bindings = Self { scoping, by_symbol: HashMap::new() };
        for statement in &program.body {
            bindings.statement(statement);
        }
        bindings
    }

    fn statement(&mut self, statement: &'p Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(import) => self.import(import),
            Statement::ExportDeclaration(export) => self.declaration(&export.declaration),
            Statement::ExportDefaultDeclaration(export) => match &export.declaration {
                ExportDefaultDeclarationKind::FunctionDeclaration(it) => self.function(it),
                ExportDefaultDeclarationKind::ClassDeclaration(it) => self.class(it),
                _ => {}
            },
            other => {
                if let Some(declaration) = other.as_declaration() {
                    self.declaration(declaration);
                }
            }
        }
    }

    fn import(&mut self, import: &'p ImportDeclaration<'a>) {
        let module = import.source.value.as_str();
        // A deferred or source import gives something else than the module itself.
        let all_types = import.import_kind.is_type() || import.phase.is_some();
        for specifier in import.specifiers.iter().flatten() {
            let (what, type_only) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => {
                    let types = all_types || it.import_kind.is_type();
                    let name = it.imported.name().as_str();
                    (
                        if name == "default" { Imported::Default } else { Imported::Name(name) },
                        types,
                    )
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {
                    (Imported::Default, all_types)
                }
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => {
                    (Imported::Namespace, all_types)
                }
            };
            let binding = match what {
                Imported::Name(name) if !type_only => {
                    factory::factory(module, name).map(Binding::Factory)
                }
                Imported::Namespace if !type_only && factory::is_authoring(module) => {
                    Some(Binding::Namespace(module))
                }
                _ => None,
            };
            let binding = binding.unwrap_or(Binding::Imported(Import { module, what, type_only }));
            self.insert(specifier.local().symbol_id.get(), binding);
        }
    }

    fn declaration(&mut self, declaration: &'p Declaration<'a>) {
        match declaration {
            Declaration::VariableDeclaration(it) => self.variables(it),
            Declaration::FunctionDeclaration(it) => self.function(it),
            Declaration::ClassDeclaration(it) => self.class(it),
            _ => {}
        }
    }

    fn variables(&mut self, declaration: &'p VariableDeclaration<'a>) {
        // What is declared only is not there at run time.
        if declaration.declare {
            return;
        }
        for declarator in &declaration.declarations {
            let binding = match (declaration.kind, &declarator.id, &declarator.init) {
                (
                    VariableDeclarationKind::Const,
                    BindingPattern::BindingIdentifier(_),
                    Some(init),
                ) => Binding::Const(init),
                (VariableDeclarationKind::Const, ..) => Binding::Variable(Variable::Pattern),
                (kind, ..) => Binding::Variable(Variable::Kind(kind.as_str())),
            };
            for name in declarator.id.get_binding_identifiers() {
                self.insert(name.symbol_id.get(), binding);
            }
        }
    }

    fn function(&mut self, function: &'p Function<'a>) {
        let id = function.id.as_ref().and_then(|id| id.symbol_id.get());
        self.insert(id, Binding::Function(function));
    }

    fn class(&mut self, class: &'p Class<'a>) {
        let id = class.id.as_ref().and_then(|id| id.symbol_id.get());
        self.insert(id, Binding::Class);
    }

    fn insert(&mut self, symbol: Option<SymbolId>, binding: Binding<'p, 'a>) {
        if let Some(symbol) = symbol {
            self.by_symbol.insert(symbol, binding);
        }
    }

    /// Returns the symbol that a name refers to, `None` for one that the module does not declare.
    pub(super) fn symbol(&self, name: &IdentifierReference<'_>) -> Option<SymbolId> {
        self.scoping.get_reference(name.reference_id.get()?).symbol_id()
    }

    /// Returns what a name stands for. `None`: it is global, or not declared at the top level.
    pub(super) fn get(&self, name: &IdentifierReference<'_>) -> Option<Binding<'p, 'a>> {
        self.by_symbol.get(&self.symbol(name)?).copied()
    }

    /// Returns the import that a name would stand for if it were not one of a type.
    pub(super) fn type_import(&self, name: &IdentifierReference<'_>) -> Option<Import<'p>> {
        match self.by_symbol.get(&self.scoping.get_root_binding(name.name)?)? {
            Binding::Imported(import) if import.type_only => Some(*import),
            _ => None,
        }
    }

    /// Returns whether a name is one of the language's environment.
    pub(super) fn is_global(&self, name: &IdentifierReference<'_>) -> bool {
        self.symbol(name).is_none()
    }

    /// Returns whether a name stands for types alone.
    pub(super) fn is_type(&self, name: &IdentifierReference<'_>) -> bool {
        self.symbol(name).is_some_and(|symbol| {
            let flags = self.scoping.symbol_flags(symbol);
            !flags.intersects(SymbolFlags::Value | SymbolFlags::Import)
        })
    }

    /// Returns the factory that a callee is: the imported name, or a member of the namespace.
    pub(super) fn factory(&self, callee: &Expression<'_>) -> Option<&'static Factory> {
        match callee {
            Expression::Identifier(name) => match self.get(name)? {
                Binding::Factory(factory) => Some(factory),
                _ => None,
            },
            Expression::StaticMemberExpression(member) if !member.optional => {
                let Expression::Identifier(object) = &member.object else { return None };
                match self.get(object)? {
                    Binding::Namespace(module) => factory::factory(module, &member.property.name),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the factory that a call calls.
    pub(super) fn called(&self, call: &CallExpression<'_>) -> Option<&'static Factory> {
        self.factory(&call.callee).filter(|_| !call.optional)
    }
}
