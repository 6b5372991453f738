//! Whether a value is a direct result, or an array of such.

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, CallExpression, Expression, ObjectPropertyKind,
};
use oxc_span::{GetSpan, Span};

use crate::ModuleKind;
use crate::rules;

use super::Fault;
use super::bindings::{Binding, Bindings};
use super::diagnose::diagnose;
use super::notes::Notes;

/// What an export holds.
#[derive(Clone, Copy)]
pub(super) enum Held {
    One,
    Array(usize),
}

/// Judges the value of an export; warnings about it go to `notes`.
pub(super) fn value(
    expression: &Expression<'_>,
    bindings: &Bindings<'_, '_>,
    notes: &mut Notes<'_>,
) -> Result<Held, Fault> {
    match peel(expression) {
        Expression::ArrayExpression(array) => match notes.kind() {
            ModuleKind::Capability => {
                let message = "an array is exported, and a capability is one result";
                Err(Fault::new(&rules::ONE_DEFAULT, array.span, message))
            }
            ModuleKind::Tool | ModuleKind::Worker => self::array(array, bindings, notes),
        },
        other => one(other, bindings, notes).map(|()| Held::One),
    }
}

/// Looks through what leaves no trace at run time: parentheses and the wrappers of TypeScript.
pub(super) fn peel<'e, 'a>(mut expression: &'e Expression<'a>) -> &'e Expression<'a> {
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(it) => &it.expression,
            Expression::TSAsExpression(it) => &it.expression,
            Expression::TSSatisfiesExpression(it) => &it.expression,
            Expression::TSTypeAssertion(it) => &it.expression,
            Expression::TSNonNullExpression(it) => &it.expression,
            other => return other,
        };
    }
}

/// Judges a value that must be a call of the factory.
fn one(
    expression: &Expression<'_>,
    bindings: &Bindings<'_, '_>,
    notes: &mut Notes<'_>,
) -> Result<(), Fault> {
    let Expression::CallExpression(call) = expression else {
        return Err(diagnose(expression, bindings));
    };
    let Some(factory) = bindings.called(call) else {
        return Err(diagnose(expression, bindings));
    };
    if factory.kind != notes.kind() {
        let message = format!(
            "`{}` makes a {}, and this is the module of a {}",
            factory.name,
            factory.kind.as_str(),
            notes.kind().as_str(),
        );
        return Err(Fault::new(&rules::WRONG_KIND, call.span, message));
    }
    argument(call, factory.name, notes)
}

/// Judges the arguments of a call of the factory: one, and better an object than anything else.
fn argument(call: &CallExpression<'_>, factory: &str, notes: &mut Notes<'_>) -> Result<(), Fault> {
    if let Some(spread) = call.arguments.iter().find(|argument| argument.is_spread()) {
        return Err(Fault::plain(&rules::SPREAD_ARGUMENT, spread.span()));
    }
    let [argument] = call.arguments.as_slice() else {
        let message = format!("`{factory}` is called with {} arguments", call.arguments.len());
        return Err(Fault::new(&rules::ARGUMENTS, call.span, message));
    };
    if let Some((span, message)) = argument.as_expression().and_then(unread) {
        notes.fault(Fault::new(&rules::DEFINITION_UNREAD, span, message));
    }
    Ok(())
}

/// Returns what keeps a definition from being read as it is written, and where.
fn unread(argument: &Expression<'_>) -> Option<(Span, &'static str)> {
    let Expression::ObjectExpression(object) = peel(argument) else {
        return Some((argument.span(), "the definition is not written in the call"));
    };
    object.properties.iter().find_map(|property| match property {
        ObjectPropertyKind::SpreadProperty(spread) => {
            Some((spread.span, "a part of the definition is spread into it"))
        }
        ObjectPropertyKind::ObjectProperty(property) if property.computed => {
            Some((property.span, "a key of the definition is computed"))
        }
        ObjectPropertyKind::ObjectProperty(property) => {
            let names_prototype = !property.shorthand
                && !property.method
                && property.key.is_specific_static_name("__proto__");
            names_prototype
                .then_some((property.span, "the definition inherits from another object"))
        }
    })
}

fn array(
    array: &ArrayExpression<'_>,
    bindings: &Bindings<'_, '_>,
    notes: &mut Notes<'_>,
) -> Result<Held, Fault> {
    if array.elements.is_empty() {
        return Err(Fault::plain(&rules::ARRAY_EMPTY, array.span));
    }
    for element in &array.elements {
        match element {
            ArrayExpressionElement::SpreadElement(spread) => {
                return Err(Fault::plain(&rules::ARRAY_SPREAD, spread.span));
            }
            ArrayExpressionElement::Elision(hole) => {
                return Err(Fault::plain(&rules::ARRAY_HOLE, hole.span));
            }
            other => {
                let value = other.as_expression().expect("spreads and holes are handled above");
                self::element(value, bindings, notes)?;
            }
        }
    }
    Ok(Held::Array(array.elements.len()))
}

/// Judges an element: a call of the factory, or a constant that is initialised by one.
fn element(
    value: &Expression<'_>,
    bindings: &Bindings<'_, '_>,
    notes: &mut Notes<'_>,
) -> Result<(), Fault> {
    let span = value.span();
    match peel(value) {
        Expression::ArrayExpression(_) => Err(Fault::plain(&rules::ARRAY_NESTED, span)),
        Expression::Identifier(name) => match bindings.get(name) {
            Some(Binding::Const(init)) => match peel(init) {
                Expression::ArrayExpression(_) => Err(Fault::plain(&rules::ARRAY_NESTED, span)),
                init => one(init, bindings, notes).map_err(|fault| in_array(fault, span)),
            },
            _ => Err(in_array(diagnose(value, bindings), span)),
        },
        other => one(other, bindings, notes).map_err(|fault| in_array(fault, span)),
    }
}

/// A fault of an element keeps its own code where the call itself is at fault, and is one of the
/// array where something else stands in it.
fn in_array(fault: Fault, span: Span) -> Fault {
    let own = [
        &rules::ARGUMENTS,
        &rules::DEFAULT_IMPORT,
        &rules::LOCAL_FACTORY,
        &rules::NOT_IMPORTED,
        &rules::OPTIONAL_CALL,
        &rules::SPREAD_ARGUMENT,
        &rules::TYPE_IMPORT,
        &rules::WRONG_KIND,
        &rules::WRONG_MODULE,
    ];
    if own.iter().any(|rule| rule.code == fault.rule.code) {
        return fault;
    }
    Fault::new(
        &rules::ARRAY_ELEMENT,
        span,
        format!("an element is no direct result: {}", fault.message),
    )
}
