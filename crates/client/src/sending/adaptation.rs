//! The parameters that the attempts for one answer leave out, because the provider refused them.

use windlass_vendors::ParameterRejection;

/// The rejections to which the attempts for one answer adapt: those that are known of the model, and those of the
/// attempts so far.
#[derive(Debug)]
pub(super) struct Adaptation {
    /// The known rejections, followed by those of this answer.
    rejections: Vec<ParameterRejection>,
    known: usize,
    /// The parameters to which an attempt for this answer adapted, also those whose remedy was undone.
    attempted: Vec<String>,
}

impl Adaptation {
    pub(super) fn new(known: Vec<ParameterRejection>) -> Self {
        Self { known: known.len(), rejections: known, attempted: Vec::new() }
    }

    /// Returns the rejections that the next attempt respects.
    pub(super) fn rejections(&self) -> &[ParameterRejection] {
        &self.rejections
    }

    /// Adds the rejection of an attempt. Returns false, and adds nothing, if an attempt without the parameter failed
    /// already, so that another one would not help.
    pub(super) fn adapt(&mut self, rejection: &ParameterRejection) -> bool {
        let is_held = self.rejections.iter().any(|held| held.parameter == rejection.parameter);
        if is_held || self.attempted.contains(&rejection.parameter) {
            return false;
        }
        // A repeated message shows that the last remedy did not help, so undo it.
        let is_repeated = self.rejections.last().is_some_and(|last| last.message == rejection.message);
        if is_repeated && self.rejections.len() > self.known {
            self.rejections.pop();
        }
        self.attempted.push(rejection.parameter.clone());
        self.rejections.push(rejection.clone());
        true
    }

    /// Returns the rejections of this answer, after an attempt that respected them has succeeded.
    pub(super) fn into_learned(mut self) -> Vec<ParameterRejection> {
        self.rejections.split_off(self.known)
    }
}

#[cfg(test)]
mod tests;
