//! What a name stands for.

use oxc_ast::AstKind;
use oxc_ast::ast::{BindingPattern, Expression, IdentifierReference, PropertyKey};
use oxc_semantic::{Reference, Semantic, SymbolId};

/// How far up from a name its declaration is looked for: patterns nest.
const MAX_PATTERN_DEPTH: usize = 8;

/// Where the value of a name comes from.
pub(super) enum Origin<'a> {
    /// Nothing declares it: it is one of the environment.
    Global,
    /// A module, under its own name.
    Module(&'a str),
    /// Something that a module exports.
    Exported(&'a str, &'a str),
    /// An expression, whose value it has and keeps.
    Value(&'a Expression<'a>),
    /// Members of the value of an expression, outermost first.
    Member(&'a Expression<'a>, Vec<&'a PropertyKey<'a>>),
    /// A parameter, or something that changes.
    Unknown,
}

/// Returns where the value of a name comes from.
pub(super) fn origin<'a>(semantic: &Semantic<'a>, name: &IdentifierReference<'a>) -> Origin<'a> {
    let scoping = semantic.scoping();
    let reference = name.reference_id.get().map(|it| scoping.get_reference(it));
    let Some(symbol) = reference.and_then(Reference::symbol_id) else {
        return Origin::Global;
    };
    if scoping.symbol_is_mutated(symbol) || !scoping.symbol_redeclarations(symbol).is_empty() {
        return Origin::Unknown;
    }
    let nodes = semantic.nodes();
    let mut at = scoping.symbol_declaration(symbol);
    for _ in 0..MAX_PATTERN_DEPTH {
        let import = || match nodes.parent_kind(at) {
            AstKind::ImportDeclaration(import) => Some(import.source.value.as_str()),
            _ => None,
        };
        match nodes.kind(at) {
            AstKind::VariableDeclarator(declarator) => {
                let Some(init) = &declarator.init else { return Origin::Unknown };
                let mut path = Vec::new();
                return match path_to(&declarator.id, symbol, &mut path) {
                    true if path.is_empty() => Origin::Value(init),
                    true => Origin::Member(init, path),
                    false => Origin::Unknown,
                };
            }
            AstKind::ImportSpecifier(it) => {
                let exported = |module| Origin::Exported(module, it.imported.name().as_str());
                return import().map_or(Origin::Unknown, exported);
            }
            AstKind::ImportDefaultSpecifier(_) | AstKind::ImportNamespaceSpecifier(_) => {
                return import().map_or(Origin::Unknown, Origin::Module);
            }
            AstKind::Program(_) | AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => {
                return Origin::Unknown;
            }
            _ => at = nodes.parent_id(at),
        }
    }
    Origin::Unknown
}

/// Finds a name in a pattern of objects. Elements of arrays have no names to follow.
fn path_to<'a>(
    pattern: &'a BindingPattern<'a>,
    symbol: SymbolId,
    path: &mut Vec<&'a PropertyKey<'a>>,
) -> bool {
    match pattern {
        BindingPattern::BindingIdentifier(it) => it.symbol_id.get() == Some(symbol),
        BindingPattern::AssignmentPattern(it) => path_to(&it.left, symbol, path),
        BindingPattern::ObjectPattern(it) => it.properties.iter().any(|property| {
            path.push(&property.key);
            path.len() <= MAX_PATTERN_DEPTH && path_to(&property.value, symbol, path) || {
                path.pop();
                false
            }
        }),
        BindingPattern::ArrayPattern(_) => false,
    }
}
