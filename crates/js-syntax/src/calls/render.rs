//! An expression as one line of text.

use std::borrow::Cow;

use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, ArrayExpressionElement, BinaryOperator, CallExpression, Expression, ImportExpression,
    NewExpression, ObjectPropertyKind, PropertyKey,
};
use oxc_semantic::Semantic;

use super::MAX_CALL_BYTES;
use super::names::{Origin, origin};

/// How deep names and texts are followed. Who nests deeper is shown by what is left unread.
const MAX_FOLLOWED: usize = 24;

/// How many expressions are looked at for one call: constants that use one another twice double the
/// work with every step.
const MAX_STEPS: usize = 5_000;

/// How many are looked at for one module: a second of work.
const MAX_ALL_STEPS: usize = 20_000_000;

/// How many terms of a sum are told apart.
const MAX_TERMS: usize = 256;

/// What stands for what is not followed.
const MORE: char = '…';

/// The objects that hold the names of the environment.
const GLOBAL_OBJECTS: &[&str] = &["globalThis", "global", "self", "window"];

pub(super) struct Renderer<'s, 'a> {
    semantic: &'s Semantic<'a>,
    depth: usize,
    steps: usize,
    all_steps: usize,
    out: String,
}

impl<'s, 'a> Renderer<'s, 'a> {
    pub(super) fn new(semantic: &'s Semantic<'a>) -> Self {
        Self { semantic, depth: 0, steps: 0, all_steps: 0, out: String::new() }
    }

    pub(super) fn semantic(&self) -> &'s Semantic<'a> {
        self.semantic
    }

    /// Tells whether there was so much to follow that the rest is left alone.
    pub(super) fn is_spent(&self) -> bool {
        self.all_steps > MAX_ALL_STEPS
    }

    /// Goes one level down; `false` if that is too deep, or there were too many steps.
    pub(super) fn descend(&mut self) -> bool {
        self.steps += 1;
        self.all_steps += 1;
        let goes = self.depth < MAX_FOLLOWED && self.steps < MAX_STEPS;
        self.depth += usize::from(goes);
        goes
    }

    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Returns a call as text. What loads a module by a fixed name is no call to tell.
    pub(super) fn call(&mut self, kind: AstKind<'a>) -> Option<String> {
        self.steps = 0;
        self.out.clear();
        match kind {
            AstKind::CallExpression(call) => {
                if self.required(call).is_some() {
                    return None;
                }
                self.out.clear();
                self.callee_and_arguments(call);
            }
            AstKind::NewExpression(it) => self.instance(it),
            AstKind::ImportExpression(it) => {
                if self.constant(&it.source).is_some() {
                    return None;
                }
                self.imported(it);
            }
            AstKind::TaggedTemplateExpression(it) => {
                self.expression(&it.tag);
                self.out.push('(');
                for quasi in &it.quasi.quasis {
                    self.out.push_str(&quasi.value.raw);
                }
                self.out.push(')');
            }
            _ => return None,
        }
        let mut text = std::mem::take(&mut self.out).replace(['\n', '\r'], " ");
        if text.len() > MAX_CALL_BYTES {
            text.truncate(text.floor_char_boundary(MAX_CALL_BYTES));
        }
        Some(text)
    }

    fn expression(&mut self, expression: &'a Expression<'a>) {
        if self.out.len() > MAX_CALL_BYTES || !self.descend() {
            self.out.push(MORE);
            return;
        }
        match self.constant(expression) {
            Some(text) if !matches!(expression, Expression::NumericLiteral(_)) => {
                self.out.push('"');
                self.out.push_str(&text);
                self.out.push('"');
            }
            _ => self.no_constant(expression.get_inner_expression()),
        }
        self.ascend();
    }

