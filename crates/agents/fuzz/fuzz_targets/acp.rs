#![no_main]

use ralph_agents::stream::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ralph_agents_fuzz::read(Format::Acp, bytes));
