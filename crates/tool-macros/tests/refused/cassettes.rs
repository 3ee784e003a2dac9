//! Functions that cannot be tests on a cassette.

use windlass_tool_macros::cassette;

struct Cassette;

#[cassette]
fn not_async(cassette: Cassette) {}

#[cassette]
async fn without_argument() {}

#[cassette("a", "b")]
async fn two_paths(cassette: Cassette) {}

fn main() {}
