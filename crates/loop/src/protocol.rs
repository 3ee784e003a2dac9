//! The choice of the protocol in which calls reach the model (RULES P5).

use windlass_protocol::ToolProtocol;

/// The protocol in use, and the protocols that the run can still try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProtocolChoice {
    current: ToolProtocol,
    /// The protocols to try next if the provider refuses the present one.
    left: Vec<ToolProtocol>,
}

impl ProtocolChoice {
    /// Creates a choice that starts with the first protocol of the list, or with native calls if the list is
    /// empty.
    pub(crate) fn of(order: &[ToolProtocol]) -> Self {
        let (first, left) = order.split_first().unwrap_or((&ToolProtocol::Native, &[]));
        Self { current: *first, left: left.to_vec() }
    }

    pub(crate) fn current(&self) -> ToolProtocol {
        self.current
    }

    /// Ends the choice after the first answer of the model: the run keeps its protocol.
    pub(crate) fn lock(&mut self) {
        self.left.clear();
    }

    /// Selects the next protocol after a refusal and returns it; `None` if the choice is locked or the list
    /// is used up.
    pub(crate) fn try_next(&mut self) -> Option<ToolProtocol> {
        if self.left.is_empty() {
            return None;
        }
        self.current = self.left.remove(0);
        Some(self.current)
    }

    /// Restores the recorded protocol. The protocols after it in the configured order can still be tried.
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
