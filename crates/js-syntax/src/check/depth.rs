//! How deep the syntax tree is, exactly.

use oxc_ast::AstKind;
use oxc_ast::ast::Program;
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

/// Returns where the first node lies that is deeper in the tree than `limit`.
pub(crate) fn deeper_than(limit: usize, program: &Program<'_>) -> Option<Span> {
    let mut depth = Depth { now: 0, limit, deeper: None };
    depth.visit_program(program);
    depth.deeper
}

struct Depth {
    now: usize,
    limit: usize,
    deeper: Option<Span>,
}

impl<'a> Visit<'a> for Depth {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        self.now += 1;
        if self.now > self.limit && self.deeper.is_none() {
            self.deeper = Some(kind.span());
        }
    }

    fn leave_node(&mut self, _kind: AstKind<'a>) {
        self.now -= 1;
    }
}
