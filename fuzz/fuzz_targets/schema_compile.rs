//! Fuzzes the property `schema_compile`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::schema_compile(bytes));
