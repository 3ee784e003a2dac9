//! Meaning of the nodes of each grammar.

mod tables;

use std::fmt;
use std::sync::OnceLock;

use crate::symbol::Kind;

pub(crate) use self::tables::{BASH, C, GO, JAVA, JAVASCRIPT, PYTHON, RUST, TSX, TYPESCRIPT};

/// Meaning of a node. Nodes without a meaning are ignored, but their children are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A declaration. Its context may refine the kind.
    Symbol(Kind),
    Import,
    Comment,
    /// Encloses a declaration, so that comments before it belong to that declaration.
    Wrapper,
    /// Can be between the documentation and the declaration.
    Attribute,
    /// Adds one to the complexity and nests its content.
    Fork,
    /// Adds one to the complexity without nesting.
    Branch,
    /// Subtracts one from the complexity: its arms are counted separately, and the last one is not a
    /// decision.
    Choice,
    /// Nests its content.
    Block,
    /// Alternative of a fork. A fork directly inside continues it, as in `else if`.
    Else,
}

/// A grammar with the meaning of its nodes, by node name.
pub(crate) struct Grammar {
    load: fn() -> tree_sitter::Language,
    roles: &'static [(Role, &'static [&'static str])],
    ready: OnceLock<Ready>,
}

/// A loaded grammar, with the meaning of its nodes by node id.
pub(crate) struct Ready {
    pub(crate) language: tree_sitter::Language,
    roles: Vec<Option<Role>>,
}

impl Grammar {
    const fn new(
        load: fn() -> tree_sitter::Language,
        roles: &'static [(Role, &'static [&'static str])],
    ) -> Self {
        Self { load, roles, ready: OnceLock::new() }
    }

    pub(crate) fn ready(&self) -> &Ready {
        self.ready.get_or_init(|| {
            let language = (self.load)();
            let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
            let role = |id| {
                let name = language.node_kind_for_id(id)?;
                self.roles.iter().find(|(_, names)| names.contains(&name)).map(|(role, _)| *role)
            };
            let roles = (0..count).map(role).collect();
            Ready { language, roles }
        })
    }
}

impl Ready {
    pub(crate) fn role(&self, id: u16) -> Option<Role> {
        self.roles.get(usize::from(id)).copied().flatten()
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grammar").finish_non_exhaustive()
    }
}
