//! The rules for values of a project's file.

use super::keys::{ConfigKey, ProjectRule};
use super::value::ConfigValue;

/// Returns the value that counts if a project sets `wanted` and the user has `users`, or the reason why the
/// project's value does not count.
pub(super) fn decide_value(
    key: &ConfigKey,
    wanted: &ConfigValue,
    users: Option<&ConfigValue>,
    is_trusted: bool,
) -> Result<ConfigValue, &'static str> {
    match key.project {
        ProjectRule::Never(reason) => Err(reason),
        ProjectRule::Trusted if !is_trusted => Err("the folder is not trusted"),
        ProjectRule::Trusted => Ok(wanted.clone()),
        ProjectRule::Stricter => tighten(key, wanted, users).ok_or("it is not stricter than your value"),
    }
}

/// Returns the stricter value, or `None` if the project's value is not stricter.
fn tighten(key: &ConfigKey, wanted: &ConfigValue, users: Option<&ConfigValue>) -> Option<ConfigValue> {
    match wanted {
        ConfigValue::List(items) => {
            // A list of exclusions grows.
            let mut all = users.map(|users| users.as_list().to_vec()).unwrap_or_default();
            let before = all.len();
            all.extend(
                items.iter().filter(|item| !users.is_some_and(|list| list.as_list().contains(item))).cloned(),
            );
            (all.len() > before).then_some(ConfigValue::List(all))
        }
        ConfigValue::Boolean(value) => {
            let is_stricter = !value && users.and_then(ConfigValue::as_bool).unwrap_or(true);
            is_stricter.then(|| wanted.clone())
        }
        ConfigValue::Integer(number) => {
            let users = users.and_then(ConfigValue::as_integer).unwrap_or(0);
            is_lower(*number, users).then(|| wanted.clone())
        }
        ConfigValue::Text(text) => {
            let users = users.and_then(ConfigValue::as_text);
            is_stricter_text(key.name, text, users).then(|| wanted.clone())
        }
    }
}

/// Returns true for the lower of two limits, where 0 means no limit.
fn is_lower(wanted: u64, users: u64) -> bool {
    wanted != 0 && (users == 0 || wanted < users)
}

fn is_stricter_text(name: &str, wanted: &str, users: Option<&str>) -> bool {
    if ["budget.cost", "max_cost"].contains(&name) {
        let amount = |text: &str| windlass_agent::Prices::parse_amount(text).unwrap_or(0);
        return is_lower(amount(wanted), users.map_or(0, amount));
    }
    let users = users.unwrap_or_default();
    let rank = |text: &str| match (name, text) {
        ("autonomy", "read-only") | ("preset", "minimal") | ("sandbox", "required") => Some(0),
        ("autonomy", "ask") | ("preset", "standard") | ("sandbox", "auto") => Some(1),
        ("autonomy", "auto-edit") | ("preset", "full") | ("sandbox", "off") => Some(2),
        // A headless run denies where others ask, so it has no rank. Only a read-only run is stricter.
        _ => None,
    };
    match (rank(wanted), rank(users)) {
        (Some(wanted), Some(users)) => wanted < users,
        (Some(wanted), None) => name == "autonomy" && wanted == 0,
        (None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(name: &str, wanted: &str, users: &str, is_trusted: bool) -> Result<String, &'static str> {
        let key = ConfigKey::find(name).unwrap();
        let users = (!users.is_empty()).then(|| key.kind.parse(users).unwrap());
        decide_value(key, &key.kind.parse(wanted).unwrap(), users.as_ref(), is_trusted)
            .map(|value| value.to_string())
    }

    #[test]
    fn a_project_can_tighten_and_never_widens() {
        for (name, users, stricter, wider) in [
            ("autonomy", "ask", "read-only", "auto-edit"),
            ("autonomy", "auto-edit", "ask", "headless"),
            ("autonomy", "headless", "read-only", "ask"),
            ("preset", "standard", "minimal", "full"),
            ("sandbox", "off", "required", "off"),
            ("mcp", "true", "false", "true"),
            ("max_turns", "100", "20", "0"),
            ("budget.requests", "0", "5", "0"),
            ("budget.cost", "2", "0.5", "3"),
            ("max_cost", "0", "0.5", "0"),
            ("budget.tokens", "1000", "999", "1001"),
        ] {
            for is_trusted in [false, true] {
                assert_eq!(decide(name, stricter, users, is_trusted).unwrap(), stricter, "{name}");
                assert!(decide(name, wider, users, is_trusted).is_err(), "{name}");
            }
        }
        assert_eq!(decide("disabled_tools", "b, a", "a", false).unwrap(), "a, b");
        assert!(decide("disabled_tools", "a", "a, b", false).is_err());
    }

    #[test]
    fn a_project_never_chooses_an_address_a_program_or_a_permission() {
        for name in [
            "provider",
            "base_url",
            "fallback",
            "policy",
            "tools",
            "features",
            "notify.webhook",
            "learning.enabled",
        ] {
            let value = if name == "learning.enabled" { "true" } else { "x" };
            assert!(decide(name, value, "", true).is_err(), "{name}");
        }
        assert!(decide("model", "m", "", false).unwrap_err().contains("not trusted"));
        assert_eq!(decide("model", "m", "n", true).unwrap(), "m");
    }

    #[test]
    fn every_setting_with_the_rule_stricter_has_an_order() {
        let keys = ConfigKey::all().iter().filter(|key| key.project == ProjectRule::Stricter);
        for key in keys {
            let super::super::ValueKind::Choice(words) = key.kind else { continue };
            let is_some_stricter = words
                .iter()
                .any(|wanted| words.iter().any(|users| is_stricter_text(key.name, wanted, Some(users))));
            assert!(is_some_stricter, "{}", key.name);
        }
    }
}
