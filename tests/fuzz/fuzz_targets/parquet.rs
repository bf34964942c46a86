#![no_main]

use pregel_core::io::Format;

// The reader catches the panics of the crate parquet, which libFuzzer's hook
// would turn into aborts. A panic that leaves the reader still aborts.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| ())),
    |data: &[u8]| pregel_fuzz::file(Format::Parquet, data)
);
