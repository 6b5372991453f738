//! Why a value is no direct result, so that each way of writing it has its own advice.

use kitbag_types::printable;
use oxc_ast::AstKind;
use oxc_ast::ast::{CallExpression, ChainElement, Expression, IdentifierReference};
use oxc_ast_visit::Visit;
use oxc_semantic::{ScopeFlags, SymbolId};
use oxc_span::{GetSpan, Span};

use crate::factory;
use crate::rules::{self, Rule};

use super::Fault;
use super::bindings::{Binding, Bindings, Import, Imported, Variable};
use super::judge::peel;

/// Says what is wrong with a value that is no call of the factory.
pub(super) fn diagnose(value: &Expression<'_>, bindings: &Bindings<'_, '_>) -> Fault {
    let value = peel(value);
    let span = value.span();
    let plain = |rule| Fault::plain(rule, span);
    match value {
        Expression::Identifier(name) => identifier(name, bindings),
        Expression::CallExpression(call) => self::call(call, bindings),
        Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
            function(span, contains(bindings, |finder| finder.visit_expression(value)))
        }
        Expression::ClassExpression(_) => plain(&rules::CLASS),
        Expression::ConditionalExpression(_) | Expression::LogicalExpression(_) => {
            plain(&rules::CONDITIONAL)
        }
        Expression::AwaitExpression(_) => plain(&rules::AWAITED),
        Expression::AssignmentExpression(_) => plain(&rules::ASSIGNMENT),
        Expression::SequenceExpression(_) => plain(&rules::SEQUENCE),
        Expression::ObjectExpression(_) => plain(&rules::OBJECT),
        Expression::NewExpression(_) => plain(&rules::NEW),
        Expression::TaggedTemplateExpression(it) if bindings.factory(&it.tag).is_some() => {
            plain(&rules::TAGGED_TEMPLATE)
        }
        Expression::ChainExpression(chain) => match &chain.expression {
            ChainElement::CallExpression(call) => optional(call, bindings, span),
            _ => plain(&rules::NOT_A_RESULT),
        },
        other if bindings.factory(other).is_some() => plain(&rules::BARE_FACTORY),
        other if contains(bindings, |finder| finder.visit_expression(other)) => {
            plain(&rules::WRAPPED)
        }
        _ => plain(&rules::NOT_A_RESULT),
    }
}

/// A function is exported: does it contain the call whose result was meant?
pub(super) fn function(span: Span, contains: bool) -> Fault {
    Fault::plain(if contains { &rules::FUNCTION } else { &rules::NOT_A_RESULT }, span)
}

/// Says what is wrong with a name that is exported, or stands in an exported array.
pub(super) fn identifier(name: &IdentifierReference<'_>, bindings: &Bindings<'_, '_>) -> Fault {
    let shown = printable(name.name.as_str());
    let fault = |rule: &'static Rule, message: String| Fault::new(rule, name.span, message);
    match bindings.get(name) {
        Some(Binding::Factory(_)) => Fault::plain(&rules::BARE_FACTORY, name.span),
        Some(Binding::Namespace(module) | Binding::Imported(Import { module, .. })) => {
            fault(&rules::RE_EXPORT, format!("`{shown}` comes from `{}`", printable(module)))
        }
        Some(Binding::Const(_)) => {
            fault(&rules::ALIAS, format!("the export is another name for `{shown}`"))
        }
        Some(Binding::Variable(Variable::Kind(kind))) => {
            variable(&name.name, name.span, kind, bindings.symbol(name), bindings)
        }
        Some(Binding::Variable(Variable::Pattern)) => {
            fault(&rules::DESTRUCTURED, format!("`{shown}` is bound by a pattern"))
        }
        Some(Binding::Function(it)) => {
            let contains = contains(bindings, |finder| {
                finder.visit_function(it, ScopeFlags::Function);
            });
            function(name.span, contains)
        }
        Some(Binding::Class) => Fault::plain(&rules::CLASS, name.span),
        None => fault(&rules::NOT_A_RESULT, format!("`{shown}` is not the result of a factory")),
    }
}

/// Says what is wrong with a variable that is no `const`.
pub(super) fn variable(
    name: &str,
    span: Span,
    kind: &str,
    symbol: Option<SymbolId>,
    bindings: &Bindings<'_, '_>,
) -> Fault {
    let shown = printable(name);
    if symbol.is_some_and(|symbol| bindings.scoping.symbol_is_mutated(symbol)) {
        let message = format!("`{shown}` is a `{kind}` that is assigned to again");
        Fault::new(&rules::REASSIGNED, span, message)
    } else {
        Fault::new(&rules::NOT_CONST, span, format!("`{shown}` is declared by `{kind}`"))
    }
}