    fn no_constant(&mut self, expression: &'a Expression<'a>) {
        match expression {
            Expression::Identifier(name) => match origin(self.semantic, name) {
                Origin::Global | Origin::Unknown => self.out.push_str(&name.name),
                Origin::Module(module) => self.module(module),
                Origin::Exported(module, exported) => {
                    self.module(module);
                    self.member(exported);
                }
                Origin::Value(value) => self.expression(value),
                Origin::Member(value, keys) => {
                    self.expression(value);
                    for key in keys {
                        self.key(key);
                    }
                }
            },
            Expression::StaticMemberExpression(it) => {
                self.object(&it.object);
                self.member(&it.property.name);
            }
            Expression::ComputedMemberExpression(it) => {
                self.object(&it.object);
                match self.constant(&it.expression) {
                    Some(name) => self.member(&name),
                    None => {
                        self.out.push('[');
                        self.expression(&it.expression);
                        self.out.push(']');
                    }
                }
            }
            Expression::CallExpression(call) => match self.required(call) {
                Some(module) => self.module(&module),
                None => self.callee_and_arguments(call),
            },
            Expression::ImportExpression(it) => match self.constant(&it.source) {
                Some(module) => self.module(&module),
                None => self.imported(it),
            },
            Expression::NewExpression(it) => self.instance(it),
            Expression::AwaitExpression(it) => self.expression(&it.argument),
            Expression::ChainExpression(it) => match it.expression.as_member_expression() {
                Some(_) => self.out.push(MORE),
                None => {
                    if let oxc_ast::ast::ChainElement::CallExpression(call) = &it.expression {
                        self.callee_and_arguments(call);
                    }
                }
            },
            Expression::SequenceExpression(it) => match it.expressions.last() {
                Some(last) => self.expression(last),
                None => self.out.push(MORE),
            },
            Expression::AssignmentExpression(it) => self.expression(&it.right),
            Expression::BinaryExpression(it) if it.operator == BinaryOperator::Addition => {
                self.sum(expression);
            }
            Expression::LogicalExpression(it) => {
                self.expression(&it.left);
                self.out.push_str(" || ");
                self.expression(&it.right);
            }
            Expression::ConditionalExpression(it) => {
                self.expression(&it.consequent);
                self.out.push_str(" : ");
                self.expression(&it.alternate);
            }
            Expression::TemplateLiteral(it) => {
                self.out.push('"');
                let mut holes = it.expressions.iter();
                for quasi in &it.quasis {
                    self.out.push_str(&quasi.value.raw);
                    let Some(hole) = holes.next() else { continue };
                    if let Some(text) = self.constant(hole) {
                        self.out.push_str(&text);
                        continue;
                    }
                    self.out.push_str("${");
                    self.expression(hole);
                    self.out.push('}');
                }
                self.out.push('"');
            }
            Expression::ArrayExpression(it) => {
                self.out.push('[');
                for (at, element) in it.elements.iter().enumerate() {
                    self.comma(at);
                    match element {
                        ArrayExpressionElement::SpreadElement(it) => self.expression(&it.argument),
                        ArrayExpressionElement::Elision(_) => {}
                        other => {
                            if let Some(element) = other.as_expression() {
                                self.expression(element);
                            }
                        }
                    }
                }
                self.out.push(']');
            }
            Expression::ObjectExpression(it) => {
                self.out.push('{');
                for (at, property) in it.properties.iter().enumerate() {
                    self.comma(at);
                    match property {
                        ObjectPropertyKind::ObjectProperty(it) => {
                            self.out.push_str(&it.key.static_name().unwrap_or(Cow::Borrowed("…")));
                            self.out.push_str(": ");
                            self.expression(&it.value);
                        }
                        ObjectPropertyKind::SpreadProperty(it) => self.expression(&it.argument),
                    }
                }
                self.out.push('}');
            }
            Expression::NumericLiteral(it) => self.out.push_str(&it.value.to_string()),
            Expression::BooleanLiteral(it) => {
                self.out.push_str(if it.value { "true" } else { "false" });
            }
            Expression::ThisExpression(_) => self.out.push_str("this"),
            _ => self.out.push(MORE),
        }
    }

