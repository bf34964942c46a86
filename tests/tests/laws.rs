//! The laws of monoids that `pregel_core` does not define: those of the bundled
//! algorithms and of the tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::sssp::{Shorter, Step};
use pregel_core::program::{Law, Monoid};
use pregel_roster::test_programs::{Band, Extent};
use pregel_testing::laws;
use proptest::prelude::*;

fn obeys<M: Monoid<Value: std::fmt::Debug>>(a: M::Value, b: M::Value, c: M::Value) {
    assert_eq!(M::LAW, Law::Exact);
    laws::<M>(&[a, b, c]).unwrap();
}

/// From few distances and parents, so that ties are frequent.
fn step() -> impl Strategy<Value = Step> {
    let distance = prop_oneof![(0..4u32).prop_map(|d| d as f32 / 2.0), Just(f32::INFINITY)];
    (distance, 0..4u32).prop_map(|(distance, parent)| Step { distance, parent })
}

fn band() -> impl Strategy<Value = Band> {
    (any::<i64>(), any::<i64>(), 0..u64::from(u32::MAX)).prop_map(|(a, b, count)| Band {
        low: a.min(b),
        high: a.max(b),
        count,
    })
}

proptest! {
    #[test]
    fn of_the_shorter_step(a in step(), b in step(), c in step()) {
        obeys::<Shorter>(a, b, c);
    }

    #[test]
    fn of_the_extent(a in band(), b in band(), c in band()) {
        obeys::<Extent>(a, b, c);
    }
}
