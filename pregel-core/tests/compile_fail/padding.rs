//! A struct with a gap after its first field: what lies there is not data.

use pregel_core::prelude::*;

#[derive(Clone, Copy, Pod, Zeroable)]
#[bytemuck(crate = "pregel_core::bytemuck")]
#[repr(C)]
struct Padded {
    known: u8,
    distance: f32,
}

fn main() {}
