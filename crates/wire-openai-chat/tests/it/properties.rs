//! Properties of any bytes.

use windlass_testkit::oracle;
use windlass_testkit::wire_suite::check_broken;
use windlass_wire_openai_chat::OpenAiChat;

use crate::decode::FIXTURES;

// S14
#[test]
fn broken_streams_never_panic_and_read_the_same_however_they_are_split() {
    check_broken(FIXTURES, |bytes| oracle::wire(&OpenAiChat::default(), bytes));
}
