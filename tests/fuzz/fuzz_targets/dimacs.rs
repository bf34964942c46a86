#![no_main]

use pregel_core::io::Format;

libfuzzer_sys::fuzz_target!(|data: &[u8]| pregel_fuzz::file(Format::Dimacs, data));
