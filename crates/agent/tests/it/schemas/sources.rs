//! Schemas with a value that fits.
#![expect(clippy::disallowed_methods, reason = "the corpora are files")]

use serde_json::{Map, Value, json};
use windlass_protocol::RawJson;
use windlass_schema::{Checker, resolve};
use windlass_testkit::corpora;

/// A schema with a value that fits.
#[derive(Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) schema: Value,
    pub(super) value: Value,
}

/// The number of schemas that are taken from each list of the corpora.
const FROM_EACH: usize = 50;
/// The depth to which a value is made.
const DEPTH: usize = 6;

pub(super) fn own_subjects() -> Vec<Subject> {
    let pairs: Vec<(Value, Value)> = serde_json::from_str(include_str!("own.json")).unwrap();
    let subjects = pairs.into_iter().enumerate().map(|(at, (schema, value))| {
        let subject = Subject { name: format!("own {at}"), schema, value };
        assert!(subject.fits(), "{subject:?}");
        subject
    });
    subjects.collect()
}

/// Takes up to 50 schemas, evenly spread, from each of: two lists of BFCL, three MCP servers together, and the
/// conformance suite of JSON Schema. A schema without a value that fits is left out.
pub(super) fn corpus_subjects() -> Result<Vec<Subject>, String> {
    let mut all = Vec::new();
    for file in ["BFCL_v4_simple_python.json", "BFCL_v4_multiple.json"] {
        let rows = corpora::rows(&corpora::find(&format!("schema/BFCL/{file}"))?);
        let functions = rows.iter().flat_map(|row| row["function"].as_array().into_iter().flatten());
        let schemas =
            functions.map(|function| (function["name"].to_string(), function["parameters"].clone()));
        all.extend(take(schemas.filter_map(|(name, schema)| Subject::from_schema(name, schema)).collect()));
    }
    let mut tools = Vec::new();
    for server in ["everything", "filesystem", "memory"] {
        let text = std::fs::read(corpora::find(&format!("schema/mcp_tools/{server}.json"))?);
        let listed: Value = serde_json::from_slice(&text.unwrap()).unwrap();
        for tool in listed["tools_list"]["tools"].as_array().unwrap() {
            tools.extend(Subject::from_schema(tool["name"].to_string(), tool["inputSchema"].clone()));
        }
    }
    all.extend(take(tools));
    let folder = corpora::find("schema/JSON-Schema-Test-Suite/tests/draft2020-12")?;
    let mut groups = Vec::new();
    for (file, text) in corpora::files(&folder) {
        let cases: Vec<Value> = serde_json::from_slice(&text).unwrap();
        groups.extend(cases.iter().filter_map(|group| Subject::from_group(&file, group)));
    }
    all.extend(take(groups));
    Ok(all)
}

/// Takes evenly spread subjects.
fn take(all: Vec<Subject>) -> Vec<Subject> {
    let step = (all.len() / FROM_EACH).max(1);
    all.into_iter().step_by(step).take(FROM_EACH).collect()
}

impl Subject {
    fn from_schema(name: String, schema: Value) -> Option<Self> {
        let value = sample(&schema, &schema, DEPTH);
        let subject = Self { name, schema, value };
        subject.fits().then_some(subject)
    }

    /// Takes the schema of a group of the conformance suite, with the first valid value of the group that is not
    /// empty. Schemas that refer to other documents are left out.
    fn from_group(file: &str, group: &Value) -> Option<Self> {
        let schema = group["schema"].as_object().filter(|schema| !schema.contains_key("$id"))?;
        let is_valid =
            |test: &&Value| test["valid"] == true && test["data"] != json!({}) && test["data"] != json!([]);
        let value = group["tests"].as_array()?.iter().find(is_valid)?["data"].clone();
        let name = format!("{file}: {}", group["description"]);
        let subject = Self { name, schema: Value::Object(schema.clone()), value };
        subject.fits().then_some(subject)
    }

    fn fits(&self) -> bool {
        Checker::compile(&RawJson::from(&self.schema))
            .is_ok_and(|checker| checker.check_value(&self.value).is_ok())
    }
}

/// Makes a value for a schema of a tool.
fn sample(schema: &Value, root: &Value, depth: usize) -> Value {
    let schema = resolve(schema, root);
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    if let Some(branch) = ["anyOf", "oneOf"].into_iter().find_map(|keyword| schema.get(keyword)?.get(0)) {
        return sample(branch, root, depth);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0)?.as_str());
    match kind.unwrap_or("any") {
        "integer" | "int" => schema.get("minimum").cloned().unwrap_or_else(|| json!(3)),
        "number" | "float" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1.5)),
        "boolean" | "bool" => json!(true),
        "null" => Value::Null,
        "array" | "list" | "tuple" => {
            let items = schema["minItems"].as_u64().unwrap_or(2);
            (0..items).map(|_| sample(&schema["items"], root, depth)).collect()
        }
        "object" | "dict" => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties
                .map(|(name, schema)| (name.clone(), sample(schema, root, depth)))
                .collect::<Map<_, _>>()
                .into()
        }
        _ => json!("a text with \"quotes\" and é"),
    }
}
