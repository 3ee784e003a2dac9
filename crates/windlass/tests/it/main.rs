//! Tests of the facade: a program can define its own tool with it alone, and the examples run.

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
