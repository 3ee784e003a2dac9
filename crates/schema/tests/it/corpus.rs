//! The schemas of the Berkeley function-calling list and of three MCP servers, in every dialect (N5).

use std::collections::BTreeMap;

use serde_json::Value;
use windlass_protocol::{Arguments, RawJson};
use windlass_schema::{Checker, Dialect, coerce};
use windlass_testkit::oracle::schema_refusals as refusals;
use windlass_testkit::{Need, corpora, require};

const FILES: [&str; 3] = ["BFCL_v4_simple_python.json", "BFCL_v4_multiple.json", "BFCL_v4_parallel.json"];

/// Each function of a file: its name and its schema.
fn functions(row: &Value) -> Vec<(String, RawJson)> {
    let functions = row["function"].as_array().unwrap();
    functions
        .iter()
        .map(|function| {
            (function["name"].as_str().unwrap().to_owned(), RawJson::from(&function["parameters"]))
        })
        .collect()
}

fn schemas() -> Result<Vec<(String, RawJson)>, String> {
    let mut all = Vec::new();
    for file in FILES {
        let path = corpora::find(&format!("schema/BFCL/{file}"))?;
        all.extend(corpora::rows(&path).iter().flat_map(functions));
    }
    for server in ["everything", "filesystem", "memory"] {
        let path = corpora::find(&format!("schema/mcp_tools/{server}.json"))?;
        let listed: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        for tool in listed["tools_list"]["tools"].as_array().unwrap() {
            all.push((tool["name"].as_str().unwrap().to_owned(), RawJson::from(&tool["inputSchema"])));
        }
    }
    Ok(all)
}

#[test]
fn every_schema_is_legal_in_every_dialect() {
    let schemas = require!(Need::Corpora, schemas());
    for dialect in Dialect::ALL {
        let (mut legal, mut lossless, mut lost) = (0, 0, BTreeMap::<String, usize>::new());
        for (name, schema) in &schemas {
            let compiled = dialect.compile(schema);
            let refused = refusals(dialect, &compiled.schema.to_value());
            assert_eq!(
                refused,
                Vec::<String>::new(),
                "{dialect} {name}: {schema:?}\n{}",
                compiled.schema.as_str()
            );
            assert_eq!(compiled, dialect.compile(schema), "the same bytes");
            legal += 1;
            lossless += usize::from(compiled.losses.is_empty());
            for loss in &compiled.losses {
                *lost.entry(format!("`{}` {}", loss.keyword, loss.what)).or_default() += 1;
            }
        }
        println!(
            "corpus: schemas legal for {dialect}: {legal} of {}, {lossless} without a loss",
            schemas.len()
        );
        for (what, count) in lost {
            println!("corpus:   {dialect}: {count} times {what}");
        }
    }
}

/// Returns calls that BFCL accepts as answers: with the first value of each parameter, and without optional
/// parameters.
fn answers(row: &Value) -> Vec<(String, Arguments)> {
    let mut all = Vec::new();
    for call in row["ground_truth"].as_array().unwrap() {
        for (name, parameters) in call.as_object().unwrap() {
            let (mut first, mut fewest) = (serde_json::Map::new(), serde_json::Map::new());
            for (parameter, values) in parameters.as_object().unwrap() {
                let values = values.as_array().unwrap();
                let may_miss = values.iter().any(|value| *value == "");
                if let Some(value) = values.iter().find(|value| **value != "") {
                    let value = plain(value);
                    first.insert(parameter.clone(), value.clone());
                    if !may_miss {
                        fewest.insert(parameter.clone(), value);
                    }
                }
            }
            for arguments in [first, fewest] {
                let text = Value::Object(arguments).to_string();
                all.push((name.clone(), Arguments::parse(text).unwrap()));
            }
        }
    }
    all
}

/// In an answer the members of an object are lists of their possible values, too.
fn plain(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let one = |value: &Value| match value {
                Value::Array(values) => values.iter().find(|value| **value != "").map(plain),
                other => Some(other.clone()),
            };
            Value::Object(
                members.iter().filter_map(|(key, value)| Some((key.clone(), one(value)?))).collect(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(plain).collect()),
        other => other.clone(),
    }
}

// The compiled schema accepts each value that the author's schema accepts, unless a loss was reported; and
// each value that the compiled one accepts is, restored and coerced, accepted by the author's.
#[test]
fn right_answers_are_right_in_every_dialect() {
    for dialect in Dialect::ALL {
        let (mut total, mut right, mut through, mut wrong) = (0, 0, 0, 0);
        for file in FILES {
            let questions = require!(Need::Corpora, corpora::find(&format!("schema/BFCL/{file}")));
            let answered =
                require!(Need::Corpora, corpora::find(&format!("schema/BFCL/possible_answer/{file}")));
            for (question, answer) in corpora::rows(&questions).iter().zip(corpora::rows(&answered)) {
                let schemas: BTreeMap<String, RawJson> = functions(question).into_iter().collect();
                for (name, arguments) in answers(&answer) {
                    let original = &schemas[&name];
                    let checker = Checker::compile(original).unwrap();
                    total += 1;
                    // An answer of BFCL may be wrong by its own schema; then nothing is known about it.
                    if checker.check(&arguments).is_err() {
                        wrong += 1;
                        continue;
                    }
                    let compiled = dialect.compile(original);
                    let sent = sent_in(dialect, &compiled.schema, &arguments);
                    let taken = Checker::compile(&compiled.schema).unwrap().check(&sent);
                    right += usize::from(taken.is_ok());
                    if let Err(violations) = taken {
                        assert!(!compiled.losses.is_empty(), "{dialect} {name} {arguments:?} {violations:?}");
                        continue;
                    }
                    let (back, _) = coerce(original, &compiled.restore(&sent));
                    assert!(checker.check(&back).is_ok(), "{dialect} {name}: {back:?}");
                    assert_eq!(back.canonical(), arguments.canonical(), "{dialect} {name}");
                    through += 1;
                }
            }
        }
        println!(
            "corpus: BFCL answers taken by {dialect}: {right} of {} ({wrong} more are wrong by their own schema, of \
             {total}); {through} come back as they were",
            total - wrong
        );
    }
}

/// Returns the arguments as a model would send them in a strict dialect: with null for each omitted property, because
/// all properties are required.
fn sent_in(dialect: Dialect, schema: &RawJson, arguments: &Arguments) -> Arguments {
    if dialect != Dialect::OpenAiStrict {
        return arguments.clone();
    }
    let mut value = arguments.to_value();
    fill(&schema.to_value(), &mut value);
    Arguments::parse(value.to_string()).unwrap()
}

fn fill(schema: &Value, value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                fill(schema, members.entry(name.clone()).or_insert(Value::Null));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(&schema["items"], item)),
        _ => {}
    }
}
