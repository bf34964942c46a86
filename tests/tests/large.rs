//! The CPU engine against the reference, on every program of the roster: stars
//! of a million leaves, a long path, and real graphs where they are there.

use pregel_core::engine::Strategy::Auto;
use pregel_tests::programs;
use pregel_tests::suite::cpu;

programs!([large, cpu(2, Auto, false)]);
