//! What a module may not do, wherever in it, and what is worth saying.

use oxc_ast::ast::{
    ArrowFunctionExpression, AwaitExpression, BinaryExpression, BinaryOperator, DebuggerStatement,
    Expression, ForOfStatement, Function, IdentifierReference, ImportExpression, MemberExpression,
    Program, Statement, TSImportEqualsDeclaration, TSModuleReference, VariableDeclaration,
};
use oxc_ast_visit::{Visit, walk};
use oxc_semantic::ScopeFlags;
use oxc_span::{GetSpan, Span};

use crate::rules::{self, Rule};

use super::Fault;
use super::bindings::{Binding, Bindings};
use super::notes::Notes;

pub(super) fn find(program: &Program<'_>, bindings: &Bindings<'_, '_>, notes: &mut Notes<'_>) {
    for statement in &program.body {
        top_level(statement, notes);
    }
    let mut hazards = Hazards { bindings, notes, functions: 0 };
    hazards.visit_program(program);
}

fn top_level(statement: &Statement<'_>, notes: &mut Notes<'_>) {
    match statement {
        Statement::ImportDeclaration(import) => {
            if import.specifiers.is_none() {
                notes.fault(Fault::plain(&rules::SIDE_EFFECT_IMPORT, import.span));
            }
        }
        Statement::EmptyStatement(_) | Statement::DebuggerStatement(_) => {}
        other if other.is_declaration() || other.is_module_declaration() => {}
        other => notes.fault(Fault::plain(&rules::LOOSE_STATEMENT, other.span())),
    }
}

struct Hazards<'n, 'l, 'b, 'p, 'a> {
    bindings: &'b Bindings<'p, 'a>,
    notes: &'n mut Notes<'l>,
    /// How many functions stand round the place that is looked at.
    functions: usize,
}

impl Hazards<'_, '_, '_, '_, '_> {
    fn say(&mut self, rule: &'static Rule, span: Span) {
        self.notes.fault(Fault::plain(rule, span));
    }

    fn say_that(&mut self, rule: &'static Rule, span: Span, message: &str) {
        self.notes.fault(Fault::new(rule, span, message));
    }

    fn waits(&mut self, span: Span) {
        if self.functions == 0 {
            self.say(&rules::TOP_LEVEL_AWAIT, span);
        }
    }

    /// A name of the environment, read or called.
    fn global(&mut self, name: &str, span: Span) {
        match name {
            "eval" => self.say_that(&rules::DYNAMIC_CODE, span, "`eval` makes code from text"),
            "Function" => {
                self.say_that(&rules::DYNAMIC_CODE, span, "`Function` makes code from text");
            }
            "require" => self.say(&rules::REQUIRE, span),
            "exports" => self.say(&rules::COMMONJS, span),
            _ => {}
        }
    }
}

const GLOBAL_OBJECTS: &[&str] = &["globalThis", "global", "self", "window"];

impl<'v> Visit<'v> for Hazards<'_, '_, '_, '_, '_> {
    fn visit_function(&mut self, it: &Function<'v>, flags: ScopeFlags) {
        self.functions += 1;
        walk::walk_function(self, it, flags);
        self.functions -= 1;
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'v>) {
        self.functions += 1;
        walk::walk_arrow_function_expression(self, it);
        self.functions -= 1;
    }

    fn visit_await_expression(&mut self, it: &AwaitExpression<'v>) {
        self.waits(it.span);
        walk::walk_await_expression(self, it);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'v>) {
        if it.r#await {
            self.waits(it.span);
        }
        walk::walk_for_of_statement(self, it);
    }

    fn visit_variable_declaration(&mut self, it: &VariableDeclaration<'v>) {
        if it.kind.is_await() {
            self.waits(it.span);
        }
        walk::walk_variable_declaration(self, it);
    }

    fn visit_debugger_statement(&mut self, it: &DebuggerStatement) {
        self.say(&rules::DEBUGGER, it.span);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'v>) {
        let fixed = matches!(it.source, Expression::StringLiteral(_))
            || it.source.is_no_substitution_template();
        self.say(if fixed { &rules::DYNAMIC_IMPORT } else { &rules::COMPUTED_IMPORT }, it.span);
        walk::walk_import_expression(self, it);
    }

    fn visit_ts_import_equals_declaration(&mut self, it: &TSImportEqualsDeclaration<'v>) {
        if matches!(it.module_reference, TSModuleReference::ExternalModuleReference(_))
            && !it.import_kind.is_type()
        {
            self.say(&rules::REQUIRE, it.span);
        }
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'v>) {
        // `x instanceof Function` asks for the sort of a value and makes no code.
        let asks = it.operator == BinaryOperator::Instanceof
            && matches!(&it.right, Expression::Identifier(name) if name.name == "Function");
        if asks {
            self.visit_expression(&it.left);
        } else {
            walk::walk_binary_expression(self, it);
        }
    }

    fn visit_member_expression(&mut self, it: &MemberExpression<'v>) {
        if let Expression::Identifier(object) = it.object()
            && self.bindings.is_global(object)
            && let Some(property) = it.static_property_name()
        {
            match (object.name.as_str(), property) {
                ("module", "exports") => self.say(&rules::COMMONJS, it.span()),
                ("module", "require") => self.say(&rules::REQUIRE, it.span()),
                (object, property) if GLOBAL_OBJECTS.contains(&object) && property != "exports" => {
                    self.global(property, it.span());
                }
                _ => {}
            }
        }
        walk::walk_member_expression(self, it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'v>) {
        let Some(reference) = it.reference_id.get() else { return };
        let reference = self.bindings.scoping.get_reference(reference);
        if reference.symbol_id().is_none() {
            if reference.is_value() {
                self.global(&it.name, it.span);
            }
        } else if reference.is_write()
            && let Some(Binding::Factory(_) | Binding::Namespace(_)) = self.bindings.get(it)
        {
            self.say(&rules::FACTORY_REASSIGNED, it.span);
        }
    }
}
