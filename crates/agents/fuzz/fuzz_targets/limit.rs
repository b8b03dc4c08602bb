#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ralph_agents_fuzz::limit(bytes));
