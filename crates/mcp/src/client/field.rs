//! A field of an elicitation form: its question to the human, and the conversion of her answer to a value.

use serde_json::Value;
use windlass_hitl::display_safe;

/// Maximum number of suggested answers.
const SUGGESTIONS: usize = 16;

/// A property of a form's schema.
pub(crate) struct Field<'a> {
    name: &'a str,
    schema: &'a Value,
}

/// A human's answer to a field.
pub(crate) enum FieldAnswer {
    Value(Value),
    Nothing,
    Unfit,
}

impl<'a> Field<'a> {
    pub(crate) fn new(name: &'a str, schema: &'a Value) -> Self {
        Self { name, schema }
    }

    /// Returns name, title, description and default of the field, with invisible characters escaped.
    pub(crate) fn words(&self) -> String {
        let words = |key: &str| self.schema.get(key).and_then(Value::as_str).map(display_safe);
        let mut text = display_safe(self.name).replace('\n', " ");
        for more in ["title", "description"].into_iter().filter_map(words) {
            text.push_str(": ");
            text.push_str(&more);
        }
        if let Some(default) = self.schema.get("default") {
            let default = default.as_str().map_or_else(|| default.to_string(), ToOwned::to_owned);
            text.push_str("\nThe default is: ");
            text.push_str(&display_safe(&default));
        }
        text
    }

    pub(crate) fn suggestions(&self) -> Vec<String> {
        if self.schema.get("type").and_then(Value::as_str) == Some("boolean") {
            return vec!["yes".to_owned(), "no".to_owned()];
        }
        let choices = choices(self.schema).into_iter().chain(self.items().map(choices).unwrap_or_default());
        choices.take(SUGGESTIONS).map(|(value, _)| display_safe(value)).collect()
    }

    /// Converts an answer to a value of the schema's type.
    pub(crate) fn read(&self, said: &str) -> FieldAnswer {
        let said = said.trim();
        if said.is_empty() {
            return self
                .schema
                .get("default")
                .map_or(FieldAnswer::Nothing, |default| FieldAnswer::Value(default.clone()));
        }
        let choices = choices(self.schema);
        let value =
            if choices.is_empty() { self.parse_plain(said) } else { choose(&choices, said).map(Value::from) };
        value.map_or(FieldAnswer::Unfit, FieldAnswer::Value)
    }

    fn parse_plain(&self, said: &str) -> Option<Value> {
        match self.schema.get("type").and_then(Value::as_str)? {
            "string" => Some(said.into()),
            "integer" => said.parse::<i64>().ok().map(Value::from),
            "number" => said.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
            "boolean" => match said.to_ascii_lowercase().as_str() {
                "yes" | "true" => Some(true.into()),
                "no" | "false" => Some(false.into()),
                _ => None,
            },
            "array" => {
                let choices = choices(self.items()?);
                let each = said.split(',').map(|word| choose(&choices, word.trim()).map(Value::from));
                each.collect::<Option<Vec<_>>>().map(Value::from)
            }
            _ => None,
        }
    }

    fn items(&self) -> Option<&'a Value> {
        self.schema.get("items")
    }
}

/// Returns the values that a schema lists, each with its title if it has one.
fn choices(schema: &Value) -> Vec<(&str, Option<&str>)> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    if let Some(values) = list("enum") {
        let titles =
            list("enumNames").into_iter().flatten().map(Value::as_str).chain(std::iter::repeat(None));
        return values
            .iter()
            .zip(titles)
            .filter_map(|(value, title)| Some((value.as_str()?, title)))
            .collect();
    }
    let members = list("oneOf").or_else(|| list("anyOf")).into_iter().flatten();
    members
        .filter_map(|choice| {
            Some((choice.get("const")?.as_str()?, choice.get("title").and_then(Value::as_str)))
        })
        .collect()
}

fn choose<'a>(choices: &[(&'a str, Option<&'a str>)], said: &str) -> Option<&'a str> {
    let exact = choices.iter().find(|(value, _)| *value == said);
    exact.or_else(|| choices.iter().find(|(_, title)| *title == Some(said))).map(|(value, _)| *value)
}