/// Says what is wrong with a call of something else than the factory.
fn call(call: &CallExpression<'_>, bindings: &Bindings<'_, '_>) -> Fault {
    if call.optional {
        return optional(call, bindings, call.span);
    }
    match &call.callee {
        Expression::Identifier(name) => callee(name, call, bindings),
        Expression::StaticMemberExpression(member) => {
            if let Expression::Identifier(object) = &member.object
                && factory::named(&member.property.name).is_some()
                && let Some(import) = imported(object, bindings)
            {
                return import_fault(import, call.span, &member.property.name);
            }
            through(call, bindings)
        }
        Expression::ComputedMemberExpression(member) => {
            if let Expression::Identifier(object) = &member.object
                && let Some(Binding::Namespace(_)) = bindings.get(object)
            {
                return Fault::plain(&rules::COMPUTED_MEMBER, call.span);
            }
            through(call, bindings)
        }
        other => match inner(other) {
            Expression::ArrowFunctionExpression(_) | Expression::FunctionExpression(_) => {
                Fault::plain(&rules::IIFE, call.span)
            }
            Expression::SequenceExpression(_) => Fault::plain(&rules::SEQUENCE, call.span),
            inner if bindings.factory(inner).is_some() => {
                let message =
                    "the factory that is called stands in parentheses or has a type put on";
                Fault::new(&rules::NOT_A_FACTORY, call.span, message)
            }
            _ => through(call, bindings),
        },
    }
}

fn imported<'p>(name: &IdentifierReference<'_>, bindings: &Bindings<'p, '_>) -> Option<Import<'p>> {
    match bindings.get(name) {
        Some(Binding::Imported(import)) => Some(import),
        Some(_) => None,
        None => bindings.type_import(name),
    }
}

fn inner<'e, 'a>(callee: &'e Expression<'a>) -> &'e Expression<'a> {
    match peel(callee) {
        Expression::TSInstantiationExpression(it) => peel(&it.expression),
        other => other,
    }
}

/// A call by a plain name that is no factory.
fn callee(
    name: &IdentifierReference<'_>,
    call: &CallExpression<'_>,
    bindings: &Bindings<'_, '_>,
) -> Fault {
    let shown = printable(name.name.as_str());
    let known = factory::named(&name.name).is_some();
    match bindings.get(name) {
        Some(Binding::Imported(import)) => {
            if let Imported::Name(imported) = import.what
                && !known
                && factory::named(imported).is_none()
            {
                return through(call, bindings);
            }
            import_fault(import, call.span, &name.name)
        }
        None if known && bindings.is_global(name) => match bindings.type_import(name) {
            Some(import) => import_fault(import, call.span, &name.name),
            None => {
                Fault::new(&rules::NOT_IMPORTED, call.span, format!("`{shown}` is not imported"))
            }
        },
        _ if known => {
            let message = format!("`{shown}` is declared in the module, not imported");
            Fault::new(&rules::LOCAL_FACTORY, call.span, message)
        }
        _ => through(call, bindings),
    }
}

/// Says why an import does not bring the factory.
fn import_fault(import: Import<'_>, span: Span, called: &str) -> Fault {
    let module = printable(import.module);
    if import.type_only {
        let message = format!("`{}` is imported as a type, which is no value", printable(called));
        return Fault::new(&rules::TYPE_IMPORT, span, message);
    }
    match import.what {
        Imported::Default => {
            let message = format!("the factory is taken from the default export of `{module}`");
            Fault::new(&rules::DEFAULT_IMPORT, span, message)
        }
        Imported::Name(name)
            if factory::is_authoring(import.module) && factory::named(name).is_none() =>
        {
            let message = format!("`{}` of `{module}` is no factory", printable(name));
            Fault::new(&rules::NOT_A_FACTORY, span, message)
        }
        Imported::Name(_) | Imported::Namespace => {
            let message = format!("`{module}` is no module that the factory comes from");
            Fault::new(&rules::WRONG_MODULE, span, message)
        }
    }
}

fn optional(call: &CallExpression<'_>, bindings: &Bindings<'_, '_>, span: Span) -> Fault {
    let of_factory = contains(bindings, |finder| finder.visit_expression(&call.callee));
    let rule = if of_factory { &rules::OPTIONAL_CALL } else { &rules::NOT_A_RESULT };
    Fault::plain(rule, span)
}

/// A call of something else: does a result go through it?
fn through(call: &CallExpression<'_>, bindings: &Bindings<'_, '_>) -> Fault {
    let inside = contains(bindings, |finder| finder.visit_call_expression(call));
    Fault::plain(if inside { &rules::WRAPPED } else { &rules::NOT_A_FACTORY }, call.span)
}

/// Returns whether a part of the tree names the factory.
pub(super) fn contains(
    bindings: &Bindings<'_, '_>,
    visit: impl FnOnce(&mut Finder<'_, '_, '_>),
) -> bool {
    let mut finder = Finder { bindings, found: false };
    visit(&mut finder);
    finder.found
}

pub(super) struct Finder<'b, 'p, 'a> {
    bindings: &'b Bindings<'p, 'a>,
    found: bool,
}

impl<'v> Visit<'v> for Finder<'_, '_, '_> {
    fn enter_node(&mut self, kind: AstKind<'v>) {
        let factory = match kind {
            AstKind::IdentifierReference(name) => {
                matches!(self.bindings.get(name), Some(Binding::Factory(_)))
            }
            AstKind::StaticMemberExpression(member) => {
                let of_namespace = match &member.object {
                    Expression::Identifier(object) => self.bindings.get(object),
                    _ => None,
                };
                matches!(of_namespace, Some(Binding::Namespace(module))
                    if factory::factory(module, &member.property.name).is_some())
            }
            _ => false,
        };
        self.found |= factory;
    }
}
