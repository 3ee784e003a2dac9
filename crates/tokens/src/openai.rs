//! Exact counts for OpenAI's models, with the tables of the crate `tiktoken`.

use std::panic::catch_unwind;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// Bytes of a text that are counted exactly; the count of the rest is extrapolated.
const MOST_COUNTED: usize = 1 << 20;
/// Stack of the thread that counts. `tiktoken` creates a cache of 1.2 MiB on the stack of each thread that counts,
/// which a thread of tokio, with 2 MiB, cannot always give.
const STACK_BYTES: usize = 4 << 20;

/// Name of OpenAI's tables for an encoding, as `tiktoken` uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Cl100k,
    O200k,
}

/// A text to count.
struct Request {
    encoding: Encoding,
    text: String,
    answer: Sender<Option<usize>>,
}

/// Requests to the thread that counts, or `None` on a system without threads.
static REQUESTS: LazyLock<Option<Sender<Request>>> = LazyLock::new(|| {
    let (sender, requests) = channel();
    let thread = thread::Builder::new().name("windlass-tokens".to_owned()).stack_size(STACK_BYTES);
    thread.spawn(move || answer_all(&requests)).ok().map(|_| sender)
});

/// Returns the tokens of a text, or `None` if they cannot be counted. Beyond the first mebibyte the count is
/// extrapolated.
pub(crate) fn count(encoding: Encoding, text: &str) -> Option<u64> {
    let end = text.floor_char_boundary(MOST_COUNTED);
    let beginning = text.get(..end).unwrap_or_default();
    let (answer, answers) = channel();
    let request = Request { encoding, text: beginning.to_owned(), answer };
    REQUESTS.as_ref()?.send(request).ok()?;
    let counted = answers.recv().ok()?? as u64;
    if end == text.len() {
        return Some(counted);
    }
    let whole = u128::from(counted).saturating_mul(text.len() as u128) / (end.max(1) as u128);
    Some(u64::try_from(whole).unwrap_or(u64::MAX))
}

fn answer_all(requests: &Receiver<Request>) {
    for Request { encoding, text, answer } in requests {
        // A panic on one text must not end exact counts. Counting changes no state of this crate.
        let counted = catch_unwind(|| count_here(encoding, &text)).ok().flatten();
        // The requester waits, unless its thread ended.
        let _ = answer.send(counted);
    }
}

fn count_here(encoding: Encoding, text: &str) -> Option<usize> {
    let name = match encoding {
        Encoding::Cl100k => "cl100k_base",
        Encoding::O200k => "o200k_base",
    };
    tiktoken::get_encoding(name).map(|encoding| encoding.count(text))
}

#[cfg(test)]
mod tests;
