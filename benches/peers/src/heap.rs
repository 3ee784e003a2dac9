//! A global allocator that counts allocations and live bytes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Off while time and instructions are measured, so that counting adds only one branch to each allocation.
static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// Bytes allocated minus bytes freed since counting began. Wraps below zero when older allocations are freed.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

impl Counting {
    // Only one thread is measured, so a load and a store need not be atomic together.
    fn add(bytes: usize) {
        if IS_COUNTING.load(Relaxed) {
            ALLOCATIONS.store(ALLOCATIONS.load(Relaxed).wrapping_add(1), Relaxed);
            Self::set_live(LIVE.load(Relaxed).wrapping_add(bytes));
        }
    }

    fn set_live(live: usize) {
        LIVE.store(live, Relaxed);
        let is_positive = live <= usize::MAX / 2;
        if is_positive && live > PEAK.load(Relaxed) {
            PEAK.store(live, Relaxed);
        }
    }

    fn subtract(bytes: usize) {
        if IS_COUNTING.load(Relaxed) {
            LIVE.store(LIVE.load(Relaxed).wrapping_sub(bytes), Relaxed);
        }
    }
}

// SAFETY: every call is forwarded to the system allocator unchanged; counting only accesses atomics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::add(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        Self::subtract(layout.size());
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // A reallocation counts as one allocation of the new size.
        Self::subtract(layout.size());
        Self::add(size);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The heap usage of a piece of work.
#[derive(Debug, Clone, Copy)]
pub struct Heap {
    /// Number of allocations, including reallocations.
    pub allocations: usize,
    /// Maximum live bytes, in addition to earlier allocations.
    pub peak: usize,
    /// Bytes that are still live at the end.
    #[cfg_attr(
        not(feature = "loops"),
        expect(dead_code, reason = "only sessions are asked what they leave")
    )]
    pub left: usize,
}

/// Runs `work` and returns its result with its heap usage.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    ALLOCATIONS.store(0, Relaxed);
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    let result = work();
    IS_COUNTING.store(false, Relaxed);
    (
        result,
        Heap { allocations: ALLOCATIONS.load(Relaxed), peak: PEAK.load(Relaxed), left: LIVE.load(Relaxed) },
    )
}
