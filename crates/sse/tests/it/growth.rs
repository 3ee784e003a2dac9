//! The cost of a stream grows with its bytes, whatever its shape and its chunks.

use windlass_sse::Parser;
use windlass_testkit::growth::{self, MEGABYTE, Shape};

#[test]
fn a_stream_is_cut_into_events_in_linear_time() {
    let shapes = [
        "data: a\n\n",
        "data: a\n",
        "data:\n",
        "\n",
        "\r",
        "\r\n",
        "data",
        ":",
        ": a\n",
        "a",
        "id: {n}\n",
        "event: a\n",
        "retry: 1\n",
        "\u{feff}",
        "\u{e9}",
        "data: \u{1f600}\n\n",
        "\0",
        "id: \0\n",
    ]
    .map(Shape::repeat);
    growth::check("growth::a_stream_is_cut_into_events_in_linear_time", MEGABYTE, &shapes, |text| {
        for bytes in [MEGABYTE, 1_000, 7] {
            let mut parser = Parser::new();
            for chunk in text.as_bytes().chunks(bytes) {
                if parser.push(chunk, |_| ()).is_err() {
                    break;
                }
            }
        }
    });
}
