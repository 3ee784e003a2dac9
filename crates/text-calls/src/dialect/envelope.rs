//! Forms in which one JSON value holds the name and the arguments.

use crate::form::Place::{Anywhere, Line, Start};
use crate::form::Step::{Lit, One, Opt, Space};
use crate::form::{Body, Form, Shape, Step};

const JSON: &[&str] = &["{", "["];

/// A form with JSON after a mark.
const fn form_with_mark(steps: &'static [Step], closers: &'static [&'static str]) -> Form {
    Form { place: Anywhere, steps, body: Body::Envelope(Shape::Marked), closers }
}

const fn form_to_drop(marks: &'static [Step]) -> Form {
    Form { place: Anywhere, steps: marks, body: Body::Drop, closers: &[] }
}

pub(super) const TOOL_CALL: &[Form] =
    &[form_with_mark(&[Lit("<tool_call>"), Space, Step::Body, One(JSON)], &["</tool_call>"])];

pub(super) const FUNCTION_CALLS: &[Form] = &[
    form_with_mark(&[Lit("<function_calls>"), Space, Step::Body, One(JSON)], &["</function_calls>"]),
    form_with_mark(
        &[Lit(concat!("<", "antml:function_calls>")), Space, Step::Body, One(JSON)],
        &[concat!("</", "antml:function_calls>")],
    ),
];

pub(super) const PYTHON_TAG: &[Form] = &[form_with_mark(
    &[Lit("<|python_tag|>"), Space, Step::Body, One(JSON)],
    &["<|eom_id|>", "<|eot_id|>", ";"],
)];

pub(super) const TOOL_CALLS_MARK: &[Form] =
    &[form_with_mark(&[Lit("[TOOL_CALLS]"), Space, Step::Body, One(JSON)], &["[/TOOL_CALLS]", "</s>"])];

pub(super) const TOOL_CALLS: &[Form] =
    &[form_with_mark(&[Lit("<tool_calls>"), Space, Step::Body, One(JSON)], &["</tool_calls>"])];

pub(super) const GRANITE: &[Form] = &[form_with_mark(
    &[One(&["<|tool_call|>", "<tool_call>"]), Space, Step::Body, One(JSON)],
    &["</tool_call>", "<|/tool_call|>", "<|end_of_text|>"],
)];

pub(super) const GRANITE_FRAME: &[Form] = &[
    Form { place: Start, steps: &[Lit("<response>")], body: Body::Drop, closers: &[] },
    form_to_drop(&[Lit("</response>")]),
];

pub(super) const NEMOTRON: &[Form] =
    &[form_with_mark(&[Lit("<TOOLCALL>"), Space, Step::Body, One(JSON)], &["</TOOLCALL>"])];

pub(super) const ACTION: &[Form] = &[form_with_mark(
    &[Lit("<|action_start|>"), Space, Opt("<|plugin|>"), Space, Step::Body, One(JSON)],
    &["<|action_end|>"],
)];

pub(super) const LONGCAT: &[Form] =
    &[form_with_mark(&[Lit("<longcat_tool_call>"), Space, Step::Body, One(JSON)], &["</longcat_tool_call>"])];

pub(super) const GIGACHAT: &[Form] = &[
    form_with_mark(&[Lit("<|function_call|>"), Space, Step::Body, Lit("{")], &["<|message_sep|>"]),
    form_with_mark(
        &[
            Lit("<|message_sep|>"),
            Space,
            Lit("function call"),
            Lit("<|role_sep|>"),
            Space,
            Step::Body,
            Lit("{"),
        ],
        &["<|message_sep|>"],
    ),
];

pub(super) const COMMAND: &[Form] =
    &[form_with_mark(&[Lit("<|START_ACTION|>"), Space, Step::Body, One(JSON)], &["<|END_ACTION|>"])];

pub(super) const COMMAND_ACTION: &[Form] = &[Form {
    place: Line,
    steps: &[Lit("Action:"), Space, Lit("```json"), Space, Step::Body, One(JSON)],
    body: Body::Envelope(Shape::Marked),
    closers: &["```"],
}];

pub(super) const COMMAND_FRAME: &[Form] = &[form_to_drop(&[One(&[
    "<|START_RESPONSE|>",
    "<|END_RESPONSE|>",
    "<|START_TEXT|>",
    "<|END_TEXT|>",
    "<|CHATBOT_TOKEN|>",
    "<|END_OF_TURN_TOKEN|>",
])])];

pub(super) const APERTUS: &[Form] = &[Form {
    place: Anywhere,
    steps: &[Lit("<|tools_prefix|>"), Space, Step::Body, One(JSON)],
    body: Body::Envelope(Shape::Keyed),
    closers: &["<|tools_suffix|>"],
}];

pub(super) const FUNCTOOLS: &[Form] = &[Form {
    place: Start,
    steps: &[Lit("functools"), Space, Step::Body, Lit("[")],
    body: Body::Envelope(Shape::Marked),
    closers: &[],
}];

/// The keys with which an object that may be a call can start.
const MEMBERS: &[&str] = &[
    "\"name\"",
    "\"tool_name\"",
    "\"tool\"",
    "\"type\"",
    "\"id\"",
    "\"function\"",
    "\"arguments\"",
    "\"parameters\"",
    "\"tool_call\"",
    "\"tool_calls\"",
    "\"toolCalls\"",
    "\"content\"",
    "\"needsMoreWork\"",
    "\"tool_call_id\"",
];

const OBJECT: &[Step] = &[Step::Body, Lit("{"), Space, One(MEMBERS)];
const LIST: &[Step] = &[Step::Body, Lit("["), Space, Lit("{"), Space, One(MEMBERS)];

pub(super) const BARE: &[Form] = &[
    Form { place: Line, steps: OBJECT, body: Body::Envelope(Shape::Bare), closers: &[";"] },
    Form { place: Line, steps: LIST, body: Body::Envelope(Shape::Bare), closers: &[] },
];

const FENCED: &[Step] = &[
    One(&["```json", "```tool_call", "```tool_use", "```"]),
    Space,
    Step::Body,
    Opt("["),
    Space,
    Lit("{"),
    Space,
    One(MEMBERS),
];

pub(super) const FENCE: &[Form] =
    &[Form { place: Line, steps: FENCED, body: Body::Envelope(Shape::Bare), closers: &["```"] }];

/// In the `auto` dialect a fence is a call only at the start of the answer; elsewhere it is an example.
pub(super) const FENCE_AT_START: &[Form] =
    &[Form { place: Start, steps: FENCED, body: Body::Envelope(Shape::Bare), closers: &["```"] }];

const ANSWER: &[&str] = &["\"toolCalls\"", "\"tool_calls\"", "\"content\"", "\"needsMoreWork\""];

pub(super) const STRUCTURED: &[Form] = &[
    Form {
        place: Start,
        steps: &[Step::Body, Lit("{"), Space, One(ANSWER)],
        body: Body::Envelope(Shape::Structured),
        closers: &[],
    },
    Form {
        place: Start,
        steps: &[Lit("```json"), Space, Step::Body, Lit("{"), Space, One(ANSWER)],
        body: Body::Envelope(Shape::Structured),
        closers: &["```"],
    },
];
