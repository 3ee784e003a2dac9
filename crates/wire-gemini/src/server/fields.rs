//! The fields of a request by their camel-case names. The API also accepts snake case.

use serde_json::Value;
use serde_json::value::RawValue;
use windlass_wire::{Fields, RequestError};

/// Parses the object at this place.
pub(crate) fn fields(place: impl Into<String>, raw: &RawValue) -> Result<Fields<'_>, RequestError> {
    Ok(Fields::parse(place, raw.get())?.rename_fields(camel))
}

/// Takes a field that is an object.
pub(crate) fn object<'a>(of: &mut Fields<'a>, name: &str) -> Result<Option<Fields<'a>>, RequestError> {
    Ok(of.object(name)?.map(|fields| fields.rename_fields(camel)))
}

/// Takes a list. A missing field is an empty list.
pub(crate) fn list<'a>(of: &mut Fields<'a>, name: &str) -> Result<Vec<(String, &'a RawValue)>, RequestError> {
    Ok(of.list(name)?.unwrap_or_default())
}

/// Parses a value that is kept unchanged.
pub(crate) fn value(place: &str, raw: &RawValue) -> Result<Value, RequestError> {
    serde_json::from_str(raw.get())
        .map_err(|_| RequestError::shape(place, "expected a value of at most 128 levels"))
}

/// Takes a whole number, which may have a zero fraction (`8.0`).
pub(crate) fn count(of: &mut Fields<'_>, name: &str) -> Result<Option<u64>, RequestError> {
    let is_fraction = of.peek(name).is_some_and(|raw| raw.get().contains('.'));
    if !is_fraction {
        return of.count(name);
    }
    let number = of.number(name)?.filter(|number| number.fract() == 0.0);
    match number.and_then(|number| format!("{number:.0}").parse().ok()) {
        Some(count) => Ok(Some(count)),
        None => Err(of.wrong(name, "expected a whole number")),
    }
}

/// Converts a field's name to camel case.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut is_next = false;
    for character in name.chars() {
        match character {
            '_' if !camel.is_empty() => is_next = true,
            _ if is_next => {
                camel.extend(character.to_uppercase());
                is_next = false;
            }
            _ => camel.push(character),
        }
    }
    camel
}
