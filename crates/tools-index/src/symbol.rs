//! A named thing in a file.

use serde::Deserialize;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// A function that belongs to nothing else.
    Function,
    /// A function of a class, a type, an interface.
    Method,
    /// A class or a record.
    Class,
    /// A structure.
    Struct,
    /// An enumeration.
    Enum,
    /// A union.
    Union,
    /// A trait.
    Trait,
    /// An interface.
    Interface,
    /// What is implemented for a type.
    Impl,
    /// A name for a type.
    Type,
    /// A constant.
    Constant,
    /// A variable outside of functions.
    Variable,
    /// A field of a class.
    Field,
    /// A macro.
    Macro,
    /// A module or namespace.
    Module,
}

impl Kind {
    /// The kind in one word, as arguments and results name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Union => "union",
            Self::Trait => "trait",
            Self::Interface => "interface",
            Self::Impl => "impl",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Macro => "macro",
            Self::Module => "module",
        }
    }

    pub(crate) fn runs(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether functions inside are its methods.
    pub(crate) fn has_methods(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Enum
                | Self::Union
                | Self::Trait
                | Self::Interface
                | Self::Impl
        )
    }
}

/// A named thing in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// What it is.
    pub kind: Kind,
    /// Its own name.
    pub name: String,
    /// The name of what it belongs to.
    pub container: Option<String>,
    /// The line of its documentation's begin, or its own, counted from 1.
    pub start: usize,
    /// Its first line.
    pub first: usize,
    /// Its last line.
    pub last: usize,
    /// How it is declared, without its body, on one line.
    pub signature: String,
    /// What is written about it.
    pub doc: Option<String>,
    /// Of a function: the number of ways through it.
    pub complexity: u32,
    /// Of a function: how deep its blocks lie in each other.
    pub nesting: u32,
}

impl Symbol {
    /// The name with that of what it belongs to.
    pub fn full_name(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}::{}", self.name),
            None => self.name.clone(),
        }
    }
}
