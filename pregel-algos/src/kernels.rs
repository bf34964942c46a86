//! The programs' kernels, compiled to PTX and committed in `ptx/`.

include!("../ptx/programs.rs");
