//! Properties of compiling any schema in every dialect.

mod drawn;
mod legal;

use serde_json::Value;
use windlass_protocol::{Arguments, RawJson};
use windlass_schema::{Checker, CompileOptions, CompiledSchema, Dialect, RootUnion, coerce};

use self::drawn::Draw;
pub use self::legal::refusals as schema_refusals;

/// Compiles any JSON as a tool's schema, or a schema generated from bytes that are not JSON, in every
/// dialect. The result is legal in the dialect, deterministic, and stable when compiled again. Without
/// reported losses, arguments that the author's schema accepts are accepted, and accepted arguments map back
/// to arguments that the author's schema accepts (RULES N5).
///
/// # Panics
/// The property is violated.
pub fn schema_compile(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).ok().and_then(|text| text.parse::<RawJson>().ok());
    let mut draw = Draw::new(bytes);
    let schema = text.unwrap_or_else(|| RawJson::from(&draw.schema()));
    let checker = Checker::compile(&schema).ok();
    let arguments: Vec<Arguments> = (0..4).filter_map(|_| draw.arguments()).collect();
    for dialect in Dialect::ALL {
        for union in [RootUnion::Wrap, RootUnion::Merge] {
            let options = CompileOptions::default().with_root_union(union);
            let compiled = dialect.compile_with(&schema, options);
            let refused = legal::refusals(dialect, &compiled.schema.to_value());
            assert_eq!(refused, Vec::<String>::new(), "{dialect}: {}", compiled.schema.as_str());
            assert_eq!(compiled, dialect.compile_with(&schema, options), "the same schema, the same bytes");
            // A schema that was too large is cut at another place once the rest is smaller.
            if !compiled.losses.iter().any(|loss| loss.what.contains("too ") || loss.what.contains("more ")) {
                let again = dialect.compile_with(&compiled.schema, options);
                assert_eq!(again.schema.to_value(), compiled.schema.to_value(), "{dialect}: compiled twice");
            }
            if let Some(checker) = &checker
                && compiled.losses.is_empty()
                // A model would send the renamed properties.
                && !compiled.has_restoration()
            {
                for arguments in &arguments {
                    takes_the_same(dialect, checker, &schema, &compiled, arguments);
                }
            }
        }
    }
}

fn takes_the_same(
    dialect: Dialect,
    checker: &Checker,
    schema: &RawJson,
    compiled: &CompiledSchema,
    arguments: &Arguments,
) {
    let there = Checker::compile(&compiled.schema).expect("a legal text of a dialect is a schema");
    let (arguments, sent) = as_sent(dialect, compiled, arguments);
    let shown = || format!("{dialect}\n{}\n{}\n{}", schema.as_str(), compiled.schema.as_str(), sent.as_str());
    if checker.check(&arguments).is_ok() {
        assert!(there.check(&sent).is_ok(), "right arguments are refused: {}", shown());
    }
    if there.check(&sent).is_ok() {
        let (back, _) = coerce(schema, &compiled.restore(&sent));
        assert!(checker.check(&back).is_ok(), "wrong arguments come back: {}", shown());
    }
}

/// Returns the arguments as a constrained model can express them, and as it sends them: undeclared properties
/// are left out, and a required property without a value is null.
fn as_sent(dialect: Dialect, compiled: &CompiledSchema, arguments: &Arguments) -> (Arguments, Arguments) {
    // These two dialects cannot express whether an object accepts additional properties.
    if !matches!(dialect, Dialect::OpenAiStrict | Dialect::Gemini) {
        return (arguments.clone(), arguments.clone());
    }
    let schema = compiled.schema.to_value();
    let mut said = arguments.to_value();
    fit(&schema, &schema, &mut said, Fit::LeaveOut);
    let mut sent = said.clone();
    if dialect == Dialect::OpenAiStrict {
        fit(&schema, &schema, &mut sent, Fit::FillIn);
    }
    let parse = |value: Value| Arguments::parse(value.to_string()).expect("an object");
    (parse(said), parse(sent))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    LeaveOut,
    FillIn,
}

fn fit(schema: &Value, root: &Value, value: &mut Value, how: Fit) {
    let mut shapes = Vec::new();
    collect(schema, root, &mut shapes, 8);
    match value {
        Value::Object(members) => {
            let known: Vec<(&String, &Value)> =
                shapes.iter().filter_map(|shape| shape.get("properties")?.as_object()).flatten().collect();
            match how {
                Fit::LeaveOut => members.retain(|name, _| known.iter().any(|(known, _)| *known == name)),
                Fit::FillIn => {
                    for (name, _) in &known {
                        members.entry(name.as_str()).or_insert(Value::Null);
                    }
                }
            }
            for (name, schema) in known {
                if let Some(value) = members.get_mut(name) {
                    fit(schema, root, value, how);
                }
            }
        }
        Value::Array(items) => {
            for schema in shapes.iter().filter_map(|shape| shape.get("items")) {
                for item in items.iter_mut() {
                    fit(schema, root, item, how);
                }
            }
        }
        _ => {}
    }
}

/// Collects the schema and its alternatives.
fn collect<'a>(schema: &'a Value, root: &'a Value, shapes: &mut Vec<&'a Value>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    shapes.push(schema);
    if let Some(target) = schema.get("$ref").and_then(Value::as_str)
        && let Some(target) = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer))
    {
        collect(target, root, shapes, depth);
    }
    for branch in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        collect(branch, root, shapes, depth);
    }
}
