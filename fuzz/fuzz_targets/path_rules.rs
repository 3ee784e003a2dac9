//! Fuzzes the property `path_rules`.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| windlass_testkit::oracle::path_rules(bytes));
