//! What the nodes of each grammar mean.

mod tables;

use std::fmt;
use std::sync::OnceLock;

use crate::symbol::Kind;

pub(crate) use self::tables::{BASH, C, GO, JAVA, JAVASCRIPT, PYTHON, RUST, TSX, TYPESCRIPT};

/// What a node means. Nodes that mean nothing are passed through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Declares something; the kind may be refined by what is inside and around.
    Symbol(Kind),
    Import,
    Comment,
    /// Stands around a declaration and belongs to it: what is written before is about what is inside.
    Wrapper,
    /// Stands between the documentation and the declaration.
    Attribute,
    /// One way more through the function, and what is inside lies deeper.
    Fork,
    /// One way more, not deeper.
    Branch,
    /// One way fewer: the arms inside are counted one by one, and the last of them is no choice.
    Choice,
    /// What is inside lies deeper.
    Block,
    /// The other half of a fork; a fork right inside goes on with it.
    Else,
}

/// A grammar, and what its nodes mean by their names.
pub(crate) struct Grammar {
    load: fn() -> tree_sitter::Language,
    roles: &'static [(Role, &'static [&'static str])],
    ready: OnceLock<Ready>,
}

/// A grammar in memory.
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
