//! Forms with the name between marks and the arguments as JSON.

use crate::form::Place::{Anywhere, Start};
use crate::form::Step::{Indexed, Lit, Name, One, Opt, Recipient, Space, Until};
use crate::form::{Body, Form, Step};

/// A form with a name followed by JSON arguments.
const fn form_with_name(steps: &'static [Step], closers: &'static [&'static str]) -> Form {
    Form { place: Anywhere, steps, body: Body::Arguments, closers }
}

pub(super) const FUNCTION: &[Form] = &[form_with_name(
    &[Lit("<function="), Name(">"), Lit(">"), Space, Step::Body, Lit("{")],
    &["</function>", "<|eom_id|>"],
)];

const MISTRAL_END: &[&str] = &["</s>"];

pub(super) const TOOL_CALLS: &[Form] = &[
    form_with_name(
        &[Lit("[TOOL_CALLS]"), Opt(" "), Name("["), Until("[ARGS]"), Opt(" "), Step::Body, Lit("{")],
        MISTRAL_END,
    ),
    form_with_name(&[Lit("[TOOL_CALLS]"), Opt(" "), Name("{"), Step::Body, Lit("{")], MISTRAL_END),
];

const DEEPSEEK_END: &[&str] =
    &["```", "<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "<｜end▁of▁sentence｜>"];

pub(super) const DEEPSEEK: &[Form] = &[
    // V3 and R1 write the call type first and the arguments in a fence.
    form_with_name(
        &[
            Opt("<｜tool▁calls▁begin｜>"),
            Space,
            Lit("<｜tool▁call▁begin｜>"),
            Lit("function<｜tool▁sep｜>"),
            Name("\n"),
            Space,
            Opt("```json"),
            Space,
            Step::Body,
            Lit("{"),
        ],
        DEEPSEEK_END,
    ),
    // V3.1 writes only the name.
    form_with_name(
        &[
            Opt("<｜tool▁calls▁begin｜>"),
            Space,
            Lit("<｜tool▁call▁begin｜>"),
            Name("<"),
            Lit("<｜tool▁sep｜>"),
            Space,
            Step::Body,
            Lit("{"),
        ],
        DEEPSEEK_END,
    ),
];

pub(super) const KIMI: &[Form] = &[form_with_name(
    &[
        Opt("<|tool_calls_section_begin|>"),
        Space,
        Lit("<|tool_call_begin|>"),
        Indexed("<"),
        Lit("<|tool_call_argument_begin|>"),
        Space,
        Step::Body,
        Lit("{"),
    ],
    &["<|tool_call_end|>", "<|tool_calls_section_end|>", "<|im_end|>"],
)];

pub(super) const FUNCTIONARY: &[Form] = &[
    Form {
        place: Start,
        steps: &[Name("\n{"), Lit("\n"), Step::Body, Lit("{")],
        body: Body::Arguments,
        closers: &["<|eot_id|>"],
    },
    form_with_name(&[Lit(">>>"), Name("\n{"), Lit("\n"), Step::Body, Lit("{")], &["<|eot_id|>"]),
];

pub(super) const FUNCTIONARY_FRAME: &[Form] = &[
    Form { place: Start, steps: &[Lit("all\n")], body: Body::Drop, closers: &[] },
    Form { place: Anywhere, steps: &[Lit(">>>all\n")], body: Body::Drop, closers: &[] },
];

const HARMONY_END: &[&str] = &["<|call|>", "<|end|>", "<|return|>"];

pub(super) const HARMONY: &[Form] = &[
    form_with_name(
        &[Opt("<|start|>assistant"), Lit("<|channel|>"), Recipient, Space, Step::Body, Lit("{")],
        HARMONY_END,
    ),
    form_with_name(&[Lit("<|start|>assistant to="), Recipient, Space, Step::Body, Lit("{")], HARMONY_END),
    Form {
        place: Start,
        steps: &[Lit("to="), Recipient, Space, Step::Body, Lit("{")],
        body: Body::Arguments,
        closers: HARMONY_END,
    },
];

pub(super) const HARMONY_FRAME: &[Form] = &[
    // Only headers addressed to the user or to a tool are dropped. A message to another recipient stays text.
    Form {
        place: Anywhere,
        steps: &[Lit("<|start|>assistant"), Step::Body, Lit("<|channel|>")],
        body: Body::Drop,
        closers: &[],
    },
    Form { place: Start, steps: &[Lit("to=user<|message|>")], body: Body::Drop, closers: &[] },
    Form {
        place: Anywhere,
        steps: &[One(&[
            "<|channel|>final<|message|>",
            "<|channel|>commentary<|message|>",
            "<|channel|>commentary to=assistant<|channel|>final<|message|>",
            "<|start|>assistant to=user<|message|>",
            "<|end|>",
            "<|return|>",
            "<|eom|>",
            "<|eot|>",
        ])],
        body: Body::Drop,
        closers: &[],
    },
];
