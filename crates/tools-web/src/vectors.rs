//! Parsing and validation of an embeddings response.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use crate::EmbeddingsError;

/// Maximum length of a vector; models return up to 4,096 numbers.
const MAX_DIMENSIONS: usize = 16_384;

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Index of the text. Some servers omit it and keep the order.
    #[serde(default)]
    index: Option<usize>,
    embedding: Vector,
}

struct Vector(Vec<f32>);

/// Parses exactly one vector for each text, in the order of the texts.
pub(crate) fn vectors(
    body: &[u8],
    texts: usize,
    dimensions: Option<usize>,
) -> Result<Vec<Vec<f32>>, EmbeddingsError> {
    let Answer { data } = serde_json::from_slice(body).map_err(|_| EmbeddingsError::Garbled)?;
    let count = EmbeddingsError::Count { asked: texts, given: data.len() };
    if data.len() != texts {
        return Err(count);
    }
    let mut places: Vec<Option<Vec<f32>>> = vec![None; texts];
    let mut wanted = dimensions;
    for (at, item) in data.into_iter().enumerate() {
        let Vector(vector) = item.embedding;
        let wanted = *wanted.get_or_insert(vector.len());
        if vector.len() != wanted || vector.is_empty() {
            return Err(EmbeddingsError::Dimensions { wanted, given: vector.len() });
        }
        if vector.iter().any(|number| !number.is_finite()) {
            return Err(EmbeddingsError::NotFinite);
        }
        match places.get_mut(item.index.unwrap_or(at)) {
            Some(place @ None) => *place = Some(vector),
            // With as many vectors as texts, a duplicate index means that another text has no vector.
            Some(Some(_)) | None => return Err(EmbeddingsError::Garbled),
        }
    }
    places.into_iter().collect::<Option<_>>().ok_or(count)
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

/// Deserializes numbers, or base64 of numbers.
struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = Vector;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a vector as numbers or as base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vector, E> {
        let bytes = STANDARD.decode(text).map_err(E::custom)?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || numbers.len() > MAX_DIMENSIONS {
            return Err(E::invalid_length(bytes.len(), &self));
        }
        Ok(Vector(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<Vector, A::Error> {
        let mut vector = Vec::new();
        // As f64, because the result for an f32 that is too large (error or infinity) depends on serde_json's
        // features.
        while let Some(number) = numbers.next_element::<f64>()? {
            if vector.len() >= MAX_DIMENSIONS {
                return Err(A::Error::invalid_length(vector.len(), &self));
            }
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a value that is too large becomes infinite, and is refused"
            )]
            vector.push(number as f32);
        }
        Ok(Vector(vector))
    }
}

#[cfg(test)]
mod tests {
    use super::vectors;

    #[track_caller]
    fn check(body: &str, texts: usize, dimensions: Option<usize>, expected: &str) {
        let found = match vectors(body.as_bytes(), texts, dimensions) {
            Ok(found) => format!("{found:?}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{body}");
    }

    const GARBLED: &str = "the answer is not a list of vectors";

    #[test]
    fn both_forms_are_read_in_the_order_of_the_texts() {
        check(r#"{"data":[{"index":0,"embedding":[1,-0.5]}]}"#, 1, None, "[[1.0, -0.5]]");
        // 1.0 and -0.5, little-endian.
        check(r#"{"data":[{"index":0,"embedding":"AACAPwAAAL8="}]}"#, 1, Some(2), "[[1.0, -0.5]]");
        let turned = r#"{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[2]}]}"#;
        check(turned, 2, None, "[[2.0], [1.0]]");
        check(
            r#"{"object":"list","data":[{"embedding":[1]},{"embedding":[2]}],"x":1}"#,
            2,
            None,
            "[[1.0], [2.0]]",
        );
    }

    #[test]
    fn vectors_that_do_not_fit_are_refused() {
        check(r#"{"data":[{"embedding":[1]}]}"#, 2, None, "the answer has 1 vectors for 2 texts");
        check(r#"{"data":[]}"#, 1, None, "the answer has 0 vectors for 1 texts");
        check(r#"{"data":[{"embedding":[1]}]}"#, 1, Some(2), "it gave a vector of 1 numbers in place of 2");
        let mixed = r#"{"data":[{"embedding":[1]},{"embedding":[1,2]}]}"#;
        check(mixed, 2, None, "it gave a vector of 2 numbers in place of 1");
        check(r#"{"data":[{"embedding":[]}]}"#, 1, None, "it gave a vector of 0 numbers in place of 0");
        let not_finite = "it gave a vector with a number that is not finite";
        check(r#"{"data":[{"embedding":[1e39]}]}"#, 1, None, not_finite);
        // NaN in base64.
        check(r#"{"data":[{"embedding":"AADAfw=="}]}"#, 1, None, not_finite);
        for body in [
            "",
            "[]",
            "{}",
            r#"{"data":{}}"#,
            r#"{"data":[{"embedding":[null]}]}"#,
            r#"{"data":[{"embedding":"A"}]}"#,
            r#"{"data":[{"embedding":"AAA="}]}"#,
            r#"{"data":[{"embedding":[NaN]}]}"#,
            r#"{"data":[{"index":0}]}"#,
            r#"{"data":[{"index":1,"embedding":[1]}]}"#,
            r#"{"data":[{"index":-1,"embedding":[1]}]}"#,
            r#"{"data":[{"embedding":["1"]}]}"#,
        ] {
            check(body, 1, None, GARBLED);
        }
        check(r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#, 2, None, GARBLED);
        let long = format!(r#"{{"data":[{{"embedding":[1{}]}}]}}"#, ",1".repeat(20_000));
        assert_eq!(vectors(long.as_bytes(), 1, None).unwrap_err().to_string(), GARBLED);
    }
}
