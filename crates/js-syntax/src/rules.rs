//! The one table of rules for the shape of modules.

use crate::ModuleKind;

/// What breaking a rule means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// The module is not loaded.
    Refused,
    /// The module has the right shape; this is worth knowing.
    Warning,
}

impl Class {
    /// Returns the word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Warning => "warning",
        }
    }
}

/// A rule for the shape of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, e.g. `shape/function`.
    pub code: &'static str,
    /// What breaking it means.
    pub class: Class,
    /// When it is broken, a lower-case fragment.
    pub meaning: &'static str,
    /// What to write instead; `FACTORY` and `MODULE` stand for the factory of the module's kind and
    /// the authoring module that it comes from.
    pub remedy: &'static str,
}

impl Rule {
    pub(crate) fn remedy_for(&self, kind: ModuleKind) -> String {
        let factory = kind.factory();
        self.remedy.replace("FACTORY", factory.name).replace("MODULE", factory.modules[0])
    }
}

macro_rules! rules {
    ($($name:ident $code:literal $class:ident $meaning:literal $remedy:literal;)+) => {
        $(pub(crate) static $name: Rule =
            Rule { code: $code, class: Class::$class, meaning: $meaning, remedy: $remedy };)+

        /// Every rule, by name.
        pub const RULES: &[Rule] = &[
            $(Rule { code: $code, class: Class::$class, meaning: $meaning, remedy: $remedy },)+
        ];
    };
}

