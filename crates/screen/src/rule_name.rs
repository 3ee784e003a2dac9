//! Names of rules for a person.

/// Returns the name of a rule of a policy file, or `None` for other rules. The ids of built-in rules are for programs.
///
/// ```
/// use windlass_screen::describe_rule;
/// assert_eq!(describe_rule("docs", "user").as_deref(), Some("your rule docs"));
/// assert_eq!(describe_rule("d.ask", "builtin"), None);
/// ```
pub fn describe_rule(rule: &str, source: &str) -> Option<String> {
    let owner = match source {
        "admin" => "the administrator's",
        "user" => "your",
        "project" => "the project's",
        _ => return None,
    };
    Some(format!("{owner} rule {rule}"))
}
