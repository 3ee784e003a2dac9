//! The forms of a request: each field and each variant of its types has a row in the table.
//!
//! The types come from the source of `windlass-protocol`, so that a new field or variant without a row fails the test.

mod debug;
mod declared;

use std::collections::BTreeSet;

use windlass_vendors::WireFormat;

use self::debug::Node;
use self::declared::{Declared, Fields};
use super::features::GROUPS;
use super::plain;

/// The forms without a row, each with its reason.
const EXCEPTIONS: [(&str, &str); 10] = [
    ("Request::tool_fields", "fields of one format, which a gateway keeps"),
    ("Text::opaque", "fields of one format, which a gateway keeps"),
    ("Reasoning::opaque", "fields of one format, which a gateway keeps"),
    ("Image::opaque", "fields of one format, which a gateway keeps"),
    ("File::opaque", "fields of one format, which a gateway keeps"),
    ("ToolCall::opaque", "fields of one format, which a gateway keeps"),
    ("ToolResult::opaque", "fields of one format, which a gateway keeps"),
    ("Text::citations", "belongs to an answer and is not sent back"),
    ("ToolResult::advice", "text behind that of the content"),
    ("ToolResult::flags", "for display and policy, not sent"),
];

/// Collects the fields with a value and the variants in a value of this type.
fn collect(declared: &Declared, kind: &str, node: &Node, found: &mut BTreeSet<String>) {
    // `Some(..)`, a list and a map are written around the values of the declared type.
    let is_option = matches!(node.name.as_deref(), Some("Some"));
    if node.name.is_none() || is_option {
        for (_, inner) in &node.members {
            collect(declared, kind, inner, found);
        }
        return;
    }
    let name = node.name.as_deref().unwrap_or_default();
    let fields = match (declared.structs.get(kind), declared.enums.get(kind)) {
        (Some(fields), _) => fields,
        (None, Some(variants)) => {
            let Some(fields) = variants.get(name) else { return };
            found.insert(format!("{kind}::{name}"));
            fields
        }
        (None, None) => return,
    };
    for (position, (label, inner)) in node.members.iter().enumerate() {
        let label = label.clone().unwrap_or_else(|| position.to_string());
        let Some(of) = fields.get(&label) else { continue };
        if !inner.is_empty() {
            found.insert(form(declared, kind, name, &label));
        }
        collect(declared, of, inner, found);
    }
}

/// Returns the name of a field: `Type::field`, or `Type::Variant::field`.
fn form(declared: &Declared, kind: &str, variant: &str, field: &str) -> String {
    if declared.structs.contains_key(kind) {
        format!("{kind}::{field}")
    } else {
        format!("{kind}::{variant}::{field}")
    }
}

/// Collects the forms of a type and of the types that it holds.
fn list_forms(declared: &Declared, kind: &str, seen: &mut BTreeSet<String>, forms: &mut BTreeSet<String>) {
    if !seen.insert(kind.to_owned()) {
        return;
    }
    let mut fields = |forms: &mut BTreeSet<String>, variant: &str, fields: &Fields| {
        for (field, of) in fields {
            let form = form(declared, kind, variant, field);
            if EXCEPTIONS.iter().any(|(exception, _)| *exception == form) {
                forms.insert(form);
                continue;
            }
            // The variants of an enum replace the field.
            if !declared.enums.contains_key(of) {
                forms.insert(form);
            }
            list_forms(declared, of, seen, forms);
        }
    };
    if let Some(of) = declared.structs.get(kind) {
        fields(forms, "", of);
    }
    for (variant, of) in declared.enums.get(kind).into_iter().flatten() {
        forms.insert(format!("{kind}::{variant}"));
        fields(forms, variant, of);
    }
}

// Issue 21, "Must be shown" 2: a form of a request without a row fails here.
#[test]
fn each_form_of_a_request_has_a_row() {
    let declared = Declared::read();
    let mut forms = BTreeSet::new();
    list_forms(&declared, "Request", &mut BTreeSet::new(), &mut forms);
    assert!(forms.len() > 100, "only {} forms were found in the source", forms.len());
    let mut found = BTreeSet::new();
    for feature in GROUPS.iter().flat_map(|(_, features)| *features) {
        let mut request = plain(&WireFormat::all()[0], feature);
        collect(&declared, "Request", &Node::parse(&format!("{request:?}")), &mut found);
        (feature.put)(&mut request);
        collect(&declared, "Request", &Node::parse(&format!("{request:?}")), &mut found);
    }
    let excepted: BTreeSet<String> = EXCEPTIONS.iter().map(|(form, _)| (*form).to_owned()).collect();
    let missing: Vec<_> = forms.difference(&found).filter(|form| !excepted.contains(*form)).collect();
    assert!(missing.is_empty(), "forms of a request without a row in features.rs: {missing:#?}");
    let idle: Vec<_> =
        excepted.iter().filter(|form| found.contains(*form) || !forms.contains(*form)).collect();
    assert!(idle.is_empty(), "exceptions that are not needed: {idle:#?}");
}

#[test]
fn a_field_that_is_new_in_the_source_is_a_form() {
    let source = "pub struct Request {\n    pub model: String,\n    pub speed: Option<Speed>,\n}\n\
                  pub enum Speed {\n    Slow,\n    Fast { factor: u8 },\n}\n";
    let declared = Declared::parse([source.to_owned()]);
    let mut forms = BTreeSet::new();
    list_forms(&declared, "Request", &mut BTreeSet::new(), &mut forms);
    let expected = ["Request::model", "Speed::Fast", "Speed::Fast::factor", "Speed::Slow"];
    assert!(forms.iter().eq(expected), "{forms:?}");
    let mut found = BTreeSet::new();
    let text = r#"Request { model: "a, {b}", speed: Some(Fast { factor: 2 }) }"#;
    collect(&declared, "Request", &Node::parse(text), &mut found);
    let found: Vec<_> = found.iter().filter(|form| *form != "Request::speed").collect();
    assert_eq!(found, ["Request::model", "Speed::Fast", "Speed::Fast::factor"]);
}
