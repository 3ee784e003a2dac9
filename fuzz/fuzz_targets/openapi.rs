//! Fuzzes the property `openapi`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::openapi(bytes));
