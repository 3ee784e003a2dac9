//! Nodes with a meaning, by the names in the grammars' `node-types.json`.

use super::Grammar;
use super::Role::{Attribute, Block, Branch, Choice, Comment, Else, Fork, Import, Symbol, Wrapper};
use crate::symbol::Kind::{
    Class, Constant, Enum, Field, Function, Impl, Interface, Macro, Method, Module, Struct, Trait, Type,
    Union, Variable,
};

type Roles = &'static [(super::Role, &'static [&'static str])];

/// Defines a grammar, which is `None` without its feature.
macro_rules! grammar {
    ($name:ident, $feature:literal, $load:expr, $roles:expr) => {
        #[cfg(feature = $feature)]
        pub(crate) const $name: Option<&Grammar> = {
            static GRAMMAR: Grammar = Grammar::new(|| $load.into(), $roles);
            Some(&GRAMMAR)
        };
        #[cfg(not(feature = $feature))]
        pub(crate) const $name: Option<&Grammar> = None;
    };
}

grammar!(RUST, "rust", tree_sitter_rust::LANGUAGE, RUST_ROLES);
grammar!(PYTHON, "python", tree_sitter_python::LANGUAGE, PYTHON_ROLES);
grammar!(JAVASCRIPT, "javascript", tree_sitter_javascript::LANGUAGE, SCRIPT_ROLES);
grammar!(TYPESCRIPT, "typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, SCRIPT_ROLES);
grammar!(TSX, "typescript", tree_sitter_typescript::LANGUAGE_TSX, SCRIPT_ROLES);
grammar!(GO, "go", tree_sitter_go::LANGUAGE, GO_ROLES);
grammar!(JAVA, "java", tree_sitter_java::LANGUAGE, JAVA_ROLES);
grammar!(C, "c", tree_sitter_c::LANGUAGE, C_ROLES);
grammar!(BASH, "bash", tree_sitter_bash::LANGUAGE, BASH_ROLES);

#[cfg(feature = "rust")]
const RUST_ROLES: Roles = &[
    (Symbol(Function), &["function_item", "function_signature_item"]),
    (Symbol(Struct), &["struct_item"]),
    (Symbol(Enum), &["enum_item"]),
    (Symbol(Union), &["union_item"]),
    (Symbol(Trait), &["trait_item"]),
    (Symbol(Impl), &["impl_item"]),
    (Symbol(Type), &["type_item", "associated_type"]),
    (Symbol(Constant), &["const_item", "static_item"]),
    (Symbol(Macro), &["macro_definition"]),
    (Symbol(Module), &["mod_item"]),
    (Import, &["use_declaration", "extern_crate_declaration"]),
    (Comment, &["line_comment", "block_comment"]),
    (Attribute, &["attribute_item"]),
    (Fork, &["if_expression", "while_expression", "for_expression", "loop_expression"]),
    (Branch, &["match_arm", "&&", "||", "try_expression"]),
    (Choice, &["match_expression"]),
    (Block, &["closure_expression", "async_block", "unsafe_block"]),
    (Else, &["else_clause"]),
];

#[cfg(feature = "python")]
const PYTHON_ROLES: Roles = &[
    (Symbol(Function), &["function_definition"]),
    (Symbol(Class), &["class_definition"]),
    (Symbol(Type), &["type_alias_statement"]),
    (Symbol(Variable), &["assignment"]),
    (Import, &["import_statement", "import_from_statement", "future_import_statement"]),
    (Comment, &["comment"]),
    (Wrapper, &["decorated_definition"]),
    (Attribute, &["decorator"]),
    (Fork, &["if_statement", "while_statement", "for_statement", "except_clause", "conditional_expression"]),
    (Branch, &["elif_clause", "and", "or", "case_clause", "if_clause", "for_in_clause"]),
    (Choice, &["match_statement"]),
    (Block, &["try_statement", "with_statement", "lambda"]),
];

#[cfg(any(feature = "javascript", feature = "typescript"))]
const SCRIPT_ROLES: Roles = &[
    (Symbol(Function), &["function_declaration", "generator_function_declaration", "function_signature"]),
    (Symbol(Method), &["method_definition", "method_signature", "abstract_method_signature"]),
    (Symbol(Class), &["class_declaration", "abstract_class_declaration"]),
    (Symbol(Interface), &["interface_declaration"]),
    (Symbol(Enum), &["enum_declaration"]),
    (Symbol(Type), &["type_alias_declaration"]),
    (Symbol(Module), &["internal_module", "module"]),
    (Symbol(Field), &["field_definition", "public_field_definition"]),
    (Symbol(Variable), &["variable_declarator"]),
    (Import, &["import_statement"]),
    (Comment, &["comment", "html_comment", "hash_bang_line"]),
    (Wrapper, &["export_statement", "lexical_declaration", "variable_declaration", "ambient_declaration"]),
    (Attribute, &["decorator"]),
    (
        Fork,
        &[
            "if_statement",
            "while_statement",
            "do_statement",
            "for_statement",
            "for_in_statement",
            "catch_clause",
            "ternary_expression",
        ],
    ),
    (Branch, &["switch_case", "&&", "||", "??"]),
    (Block, &["switch_statement", "try_statement", "arrow_function", "function_expression"]),
    (Else, &["else_clause"]),
];

#[cfg(feature = "go")]
const GO_ROLES: Roles = &[
    (Symbol(Function), &["function_declaration"]),
    (Symbol(Method), &["method_declaration", "method_elem"]),
    (Symbol(Type), &["type_spec", "type_alias"]),
    (Symbol(Constant), &["const_spec"]),
    (Symbol(Variable), &["var_spec"]),
    (Import, &["import_spec"]),
    (Comment, &["comment"]),
    (Wrapper, &["type_declaration", "const_declaration", "var_declaration"]),
    (Fork, &["if_statement", "for_statement"]),
    (Branch, &["expression_case", "type_case", "communication_case", "&&", "||"]),
    (Block, &["expression_switch_statement", "type_switch_statement", "select_statement", "func_literal"]),
];

#[cfg(feature = "java")]
const JAVA_ROLES: Roles = &[
    (
        Symbol(Method),
        &[
            "method_declaration",
            "constructor_declaration",
            "compact_constructor_declaration",
            "annotation_type_element_declaration",
        ],
    ),
    (Symbol(Class), &["class_declaration", "record_declaration"]),
    (Symbol(Interface), &["interface_declaration", "annotation_type_declaration"]),
    (Symbol(Enum), &["enum_declaration"]),
    (Symbol(Field), &["variable_declarator"]),
    (Import, &["import_declaration"]),
    (Comment, &["line_comment", "block_comment"]),
    (Wrapper, &["field_declaration", "constant_declaration"]),
    (
        Fork,
        &[
            "if_statement",
            "while_statement",
            "do_statement",
            "for_statement",
            "enhanced_for_statement",
            "catch_clause",
            "ternary_expression",
        ],
    ),
    (Branch, &["switch_label", "&&", "||"]),
    (
        Block,
        &[
            "switch_expression",
            "try_statement",
            "try_with_resources_statement",
            "lambda_expression",
            "synchronized_statement",
        ],
    ),
];

#[cfg(feature = "c")]
const C_ROLES: Roles = &[
    (Symbol(Function), &["function_definition", "declaration"]),
    (Symbol(Struct), &["struct_specifier"]),
    (Symbol(Union), &["union_specifier"]),
    (Symbol(Enum), &["enum_specifier"]),
    (Symbol(Type), &["type_definition"]),
    (Symbol(Macro), &["preproc_function_def"]),
    (Symbol(Constant), &["preproc_def"]),
    (Import, &["preproc_include"]),
    (Comment, &["comment"]),
    (Fork, &["if_statement", "while_statement", "do_statement", "for_statement", "conditional_expression"]),
    (Branch, &["case_statement", "&&", "||"]),
    (Block, &["switch_statement"]),
    (Else, &["else_clause"]),
];

#[cfg(feature = "bash")]
const BASH_ROLES: Roles = &[
    (Symbol(Function), &["function_definition"]),
    (Symbol(Variable), &["variable_assignment"]),
    (Import, &["command"]),
    (Comment, &["comment"]),
    (Wrapper, &["declaration_command"]),
    (Fork, &["if_statement", "while_statement", "for_statement", "c_style_for_statement"]),
    (Branch, &["elif_clause", "case_item", "&&", "||"]),
    (Block, &["case_statement", "subshell"]),
];
