//! Fuzzes the property `wire_openai_responses`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::wire_format("openai-responses", bytes));
