//! Questions in words as forms of a client that shows forms.

use serde_json::{Value, json};
use windlass_app::feed::Question;
use windlass_app::sessions::{Answer, OpenQuestion};

/// The field with the text that the person typed.
const WORDS: &str = "answer";
/// The field with one of the proposed answers.
const CHOICE: &str = "choice";

/// The answer of a person who refused to answer.
const DECLINED: &str = "The person declined to answer this question.";

/// Returns the parameters of `elicitation/create` for a question in words; `None` for other questions.
pub(crate) fn request(session: &str, question: &OpenQuestion) -> Option<Value> {
    let Question::Words { text, suggestions } = &question.card else { return None };
    let schema = if suggestions.is_empty() {
        json!({"type": "object", "required": [WORDS], "properties": {
            WORDS: {"type": "string", "title": "Answer", "minLength": 1},
        }})
    } else {
        json!({"type": "object", "properties": {
            CHOICE: {"type": "string", "title": "Proposed answers", "enum": suggestions},
            WORDS: {"type": "string", "title": "Another answer"},
        }})
    };
    Some(json!({"sessionId": session, "mode": "form", "message": text, "requestedSchema": schema}))
}

/// Returns the answer that the client's response means; `None` if the person closed the form, so the question stays open.
pub(crate) fn answer(response: &Value) -> Option<Answer> {
    let text =
        |name: &str| response.get("content")?.get(name)?.as_str().filter(|text| !text.trim().is_empty());
    let text = match response.get("action").and_then(Value::as_str) {
        Some("accept") => text(WORDS).or_else(|| text(CHOICE))?,
        Some("decline") => DECLINED,
        _ => return None,
    };
    Some(Answer::Words { text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use windlass_app::sessions::Answer;

    use super::{DECLINED, answer};

    #[test]
    fn typed_text_overrides_a_choice_and_an_empty_form_leaves_it_open() {
        let words = |text: &str| Some(Answer::Words { text: text.to_owned() });
        let accept = |content| answer(&json!({"action": "accept", "content": content}));
        assert_eq!(accept(json!({"answer": "mine", "choice": "theirs"})), words("mine"));
        assert_eq!(accept(json!({"answer": " ", "choice": "theirs"})), words("theirs"));
        assert_eq!(accept(json!({"answer": 1})), None);
        assert_eq!(answer(&json!({"action": "accept"})), None);
        assert_eq!(answer(&json!({"action": "decline"})), words(DECLINED));
        assert_eq!(answer(&json!({"action": "cancel"})), None);
        assert_eq!(answer(&json!({})), None);
    }
}
