//! Named declarations in a file.

use serde::Deserialize;

/// Kind of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Kind {
    /// A function outside of any type.
    Function,
    /// A function of a class, a type or an interface.
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
    /// An implementation block of a type.
    Impl,
    /// A type alias.
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
    /// Returns the kind as arguments and results name it.
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

    /// Returns true if functions inside of this kind are methods.
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

/// A named declaration in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// Kind of the symbol.
    pub kind: Kind,
    /// Name without its container.
    pub name: String,
    /// Name of the enclosing symbol.
    pub container: Option<String>,
    /// First line of the documentation if it precedes the symbol, otherwise of the symbol; counted from 1.
    pub start: usize,
    /// First line of the declaration.
    pub first: usize,
    /// Last line of the declaration.
    pub last: usize,
    /// Declaration without its body, on one line.
    pub signature: String,
    /// Documentation.
    pub doc: Option<String>,
    /// Cyclomatic complexity of a function; 0 for other symbols.
    pub complexity: u32,
    /// Maximum nesting of blocks in a function.
    pub nesting: u32,
}

impl Symbol {
    /// Returns the name with its container: `container::name`.
    pub fn full_name(&self) -> String {
        match &self.container {
            Some(container) => format!("{container}::{}", self.name),
            None => self.name.clone(),
        }
    }
}
