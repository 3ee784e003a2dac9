//! Aho-Corasick automaton (1975): finds many byte strings in one pass. It is implemented here because its
//! strings are secrets: they are in one buffer, which is zeroed on drop, and its depth bounds the bytes that
//! a stream must hold back.

use std::collections::VecDeque;

use secrecy::zeroize::Zeroizing;

/// Root state: no prefix of a needle is matched.
const ROOT: u32 = 0;

/// Aho-Corasick automaton over a set of needles.
#[derive(Default)]
pub(crate) struct Automaton {
    /// For each state, the byte that leads to it.
    bytes: Zeroizing<Vec<u8>>,
    nodes: Vec<Node>,
    /// For each byte, the state that it leads to from the root.
    first: Zeroizing<Vec<u32>>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    /// First child state; 0 if the state has no child.
    child: u32,
    /// Next state with the same parent; 0 for the last.
    sibling: u32,
    /// Failure link: the state of the longest proper suffix of this state's string that is a prefix of a
    /// needle.
    fail: u32,
    /// Length of this state's string.
    depth: u32,
    /// Length of the longest suffix of the string that can still become a needle.
    open: u32,
    /// Length of the longest needle that ends here; 0 if none does.
    found: u32,
}

/// State of a search.
#[derive(Clone, Copy, Default)]
pub(crate) struct State(u32);

impl Automaton {
    /// Builds the automaton. No needle may be empty.
    pub(crate) fn new<'a>(needles: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let most = needles.clone().map(<[u8]>::len).sum::<usize>().saturating_add(1);
        let mut automaton = Self {
            // Allocated once: a vector that grows leaves copies of its bytes in freed memory.
            bytes: Zeroizing::new(Vec::with_capacity(most)),
            nodes: Vec::with_capacity(most),
            first: Zeroizing::new(vec![ROOT; 256]),
        };
        automaton.bytes.push(0);
        automaton.nodes.push(Node::default());
        for needle in needles {
            automaton.add(needle);
        }
        automaton.link();
        automaton
    }

    /// Returns the state after one more byte. Takes amortized constant time: each failure link undoes an
    /// earlier step.
    pub(crate) fn step(&self, state: State, byte: u8) -> State {
        let mut at = state.0;
        while at != ROOT {
            if let Some(next) = self.child(at, byte) {
                return State(next);
            }
            at = self.node(at).fail;
        }
        State(self.first.get(usize::from(byte)).copied().unwrap_or(ROOT))
    }

    /// Returns how many of the first bytes can be skipped, because no needle is open and none of them starts one.
    pub(crate) fn skippable(&self, state: State, bytes: &[u8]) -> usize {
        if state.0 != ROOT {
            return 0;
        }
        let starts = |byte: &u8| self.first.get(usize::from(*byte)).is_some_and(|first| *first != ROOT);
        bytes.iter().position(starts).unwrap_or(bytes.len())
    }

    /// Returns the number of last bytes that may be the start of a needle.
    pub(crate) fn open(&self, state: State) -> usize {
        self.node(state.0).open as usize
    }

    /// Returns the length of the longest needle that ends here; 0 if none does.
    pub(crate) fn match_length(&self, state: State) -> usize {
        self.node(state.0).found as usize
    }

    fn node(&self, at: u32) -> Node {
        self.nodes.get(at as usize).copied().unwrap_or_default()
    }

    fn child(&self, at: u32, byte: u8) -> Option<u32> {
        let mut child = self.node(at).child;
        while child != ROOT {
            if self.bytes.get(child as usize) == Some(&byte) {
                return Some(child);
            }
            child = self.node(child).sibling;
        }
        None
    }

    fn add(&mut self, needle: &[u8]) {
        let mut at = ROOT;
        for &byte in needle {
            at = match self.child(at, byte) {
                Some(next) => next,
                None => self.grow(at, byte),
            };
        }
        if let Some(node) = self.nodes.get_mut(at as usize) {
            node.found = node.depth;
        }
    }

    fn grow(&mut self, parent: u32, byte: u8) -> u32 {
        let Ok(next) = u32::try_from(self.nodes.len()) else { return ROOT };
        let (sibling, depth) = (self.node(parent).child, self.node(parent).depth.saturating_add(1));
        self.nodes.push(Node { sibling, depth, ..Node::default() });
        self.bytes.push(byte);
        if let Some(node) = self.nodes.get_mut(parent as usize) {
            node.child = next;
        }
        if let (ROOT, Some(place)) = (parent, self.first.get_mut(usize::from(byte))) {
            *place = next;
        }
        next
    }

    /// Sets the failure links in breadth-first order.
    fn link(&mut self) {
        let mut waiting = VecDeque::from([ROOT]);
        while let Some(at) = waiting.pop_front() {
            let fail = self.node(at).fail;
            let mut child = self.node(at).child;
            while child != ROOT {
                let byte = self.bytes.get(child as usize).copied().unwrap_or_default();
                let fail = if at == ROOT { ROOT } else { self.step(State(fail), byte).0 };
                let shorter = self.node(fail);
                if let Some(node) = self.nodes.get_mut(child as usize) {
                    node.fail = fail;
                    node.found = node.found.max(shorter.found);
                    node.open = if node.child == ROOT { shorter.open } else { node.depth };
                }
                waiting.push_back(child);
                child = self.node(child).sibling;
            }
        }
    }
}
