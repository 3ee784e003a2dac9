//! The facade alone is enough for a tool of one's own, and the example that draws partial arguments runs.

mod examples;
mod programs;
#[cfg(feature = "client")]
mod provider_model;
mod tool;

#[path = "../../examples/partial_arguments.rs"]
mod partial_arguments;

#[test]
fn partial_arguments_are_drawn() {
    partial_arguments::main().expect("the example runs without a network");
}
