//! Tests of the test kit, and the replay of what fuzzing found.
#![expect(clippy::unwrap_used, reason = "a test ends where what it needs is missing")]

mod corpus_answers;
mod corpus_anthropic_requests;
mod corpus_chat_requests;
mod corpus_gemini;
mod corpus_gemini_requests;
mod corpus_ollama;
mod corpus_oracle;
mod corpus_requests;
mod corpus_streams;
mod corpus_written;
mod corpus_written_items;
mod durable;
mod encoded_history;
mod golden;
mod mutated_requests;
mod path_rules;
mod regressions;
mod server_bodies;
mod workload;
