//! The shared state of a cancellation token: its waiting tasks and its children.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;

/// The key of a waiting task. Keys are not reused within a node.
pub(super) type WakerKey = u64;

/// The state that the clones of a token share.
#[derive(Default)]
pub(super) struct Node {
    is_cancelled: AtomicBool,
    waiting: Mutex<Waiting>,
    /// Keeps the parent alive: a cancellation from above reaches this node through it, even if the parent has
    /// no other owner.
    _parent: Option<Arc<Self>>,
}

/// The receivers of a cancellation.
#[derive(Default)]
struct Waiting {
    next: WakerKey,
    wakers: BTreeMap<WakerKey, Waker>,
    children: Vec<Weak<Node>>,
    /// The number of children at which the dropped ones are removed from the list.
    prune_at: usize,
}

/// The smallest list of children from which dropped ones are removed.
const MIN_PRUNE: usize = 16;

impl Node {
    /// Creates a child. The child of a cancelled node is cancelled.
    pub(super) fn child_of(parent: &Arc<Self>) -> Arc<Self> {
        let mut waiting = parent.lock();
        let child = Arc::new(Self {
            is_cancelled: AtomicBool::new(parent.is_cancelled()),
            waiting: Mutex::default(),
            _parent: Some(Arc::clone(parent)),
        });
        if !parent.is_cancelled() {
            waiting.add_child(&child);
        }
        child
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Cancels this node and all nodes below it. Only one lock is held at a time, and none while tasks are
    /// woken.
    pub(super) fn cancel(&self) {
        let mut below = self.cancel_one();
        while let Some(child) = below.pop() {
            if let Some(child) = child.upgrade() {
                below.extend(child.cancel_one());
            }
        }
    }

    /// Cancels this node and returns its children.
    fn cancel_one(&self) -> Vec<Weak<Self>> {
        let mut waiting = self.lock();
        // The flag changes under the lock, so a waker or child is either in the lists or sees the flag.
        self.is_cancelled.store(true, Ordering::Release);
        let (wakers, children) = (std::mem::take(&mut waiting.wakers), std::mem::take(&mut waiting.children));
        drop(waiting);
        wakers.into_values().for_each(Waker::wake);
        children
    }

    /// Registers a waker under its key, or under a new key. Returns false if the node is cancelled.
    pub(super) fn register(&self, key: &mut Option<WakerKey>, waker: &Waker) -> bool {
        if self.is_cancelled() {
            return false;
        }
        let mut waiting = self.lock();
        if self.is_cancelled() {
            return false;
        }
        let key = *key.get_or_insert_with(|| waiting.new_key());
        if waiting.wakers.get(&key).is_some_and(|known| known.will_wake(waker)) {
            return true;
        }
        let replaced = waiting.wakers.insert(key, waker.clone());
        drop(waiting);
        // A waker can own the last reference to a task that waits for this node, so drop it without the lock.
        drop(replaced);
        true
    }

    pub(super) fn remove_waker(&self, key: WakerKey) {
        let waker = self.lock().wakers.remove(&key);
        drop(waker);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn new_key(&mut self) -> WakerKey {
        let key = self.next;
        self.next = key.wrapping_add(1);
        key
    }

    /// Adds a child, and first removes dropped ones if the list has doubled: amortized constant time.
    fn add_child(&mut self, child: &Arc<Node>) {
        if self.children.len() >= self.prune_at.max(MIN_PRUNE) {
            self.children.retain(|child| child.strong_count() > 0);
            self.prune_at = self.children.len().saturating_mul(2);
        }
        self.children.push(Arc::downgrade(child));
    }
}
