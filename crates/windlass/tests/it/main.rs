//! The facade alone is enough for a tool of one's own, and the example that draws partial arguments runs.

mod tool;

#[path = "../../examples/partial_arguments.rs"]
#[expect(clippy::duplicate_mod, reason = "the example is a program of its own too")]
mod partial_arguments;

#[test]
fn partial_arguments_are_drawn() {
    partial_arguments::main().expect("the example runs without a network");
}
