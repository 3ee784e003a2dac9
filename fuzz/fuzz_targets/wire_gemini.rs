//! Fuzzes the property `wire_gemini`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::wire_format("gemini", bytes));
