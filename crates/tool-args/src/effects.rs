//! The effects that a function declares for a call of a tool.

use serde::de::DeserializeOwned;
use windlass_protocol::{Effect, Payload};

use crate::read::read_arguments;

/// A function that declares the effects of a call, from its payload or from its arguments `A`. `Input` is the type that
/// the function takes, so that both kinds of functions can implement the trait.
#[diagnostic::on_unimplemented(
    message = "this function does not declare the effects of a call",
    label = "is not `fn(&Payload) -> Vec<Effect>`",
    note = "a tool whose arguments have a type, by `arguments = Name` or as one flattened struct, also takes \
            `fn(&Name) -> Vec<Effect>`"
)]
pub trait DeclareEffects<A, Input> {
    /// Returns the effects of the call.
    fn declare(&self, payload: &Payload) -> Vec<Effect>;
}

impl<A, F: Fn(&Payload) -> Vec<Effect>> DeclareEffects<A, Payload> for F {
    fn declare(&self, payload: &Payload) -> Vec<Effect> {
        self(payload)
    }
}

/// Arguments that cannot be read have unknown effects, which policy treats as the worst case.
impl<A: DeserializeOwned, F: Fn(&A) -> Vec<Effect>> DeclareEffects<A, (A,)> for F {
    fn declare(&self, payload: &Payload) -> Vec<Effect> {
        read_arguments(payload).map_or_else(|_| vec![Effect::Unknown], |arguments| self(&arguments))
    }
}

/// Returns the effects that the function declares for the call.
pub fn effects<A, Input>(function: &impl DeclareEffects<A, Input>, payload: &Payload) -> Vec<Effect> {
    function.declare(payload)
}
