//! Which of the ways to call tools a run has chosen (RULES P5).

use windlass_protocol::ToolProtocol;

/// The ways that a run may take, and the one that it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtocolChoice {
    current: ToolProtocol,
    /// What is tried next, should the provider refuse the current one.
    left: Vec<ToolProtocol>,
}

impl ProtocolChoice {
    /// The first of these is taken; native calls if there are none.
    pub(crate) fn of(order: &[ToolProtocol]) -> Self {
        let (first, left) = order.split_first().unwrap_or((&ToolProtocol::Native, &[]));
        Self { current: *first, left: left.to_vec() }
    }

    pub(crate) fn current(&self) -> ToolProtocol {
        self.current
    }

    /// The model has answered: from now on the run stays with what it is on.
    pub(crate) fn lock(&mut self) {
        self.left.clear();
    }

    /// The provider refuses the current one. The next one, unless it is locked or none is left.
    pub(crate) fn refused(&mut self) -> Option<ToolProtocol> {
        if self.left.is_empty() {
            return None;
        }
        self.current = self.left.remove(0);
        Some(self.current)
    }

    /// What the record of a run says it is on. What comes after it in the configured order may still be tried.
    pub(crate) fn restore(&mut self, recorded: ToolProtocol) {
        if recorded == self.current {
            return;
        }
        let at = self.left.iter().position(|protocol| *protocol == recorded);
        self.left = match at {
            Some(at) => self.left.split_off(at.saturating_add(1)),
            None => Vec::new(),
        };
        self.current = recorded;
    }
}
