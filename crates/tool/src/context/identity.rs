//! Output as the tool emits it, for programs that register no secrets: the feature `redact` is off.

/// The empty set of secrets.
#[derive(Clone, Default)]
pub(super) struct Redaction {}

#[expect(clippy::unused_self, reason = "the feature `redact` replaces these methods")]
impl Redaction {
    pub(super) fn is_empty(&self) -> bool {
        true
    }

    pub(super) fn redact(&self, text: &str) -> String {
        text.to_owned()
    }

    pub(super) fn push_output(&self, text: &str) -> String {
        text.to_owned()
    }

    pub(super) fn finish_output(&self) -> String {
        String::new()
    }
}
