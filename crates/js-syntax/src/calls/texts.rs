//! Constant texts, put together from their pieces as the engine would.

use oxc_ast::ast::{Argument, ArrayExpressionElement, BinaryOperator, CallExpression, Expression};

use super::MAX_CALL_BYTES;
use super::names::{Origin, origin};
use super::render::Renderer;

/// At most this many elements of a list are put together.
const MAX_ELEMENTS: usize = 4_096;

impl<'a> Renderer<'_, 'a> {
    /// Returns the text that an expression always has, where it has one.
    pub(super) fn constant(&mut self, expression: &'a Expression<'a>) -> Option<String> {
        if !self.descend() {
            return None;
        }
        let text = self.constant_below(expression);
        self.ascend();
        text.filter(|text| text.len() <= MAX_CALL_BYTES)
    }

    fn constant_below(&mut self, expression: &'a Expression<'a>) -> Option<String> {
        match expression.get_inner_expression() {
            Expression::StringLiteral(it) => Some(it.value.to_string()),
            Expression::NumericLiteral(it) => Some(it.value.to_string()),
            Expression::TemplateLiteral(it) => {
                let mut text = String::new();
                let mut holes = it.expressions.iter();
                for quasi in &it.quasis {
                    text.push_str(quasi.value.cooked.as_ref()?.as_str());
                    if let Some(hole) = holes.next() {
                        text.push_str(&self.constant(hole)?);
                    }
                }
                Some(text)
            }
            Expression::BinaryExpression(it) if it.operator == BinaryOperator::Addition => {
                // The sum of two numbers is no text.
                let numbers = |side: &Expression<'_>| matches!(side, Expression::NumericLiteral(_));
                if numbers(&it.left) && numbers(&it.right) {
                    return None;
                }
                Some(self.constant(&it.left)? + &self.constant(&it.right)?)
            }
            Expression::Identifier(name) => match origin(self.semantic(), name) {
                Origin::Value(value) => self.constant(value),
                _ => None,
            },
            Expression::CallExpression(call) => self.called(call),
            _ => None,
        }
    }

    /// The methods by which texts are taken apart and put together.
    fn called(&mut self, call: &'a CallExpression<'a>) -> Option<String> {
        let Expression::StaticMemberExpression(member) = &call.callee else { return None };
        let object = &member.object;
        match (member.property.name.as_str(), call.arguments.as_slice()) {
            ("join", [glue]) => {
                let glue = self.constant(glue.as_expression()?)?;
                Some(self.list(object)?.join(&glue))
            }
            ("concat", more) => {
                let mut text = self.constant(object)?;
                for argument in more {
                    text.push_str(&self.constant(argument.as_expression()?)?);
                }
                Some(text)
            }
            ("toString" | "trim" | "valueOf", []) => self.constant(object),
            ("toLowerCase", []) => Some(self.constant(object)?.to_lowercase()),
            ("fromCharCode" | "fromCodePoint", numbers) => {
                let is_string = matches!(object, Expression::Identifier(it) if it.name == "String");
                is_string.then(|| numbers.iter().map(code_point).collect::<Option<String>>())?
            }
            _ => None,
        }
    }

    fn list(&mut self, expression: &'a Expression<'a>) -> Option<Vec<String>> {
        if !self.descend() {
            return None;
        }
        let list = self.list_below(expression);
        self.ascend();
        list.filter(|list| list.len() <= MAX_ELEMENTS)
    }

    fn list_below(&mut self, expression: &'a Expression<'a>) -> Option<Vec<String>> {
        match expression.get_inner_expression() {
            Expression::ArrayExpression(it) => it
                .elements
                .iter()
                .map(|element| match element {
                    ArrayExpressionElement::SpreadElement(_)
                    | ArrayExpressionElement::Elision(_) => None,
                    other => self.constant(other.as_expression()?),
                })
                .collect(),
            Expression::Identifier(name) => match origin(self.semantic(), name) {
                Origin::Value(value) => self.list(value),
                _ => None,
            },
            Expression::CallExpression(call) => {
                let Expression::StaticMemberExpression(member) = &call.callee else { return None };
                match (member.property.name.as_str(), call.arguments.as_slice()) {
                    ("reverse", []) => {
                        let mut list = self.list(&member.object)?;
                        list.reverse();
                        Some(list)
                    }
                    ("split", [glue]) => {
                        let glue = self.constant(glue.as_expression()?)?;
                        let text = self.constant(&member.object)?;
                        Some(match glue.is_empty() {
                            true => text.chars().map(String::from).collect(),
                            false => text.split(&glue).map(str::to_owned).collect(),
                        })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn code_point(argument: &Argument<'_>) -> Option<char> {
    let Argument::NumericLiteral(number) = argument else { return None };
    let whole = number.value >= 0.0 && number.value.fract() == 0.0;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let value = (whole && number.value < f64::from(0x0011_0000)).then_some(number.value as u32);
    char::from_u32(value?)
}
