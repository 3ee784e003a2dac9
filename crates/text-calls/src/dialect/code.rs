//! Forms that write a call as code.

use crate::form::Place::{Anywhere, Line};
use crate::form::Step::{Lit, Name, One, Opt, Space};
use crate::form::{Body, Form, Step};

pub(super) const LIST: &[Form] = &[
    Form {
        place: Line,
        steps: &[Lit("["), Space, Name("("), Step::Body, Lit("(")],
        body: Body::Python,
        closers: &["<|eot|>", "<|eot_id|>"],
    },
    // Olmo 3 writes one call per line between tags.
    Form {
        place: Anywhere,
        steps: &[Lit("<function_calls>"), Space, Opt("["), Name("("), Step::Body, Lit("(")],
        body: Body::Python,
        closers: &["</function_calls>"],
    },
    Form {
        place: Line,
        steps: &[Lit("```tool_code"), Space, Opt("["), Name("("), Step::Body, Lit("(")],
        body: Body::Python,
        closers: &["```"],
    },
];

pub(super) const LFM2: &[Form] = &[Form {
    place: Anywhere,
    steps: &[Lit("<|tool_call_start|>"), Space, Opt("["), Space, Name("("), Step::Body, Lit("(")],
    body: Body::Python,
    closers: &["<|tool_call_end|>"],
}];

pub(super) const PYTHON_TAG: &[Form] = &[Form {
    place: Anywhere,
    steps: &[Lit("<|python_tag|>"), Space, Opt("["), Name("("), Step::Body, Lit("(")],
    body: Body::Python,
    closers: &["<|eom_id|>", "<|eot_id|>"],
}];

pub(super) const GEMMA: &[Form] = &[Form {
    place: Anywhere,
    steps: &[Lit("<|tool_call>call:"), Name("{"), Step::Body, Lit("{")],
    body: Body::Literal,
    closers: &["<tool_call|>"],
}];

pub(super) const GEMMA_FRAME: &[Form] = &[Form {
    place: Anywhere,
    steps: &[One(&[
        "<channel|>",
        "<|channel>thought\n<channel|>",
        "<|channel><|channel>thought\n<channel|>",
    ])],
    body: Body::Drop,
    closers: &[],
}];
