//! Compares the CPU engine with the reference, program by program, on a long path and
//! two real graphs, if they exist on this machine; if `PREGEL_ROSTER=whole` is set, on
//! stars with a million leaves and all real graphs too.

use pregel_core::engine::Strategy::Auto;
use pregel_roster::programs;
use pregel_roster::suite::cpu;

programs!([large_sampled, cpu(2, Auto, false)]);
