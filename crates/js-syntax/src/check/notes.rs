//! Collects what is found.

use crate::place::Lines;
use crate::rules::{Class, Rule};
use crate::{Export, ModuleKind, Problem, Shape};

use super::Fault;

pub(super) struct Notes<'a> {
    lines: &'a Lines<'a>,
    kind: ModuleKind,
    shape: Shape,
}

impl<'a> Notes<'a> {
    pub(super) fn new(lines: &'a Lines<'a>, kind: ModuleKind) -> Self {
        Self { lines, kind, shape: Shape::default() }
    }

    pub(super) fn kind(&self) -> ModuleKind {
        self.kind
    }

    pub(super) fn at(&mut self, rule: &Rule, offset: usize, message: impl Into<String>) {
        let (line, column) = self.lines.place(offset);
        let remedy = rule.remedy_for(self.kind);
        let problem = Problem { line, column, code: rule.code, message: message.into(), remedy };
        match rule.class {
            Class::Refused => self.shape.problems.push(problem),
            Class::Warning => self.shape.warnings.push(problem),
        }
    }

    pub(super) fn fault(&mut self, fault: Fault) {
        self.at(fault.rule, fault.span.start as usize, fault.message);
    }

    pub(super) fn export(&mut self, name: &str, offset: usize, array_length: Option<usize>) {
        let (line, column) = self.lines.place(offset);
        self.shape.exports.push(Export { name: name.to_owned(), array_length, line, column });
    }

    pub(super) fn tells(&self, rule: &Rule) -> bool {
        self.shape.problems.iter().any(|problem| problem.code == rule.code)
    }

    pub(super) fn is_refused(&self) -> bool {
        !self.shape.problems.is_empty()
    }

    /// The same thing may be met twice, where a constant is exported twice.
    pub(super) fn into_shape(mut self) -> Shape {
        for problems in [&mut self.shape.problems, &mut self.shape.warnings] {
            problems.sort();
            problems.dedup();
        }
        self.shape.exports.sort_by_key(|export| (export.line, export.column));
        self.shape
    }
}
