//! Finds many byte strings at once, one byte at a time (Aho and Corasick, 1975). It is not a library's, because its
//! bytes are secrets: they lie in one place that is wiped, and its depth says how little a stream has to hold back.

use std::collections::VecDeque;

use secrecy::zeroize::Zeroizing;

/// The state in which nothing is open.
const ROOT: u32 = 0;

/// Finds many byte strings at once.
#[derive(Default)]
pub(crate) struct Automaton {
    /// The byte that leads to each state.
    bytes: Zeroizing<Vec<u8>>,
    nodes: Vec<Node>,
    /// Where each byte leads from the root.
    first: Zeroizing<Vec<u32>>,
}

#[derive(Clone, Copy, Default)]
struct Node {
    /// The first of the states that one more byte leads to; 0 is none.
    child: u32,
    /// The next state with the same parent; 0 is none.
    sibling: u32,
    /// The state of the longest end of this one's string that is a beginning of another.
    fail: u32,
    /// How long this one's string is.
    depth: u32,
    /// How long the longest end of it is that can still become a needle.
    open: u32,
    /// The longest needle that ends here; 0 is none.
    found: u32,
}

/// How far a needle is read.
#[derive(Clone, Copy, Default)]
pub(crate) struct State(u32);

impl Automaton {
    /// Finds these needles, none of which is empty.
    pub(crate) fn new<'a>(needles: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let most = needles.clone().map(<[u8]>::len).sum::<usize>().saturating_add(1);
        let mut automaton = Self {
            // All at once: a vector that grows leaves its bytes behind.
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

    /// The state after one more byte. Over a whole text this is linear: each step back was a step forth before.
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

    /// How many of the last bytes may be the beginning of a needle.
    pub(crate) fn open(&self, state: State) -> usize {
        self.node(state.0).open as usize
    }

    /// How long the longest needle is that ends here; 0 if none does.
    pub(crate) fn found(&self, state: State) -> usize {
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

    /// Says of each state where to go on when no byte fits, the shorter strings first.
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
