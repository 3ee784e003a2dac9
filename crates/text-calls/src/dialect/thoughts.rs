//! The forms in which dialects write thoughts.

use crate::form::Place::{Anywhere, Line, Start};
use crate::form::Step::{Lit, One, Opt};
use crate::form::{Body, Form, Place, Step};

const fn thoughts(place: Place, steps: &'static [Step], closes: &'static [&'static str]) -> Form {
    Form { place, steps, body: Body::Reasoning(closes), closers: &[] }
}

pub(super) const THINK: &[Form] = &[
    thoughts(Line, &[Lit("<think>")], &["</think>"]),
    thoughts(Line, &[Lit("<thinking>")], &["</thinking>"]),
];

pub(super) const MISTRAL: &[Form] =
    &[thoughts(Line, &[Lit("[THINK]")], &["[/THINK]"]), thoughts(Line, &[Lit("<think>")], &["</think>"])];

pub(super) const APRIEL: &[Form] = &[
    thoughts(Start, &[Lit("Here are my reasoning steps:\n")], &["[BEGIN FINAL RESPONSE]"]),
    thoughts(Line, &[Lit("<thinking>")], &["</thinking>"]),
    thoughts(Line, &[Lit("<think>")], &["</think>"]),
];

pub(super) const SEED: &[Form] = &[thoughts(Line, &[Lit("<seed:think>")], &["</seed:think>"])];

pub(super) const MINIMAX: &[Form] = &[thoughts(Line, &[Lit("<mm:think>")], &["</mm:think>"])];

pub(super) const COMMAND: &[Form] =
    &[thoughts(Anywhere, &[Lit("<|START_THINKING|>")], &["<|END_THINKING|>"])];

pub(super) const GEMMA: &[Form] = &[thoughts(Anywhere, &[Lit("<|channel>thought\n")], &["<channel|>"])];

pub(super) const KIMI: &[Form] = &[
    thoughts(Anywhere, &[Lit("<|open|>think<|sep|>")], &["<|close|>think<|sep|>"]),
    thoughts(Line, &[Lit("<think>")], &["</think>"]),
];

pub(super) const HARMONY: &[Form] = &[
    thoughts(
        Anywhere,
        &[
            Opt("<|start|>assistant"),
            Opt("<|channel|>commentary to=assistant"),
            Lit("<|channel|>analysis<|message|>"),
        ],
        &["<|end|>"],
    ),
    thoughts(Start, &[Lit("to=self<|message|>")], &["<|eom|>"]),
];

pub(super) const ALL: &[Form] = &[
    thoughts(
        Line,
        &[One(&["<think>", "<thinking>", "[THINK]", "<seed:think>", "<mm:think>"])],
        &["</think>", "</thinking>", "[/THINK]", "</seed:think>", "</mm:think>"],
    ),
    thoughts(Anywhere, &[Lit("<|START_THINKING|>")], &["<|END_THINKING|>"]),
    thoughts(Anywhere, &[Lit("<|channel|>analysis<|message|>")], &["<|end|>"]),
];
