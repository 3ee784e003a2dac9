//! Conditions of rules about custom effects and about arguments, as a human writes them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A condition about a [custom effect](windlass_protocol::Effect::Custom). A missing criterion always matches.
///
/// In a rule, the condition selects effects. In a constraint, `kind` selects the effects and every other
/// criterion is required of them.
///
/// ```toml
/// [[rule]]
/// id = "small-payments"
/// action = "allow"
/// custom = { kind = "payment", target = "suppliers/*", unit = "EUR-cent", at_most = 4000 }
/// ```
///
/// ```
/// use windlass_hitl::{Action, CustomCondition, Rule};
/// let payment = CustomCondition::default().with_kind("payment").with_at_most(4_000, "EUR-cent");
/// let rule = Rule::new("small-payments", Action::Allow).with_custom(payment);
/// # let _ = rule;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CustomCondition {
    /// The kind of the effect: exactly this one, or with `.*` at its end every kind below it. `mail.*` matches
    /// `mail` and `mail.send`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The glob that the target has to match. `*` matches within one component of a target with `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The unit of the amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The highest amount that matches. It needs a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<u64>,
    /// The lowest amount that matches. It needs a unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<u64>,
}

impl CustomCondition {
    /// Restricts the condition to one kind, or with `.*` at its end to every kind below it.
    pub fn with_kind(mut self, kind: impl Into<String>) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// Restricts the condition to targets that match a glob.
    pub fn with_target(mut self, glob: impl Into<String>) -> Self {
        self.target = Some(glob.into());
        self
    }

    /// Restricts the condition to amounts of at most `value` of a unit.
    pub fn with_at_most(mut self, value: u64, unit: impl Into<String>) -> Self {
        self.at_most = Some(value);
        self.unit = Some(unit.into());
        self
    }

    /// Restricts the condition to amounts of at least `value` of a unit.
    pub fn with_at_least(mut self, value: u64, unit: impl Into<String>) -> Self {
        self.at_least = Some(value);
        self.unit = Some(unit.into());
        self
    }
}

/// A condition about one argument of a call. All of its criteria have to match.
///
/// The condition reads the arguments with which the tool would run, after aliases and conversions. An absent
/// argument matches no condition. If the argument has another type than a criterion needs, or is a text of more
/// than 4,096 bytes where a glob is given, allow rules do not match, and deny and ask rules do.
///
/// ```
/// use serde_json::json;
/// use windlass_hitl::{Action, ArgumentCondition, Rule};
/// let euros = ArgumentCondition::new("/currency").with_one_of([json!("EUR")]);
/// let rule = Rule::new("only-euros", Action::Allow).with_argument(euros);
/// # let _ = rule;
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ArgumentCondition {
    /// The place of the argument as a JSON Pointer, for example `/to` or `/items/0/price`. The empty text is
    /// the whole object.
    pub at: String,
    /// The allowed values. An empty list allows every value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub one_of: Vec<Value>,
    /// The glob that a text has to match. `*` matches within one component of a text with `/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub glob: Option<String>,
    /// The highest number that matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// The lowest number that matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
}

impl Eq for ArgumentCondition {}

impl ArgumentCondition {
    /// Creates a condition that an argument is present. The `with_*` methods narrow it.
    pub fn new(at: impl Into<String>) -> Self {
        Self { at: at.into(), one_of: Vec::new(), glob: None, at_most: None, at_least: None }
    }

    /// Restricts the condition to these values.
    pub fn with_one_of(mut self, values: impl IntoIterator<Item = Value>) -> Self {
        self.one_of = values.into_iter().collect();
        self
    }

    /// Restricts the condition to texts that match a glob.
    pub fn with_glob(mut self, glob: impl Into<String>) -> Self {
        self.glob = Some(glob.into());
        self
    }

    /// Restricts the condition to numbers of at most `value`.
    pub fn with_at_most(mut self, value: f64) -> Self {
        self.at_most = Some(value);
        self
    }

    /// Restricts the condition to numbers of at least `value`.
    pub fn with_at_least(mut self, value: f64) -> Self {
        self.at_least = Some(value);
        self
    }
}