    /// A sum is read from the left: constant texts that follow one another are one text.
    fn sum(&mut self, sum: &'a Expression<'a>) {
        let mut terms = Vec::new();
        let mut left = sum;
        while let Expression::BinaryExpression(it) = left.get_inner_expression()
            && it.operator == BinaryOperator::Addition
            && terms.len() < MAX_TERMS
        {
            terms.push(&it.right);
            left = &it.left;
        }
        terms.push(left);
        let mut text = String::new();
        for (at, term) in terms.into_iter().rev().enumerate() {
            if let Some(constant) = self.constant(term) {
                text.push_str(&constant);
                continue;
            }
            self.text_of_sum(&mut text);
            if at > 0 {
                self.out.push_str(" + ");
            }
            self.expression(term);
            text.clear();
        }
        self.text_of_sum(&mut text);
    }

    fn text_of_sum(&mut self, text: &mut String) {
        if text.is_empty() {
            return;
        }
        if !self.out.ends_with(['(', '[', ' ']) && !self.out.is_empty() {
            self.out.push_str(" + ");
        }
        self.out.push('"');
        self.out.push_str(text);
        self.out.push('"');
        text.clear();
    }

    /// What stands before a dot; nothing for the object that holds the environment.
    fn object(&mut self, object: &'a Expression<'a>) {
        if let Expression::Identifier(name) = object
            && GLOBAL_OBJECTS.contains(&name.name.as_str())
            && matches!(origin(self.semantic, name), Origin::Global)
        {
            return;
        }
        self.expression(object);
    }

    fn member(&mut self, name: &str) {
        // What a module exports by default is the module, for those that were made for `require`.
        if name == "default" {
            return;
        }
        if !self.out.is_empty() && self.out.ends_with(|c: char| !"([{ ,".contains(c)) {
            self.out.push('.');
        }
        self.out.push_str(name);
    }

    fn key(&mut self, key: &'a PropertyKey<'a>) {
        let name = match key.static_name() {
            Some(name) => Some(name.into_owned()),
            None => key.as_expression().and_then(|key| self.constant(key)),
        };
        match name {
            Some(name) => self.member(&name),
            None => self.out.push_str("[…]"),
        }
    }

    fn module(&mut self, module: &str) {
        let name = module.strip_prefix("node:").unwrap_or(module);
        self.out.push_str(match name {
            "fs/promises" => "fs.promises",
            other => other,
        });
    }

    /// Returns the module that `require` loads.
    fn required(&mut self, call: &'a CallExpression<'a>) -> Option<String> {
        let argument = call.arguments.first()?.as_expression()?;
        let is_require = match call.callee.get_inner_expression() {
            Expression::Identifier(name) => {
                name.name == "require" && matches!(origin(self.semantic, name), Origin::Global)
            }
            Expression::StaticMemberExpression(it) => it.property.name == "require",
            _ => false,
        };
        is_require.then(|| self.constant(argument))?
    }

    fn callee_and_arguments(&mut self, call: &'a CallExpression<'a>) {
        self.callee(&call.callee);
        self.arguments(&call.arguments);
    }

    /// A function that another makes of it is the same function to call.
    fn callee(&mut self, callee: &'a Expression<'a>) {
        let start = self.out.len();
        self.expression(callee);
        for maker in ["util.promisify(", "promisify("] {
            if self.out[start..].starts_with(maker) && self.out.ends_with(')') {
                self.out.pop();
                self.out.replace_range(start..start + maker.len(), "");
            }
        }
    }

    fn instance(&mut self, it: &'a NewExpression<'a>) {
        self.out.push_str("new ");
        self.callee(&it.callee);
        self.arguments(&it.arguments);
    }

    fn imported(&mut self, it: &'a ImportExpression<'a>) {
        self.out.push_str("import(");
        self.expression(&it.source);
        self.out.push(')');
    }

    fn arguments(&mut self, arguments: &'a [Argument<'a>]) {
        self.out.push('(');
        for (at, argument) in arguments.iter().enumerate() {
            self.comma(at);
            match argument {
                Argument::SpreadElement(it) => self.expression(&it.argument),
                other => {
                    if let Some(argument) = other.as_expression() {
                        self.expression(argument);
                    }
                }
            }
        }
        self.out.push(')');
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.out.push_str(", ");
        }
    }
}
