//! Blocks that `#[toolset]` refuses.
#![allow(unused)]
use windlass_tool_args::{State, tool, toolset};

struct Store;

#[toolset]
impl Store {
    fn helper(&self) {}
}

#[toolset]
impl Clone for Store {
    fn clone(&self) -> Self {
        Self
    }
}

#[toolset(prefix = "store_")]
impl Store {}

// The errors of all methods are shown at once.
#[toolset]
impl Store {
    /// Changes the store.
    #[tool]
    fn change(&mut self) {}

    /// Takes the store.
    #[tool]
    fn take(self) {}

    #[tool]
    fn silent(&self) {}

    /// Has another state.
    #[tool]
    fn other(&self, store: State<Store>) {}

    /// Names its arguments.
    #[tool(arguments = Named)]
    fn named(&self, text: String) {}

    /// Borrows.
    #[tool(read_only)]
    fn borrow(&self, text: &str) {}

    /// Is misspelt.
    #[tool(readonly)]
    fn misspelt(&self) {}

    /// Has a path.
    #[tool(crate = "windlass::tool")]
    fn path(&self) {}

    /// Is the first of its name.
    #[tool]
    fn twice(&self) {}

    /// Is the second of its name.
    #[tool(name = "twice")]
    fn again(&self) {}
}

fn main() {}
