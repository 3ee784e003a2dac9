//! The schema of a tool's arguments, made of the parameters and the body of its operation.

use std::collections::BTreeSet;

use windlass_protocol::RawJson;
use windlass_schema::Checker;

use crate::OpenApi;
use crate::body::BodyChoice;
use crate::node::{Members, Node};
use crate::parameter::Parameter;
use crate::schema_writer::SchemaWriter;
use crate::text::one_line;

/// Maximum length of a description in characters.
const MAX_DESCRIPTION: usize = 600;

/// The schema of the arguments, with the names of the arguments.
#[derive(Debug)]
pub(crate) struct ArgumentSchema {
    pub(crate) schema: RawJson,
    /// The names of the parameters' arguments, in the order of the parameters.
    pub(crate) parameters: Vec<String>,
    /// The name of the body's argument.
    pub(crate) body: Option<String>,
}

/// Writes the schema, and compiles it as the toolbox will. Patterns that are not supported are left out: the server
/// still checks them.
///
/// # Errors
/// If a schema of the document is invalid. The error names its place.
pub(crate) fn write(
    api: &OpenApi,
    parameters: &[Parameter<'_>],
    body: Option<&BodyChoice<'_>>,
) -> Result<ArgumentSchema, String> {
    let written = write_with(api, parameters, body, true)?;
    if Checker::compile(&written.schema).is_ok() {
        return Ok(written);
    }
    let written = write_with(api, parameters, body, false)?;
    match Checker::compile(&written.schema) {
        Ok(_) => Ok(written),
        Err(error) => Err(one_line(&error.to_string(), 300)),
    }
}

fn write_with(
    api: &OpenApi,
    parameters: &[Parameter<'_>],
    body: Option<&BodyChoice<'_>>,
    has_patterns: bool,
) -> Result<ArgumentSchema, String> {
    let mut writer = SchemaWriter::new(api, has_patterns);
    let mut names = Names::default();
    let (mut properties, mut required) = (Members::new(), Vec::new());
    for parameter in parameters {
        let name = names.add(parameter.name, parameter.location.as_str());
        let place = format!("the parameter `{}`", one_line(parameter.name, 100));
        let schema = match parameter.schema {
            Some(schema) => writer.write(schema, &place).map_err(|error| error.to_string())?,
            None => Node::map_of("type", Node::text("string")),
        };
        let schema = with_description(&mut writer, schema, parameter.description);
        properties.insert(name.clone(), schema);
        if parameter.is_required {
            required.push(Node::Text(name));
        }
    }
    let body_name = body.map(|_| names.add("body", "request"));
    if let (Some(body), Some(name)) = (body, &body_name) {
        let schema = match body.schema {
            Some(schema) => writer.write(schema, "the body").map_err(|error| error.to_string())?,
            None => Node::map(Members::new()),
        };
        properties.insert(name.clone(), with_description(&mut writer, schema, body.description));
        if body.is_required {
            required.push(Node::text(name));
        }
    }
    let definitions = writer.finish().map_err(|error| error.to_string())?;
    let mut root = Members::new();
    root.insert("type".to_owned(), Node::text("object"));
    root.insert("properties".to_owned(), Node::map(properties));
    if !required.is_empty() {
        root.insert("required".to_owned(), Node::List(required));
    }
    root.insert("additionalProperties".to_owned(), Node::Bool(false));
    if !definitions.is_empty() {
        root.insert("$defs".to_owned(), Node::map(definitions));
    }
    let schema = Node::map(root).to_json().parse().map_err(|_| "its schema is not JSON".to_owned())?;
    Ok(ArgumentSchema { schema, parameters: names.in_order(parameters.len()), body: body_name })
}

/// The names of arguments so far.
#[derive(Debug, Default)]
struct Names {
    list: Vec<String>,
    taken: BTreeSet<String>,
}

impl Names {
    /// Adds an argument. A name that is taken gets the place of its parameter in front of it.
    fn add(&mut self, wanted: &str, place: &str) -> String {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name = format!("{place}_{name}");
        }
        self.list.push(name.clone());
        name
    }

    fn in_order(mut self, count: usize) -> Vec<String> {
        self.list.truncate(count);
        self.list
    }
}

/// Sets the description of a parameter or a body. It replaces the description of the schema, which is more general.
fn with_description(writer: &mut SchemaWriter<'_>, schema: Node, description: Option<&str>) -> Node {
    let text = description.map(|text| one_line(text, MAX_DESCRIPTION)).filter(|text| !text.is_empty());
    let text = text.filter(|text| writer.pay(Node::text(text).to_json().len()));
    match (schema, text) {
        (Node::Map(mut members), Some(text)) => {
            members.insert("description".to_owned(), Node::Text(text));
            Node::Map(members)
        }
        (schema, _) => schema,
    }
}