rules! {
    ALIAS "shape/alias" Refused "the export is another name for a result" "export the constant itself: `export { a as b }`";
    ARGUMENTS "shape/arguments" Refused "the factory is not called with exactly one argument" "give the factory one object: `FACTORY({ … })`";
    ARRAY_ELEMENT "shape/array-element" Refused "an element of the array is no direct result" "put only calls of `FACTORY`, or constants made by one, into the array";
    ARRAY_EMPTY "shape/array-empty" Refused "the array has no element" "put at least one `FACTORY({ … })` into the array, or drop the export";
    ARRAY_HOLE "shape/array-hole" Refused "the array has a hole" "remove the extra comma";
    ARRAY_NESTED "shape/array-nested" Refused "the array holds another array" "put the results into one flat array";
    ARRAY_SPREAD "shape/array-spread" Refused "the array spreads something else into itself" "name each result in the array";
    ASSIGNMENT "shape/assignment" Refused "the export is the value of an assignment" "initialise the constant by the call alone: `export const x = FACTORY({ … })`";
    AWAITED "shape/awaited" Refused "the export is an awaited value" "drop `await`: `FACTORY` returns its result at once";
    BARE_FACTORY "shape/bare-factory" Refused "the export is the factory itself" "call it: `export const x = FACTORY({ … })`";
    CLASS "shape/class" Refused "the export is a class" "export the call's result: `export const x = FACTORY({ … })`";
    COMMONJS "shape/commonjs" Refused "the module exports by CommonJS" "write `export const x = FACTORY({ … })` instead of `module.exports`";
    COMPUTED_IMPORT "shape/computed-import" Refused "a dynamic import has a computed name" "import a fixed name: `import('./part.mjs')`";
    COMPUTED_MEMBER "shape/computed-member" Refused "the factory is looked up by a computed name" "import it by name: `import { FACTORY } from 'MODULE'`";
    CONDITIONAL "shape/conditional" Refused "which value is exported is decided at run time" "export one result, and decide inside the function that it runs";
    DEBUGGER "shape/debugger" Warning "there is a `debugger` statement" "remove it";
    DEFAULT_IMPORT "shape/default-import" Refused "the factory is taken from a default import" "import it by name: `import { FACTORY } from 'MODULE'`";
    DEFINITION_UNREAD "shape/definition-unread" Warning "the definition cannot be read without loading the module" "write the object in the call: `FACTORY({ name: …, … })`";
    DESTRUCTURED "shape/destructured" Refused "the exported constant is bound by a pattern" "give each result a constant of its own: `export const x = FACTORY({ … })`";
    DYNAMIC_CODE "shape/dynamic-code" Refused "the module makes code from text" "write the code out: `eval` and `Function` are not there when it runs";
    DYNAMIC_IMPORT "shape/dynamic-import" Warning "a module is imported while running" "import it at the top, so that it is loaded with the module";
    ENUM "shape/enum" Refused "the export is an enum" "keep the enum to the module, or export a type";
    EXPORT_ASSIGNMENT "shape/export-assignment" Refused "the module exports by `export =`" "write `export default FACTORY({ … })`";
    EXPORT_STAR "shape/export-star" Refused "everything of another module is exported" "export the results that are made in this module, by name";
    FACTORY_REASSIGNED "shape/factory-reassigned" Refused "the imported factory is assigned to" "leave the import as it is";
    FUNCTION "shape/function" Refused "the export is a function that contains the call" "export the call's result: `export const x = FACTORY({ … })`";
    IIFE "shape/iife" Refused "the export is what a function returns that is called at once" "call the factory itself: `export const x = FACTORY({ … })`";
    LOCAL_FACTORY "shape/local-factory" Refused "the factory that is called is declared in the module" "import it, and call yours by another name: `import { FACTORY } from 'MODULE'`";
    LOOSE_STATEMENT "shape/loose-statement" Warning "a statement runs when the module is loaded" "move it into the function that needs it";
    NAMESPACE "shape/namespace" Refused "the export is a namespace" "export the constant itself, at the top level";
    NEW "shape/new" Refused "the export is made by `new`" "call the factory without `new`";
    NO_EXPORT "shape/no-export" Refused "the module exports no value" "export the call's result: `export default FACTORY({ … })`";
    NOT_A_FACTORY "shape/not-a-factory" Refused "what is called is no factory" "export the result of `FACTORY` itself";
    NOT_A_RESULT "shape/not-a-result" Refused "the export is not the result of a factory" "keep it to the module: every export is a result of `FACTORY`";
    NOT_CHECKED "shape/not-checked" Refused "the module could not be checked" "try again; if it stays so, report it with the module";
    NOT_CONST "shape/not-const" Refused "the exported variable is no `const`" "declare it by `const`";
    NOT_IMPORTED "shape/not-imported" Refused "the factory is not imported" "import it: `import { FACTORY } from 'MODULE'`";
    NOT_UTF8 "shape/not-utf8" Refused "the file is not UTF-8" "save it as UTF-8";
    NUL "shape/nul" Refused "the file holds a NUL character" "remove it, or write `\\0` in the text";
    OBJECT "shape/object" Refused "the export is an object" "export each result under its own name";
    ONE_DEFAULT "shape/one-default" Refused "a capability has exactly one export, the default one" "write `export default FACTORY({ … })` and nothing beside it";
    OPTIONAL_CALL "shape/optional-call" Refused "the factory is called optionally" "drop `?.`";
    RE_EXPORT "shape/re-export" Refused "the export comes from another module" "make the result in this module; export types by `export type`";
    REASSIGNED "shape/reassigned" Refused "the exported variable is assigned to again" "declare it by `const`, and leave it as it is";
    REQUIRE "shape/require" Refused "the module uses `require`" "use `import`";
    SEQUENCE "shape/sequence" Refused "a comma hides what is exported or called" "write the call alone: `FACTORY({ … })`";
    SIDE_EFFECT_IMPORT "shape/side-effect-import" Warning "a module is imported for what it does" "import what you need of it by name";
    SPREAD_ARGUMENT "shape/spread-argument" Refused "the factory's arguments are spread" "give the factory one object: `FACTORY({ … })`";
    SYNTAX "shape/syntax" Refused "the module cannot be parsed" "correct it at the place that is named";
    TAGGED_TEMPLATE "shape/tagged-template" Refused "the factory is used as a template's tag" "call it: `FACTORY({ … })`";
    TOO_DEEP "shape/too-deep" Refused "the module is nested too deeply" "nest less, or split the module";
    TOO_LARGE "shape/too-large" Refused "the module has more than 1 MiB" "split it, or keep data in files beside it";
    TOP_LEVEL_AWAIT "shape/top-level-await" Refused "the module waits while it is loaded" "move `await` into the function that runs";
    TYPE_IMPORT "shape/type-import" Refused "the factory is imported as a type" "drop `type`: `import { FACTORY } from 'MODULE'`";
    WRAPPED "shape/wrapped" Refused "the result goes through another call" "export the call's result as it is: `export const x = FACTORY({ … })`";
    WRONG_KIND "shape/wrong-kind" Refused "the result is of another kind than the package" "export results of `FACTORY` alone, and put the other into a package of its own kind";
    WRONG_MODULE "shape/wrong-module" Refused "the factory is imported from another module" "import it from where it is made: `import { FACTORY } from 'MODULE'`";
}
