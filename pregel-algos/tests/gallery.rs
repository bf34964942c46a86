//! The programs of the gallery on all engines, against oracles that know nothing about them.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[path = "gallery/semi_clusters.rs"]
mod semi_clusters;
#[path = "gallery/walks.rs"]
mod walks;

use pregel_algos::gallery::closeness::Nearness;
use pregel_algos::gallery::colouring::Colouring;
use pregel_algos::gallery::eigenvector::Eigenvector;
use pregel_algos::gallery::friends::FriendsOfFriends;
use pregel_algos::gallery::hits::{Half, Scores, hits};
use pregel_algos::gallery::in_degree::InDegree;
use pregel_algos::gallery::katz::Katz;
use pregel_algos::gallery::labels::{Labels, UNLABELLED};
use pregel_algos::gallery::matching::{LEFT, Matching, NOBODY, RIGHT};
use pregel_algos::gallery::maximum::Maximum;
use pregel_algos::gallery::mis::{IN, IndependentSet, OUT};
use pregel_algos::gallery::nearest::{Best, Nearest, Offer};
use pregel_algos::gallery::widest::{UNREACHED, Widest};
use pregel_algos::verify;
use pregel_core::engine::{Cpu, Engine, Reference, RunOptions, StopReason};
use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};
use pregel_testing::{AllEngines, all_engines, laws, small_graphs};

fn vertices<E: Value>(graph: &Graph<E>) -> std::ops::Range<VertexId> {
    0..graph.vertex_count()
}

/// The other end of each edge of `v`, whatever its direction.
fn neighbours<E: Value>(graph: &Graph<E>, v: VertexId) -> Vec<VertexId> {
    let mut ends = graph.out().row(v).to_vec();
    if graph.directed() {
        ends.extend(graph.incoming().row(v));
    }
    ends
}

/// Repeats `step` on all edges until nothing changes.
fn settle<E: Value, T>(
    graph: &Graph<E>,
    mut values: Vec<T>,
    step: impl Fn(&T, E) -> T,
    better: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    loop {
        let mut changed = false;
        for u in vertices(graph) {
            for edge in graph.out().range(u) {
                let v = graph.out().targets()[edge] as usize;
                let value = graph.out_values().get(edge).copied().unwrap_or_else(E::zeroed);
                let offer = step(&values[u as usize], value);
                if better(&offer, &values[v]) {
                    values[v] = offer;
                    changed = true;
                }
            }
        }
        if !changed {
            return values;
        }
    }
}

#[test]
fn maximum() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let inputs: Vec<u32> = vertices(&graph).map(|v| v * 77 % 101).collect();
        let outcome = AllEngines::new().with_inputs(&inputs).run(&graph, &Maximum).unwrap();
        assert_eq!(outcome.states, settle(&graph, inputs, |value, ()| *value, |a, b| a > b));
    }
}

#[test]
fn in_degree() {
    for graph in small_graphs() {
        let outcome = all_engines(&graph, &InDegree { above: 4.0 }).unwrap();
        for v in vertices(&graph) {
            let values = &graph.incoming_values()[graph.incoming().range(v)];
            let expected = values.iter().filter(|value| **value > 4.0).count();
            assert_eq!(outcome.states[v as usize] as usize, expected);
        }
    }
}

#[test]
fn independent_set() {
    for (graph, seed) in small_graphs().into_iter().zip(0..) {
        let graph = graph.without_values();
        let program = IndependentSet { seed };
        let outcome = all_engines(&graph, &program).unwrap();
        let mut order: Vec<VertexId> = vertices(&graph).collect();
        order.sort_by_key(|v| program.place(*v));
        let mut expected = vec![IN; order.len()];
        for (i, &v) in order.iter().enumerate() {
            let earlier = |u: &VertexId| order[..i].contains(u) && expected[*u as usize] == IN;
            if neighbours(&graph, v).iter().any(earlier) {
                expected[v as usize] = OUT;
            }
        }
        assert_eq!(outcome.states, expected);
    }
}

#[test]
fn colouring() {
    for (graph, seed) in small_graphs().into_iter().zip(0..) {
        let graph = graph.without_values();
        let program = Colouring { seed };
        let outcome = all_engines(&graph, &program).unwrap();
        let mut order: Vec<VertexId> = vertices(&graph).collect();
        order.sort_by_key(|v| program.place(*v));
        let mut expected = vec![None; order.len()];
        for &v in &order {
            let near = neighbours(&graph, v);
            let taken = |colour: &u32| near.iter().any(|u| expected[*u as usize] == Some(*colour));
            expected[v as usize] = (0..).find(|colour| !taken(colour));
        }
        let found: Vec<Option<u32>> = outcome.states.into_iter().map(Some).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn katz() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let degrees = vertices(&graph).map(|v| graph.incoming().degree(v));
        let attenuation = 0.8 / degrees.max().unwrap().max(1) as f64;
        let program = Katz { attenuation, base: 1.0, tolerance: 1e-9 };
        let outcome = all_engines(&graph, &program).unwrap();
        // What is left when the equation is put in.
        for v in vertices(&graph) {
            let senders = graph.incoming().row(v).iter();
            let sum: f64 = senders.map(|u| outcome.states[*u as usize]).sum();
            let rest = 1.0 + attenuation * sum - outcome.states[v as usize];
            assert!(rest.abs() < 1e-8, "vertex {v}: {rest}");
        }
    }
}

#[test]
fn eigenvector() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let program = Eigenvector { tolerance: 1e-9 };
        let outcome = AllEngines::new().with_max_supersteps(40).run(&graph, &program).unwrap();
        let n = f64::from(graph.vertex_count());
        let mut values = vec![1.0 / n; graph.vertex_count() as usize];
        for _ in 0..outcome.report.supersteps {
            let all: f64 = values.iter().sum();
            let sum =
                |v: u32| graph.incoming().row(v).iter().map(|u| values[*u as usize]).sum::<f64>();
            values = vertices(&graph).map(|v| (values[v as usize] + sum(v)) / all).collect();
        }
        for (found, expected) in outcome.states.iter().zip(&values) {
            assert!((found - expected).abs() < 1e-9, "{found}, expected {expected}");
        }
        if outcome.report.stop == StopReason::Converged {
            assert!(verify::eigenvector::values(&graph, &outcome.states, 1e-6).is_ok());
        }
    }
    let cycle = Graph::from_edges((0..9).map(|v| (v, (v + 1) % 9))).unwrap();
    assert!(verify::eigenvector::values(&cycle, &[0.1; 9], 1e-6).is_ok());
    let mut wrong = [0.1; 9];
    wrong[4] = 0.11;
    assert!(verify::eigenvector::values(&cycle, &wrong, 1e-6).is_err());
    wrong[4] = f64::NAN;
    assert!(verify::eigenvector::values(&cycle, &wrong, 1e-6).is_err());
}

#[test]
fn hubs_and_authorities() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let inputs: Vec<Scores> = vertices(&graph)
            .map(|v| Scores { hub: f64::from(v + 1), authority: f64::from(v % 4) })
            .collect();
        let halves = AllEngines::new().with_inputs(&inputs).with_same(near);
        let authorities = halves.run(&graph, &Half::<false> { scale: 0.5 }).unwrap().states;
        let halves = AllEngines::new().with_inputs(&inputs).with_same(near);
        let hubs = halves.run(&graph, &Half::<true> { scale: 0.5 }).unwrap().states;
        for v in 0..inputs.len() {
            let from = graph.incoming().row(v as u32).iter().map(|u| inputs[*u as usize].hub);
            let to = graph.out().row(v as u32).iter().map(|u| inputs[*u as usize].authority);
            assert!((authorities[v].authority - 0.5 * from.sum::<f64>()).abs() < 1e-9);
            assert!((hubs[v].hub - 0.5 * to.sum::<f64>()).abs() < 1e-9);
        }
        let found = hits(&Cpu::new(), &graph, &RunOptions::default(), 20, 0.0).unwrap();
        let (mut hubs, mut authorities) = (vec![1.0; inputs.len()], vec![0.0; inputs.len()]);
        let share = |values: Vec<f64>| {
            let total: f64 = values.iter().sum();
            values.iter().map(|value| if total > 0.0 { value / total } else { 0.0 }).collect()
        };
        for _ in 0..found.reports.len() / 2 {
            let from = |v| graph.incoming().row(v).iter().map(|u| hubs[*u as usize]).sum();
            authorities = share(vertices(&graph).map(from).collect());
            let to = |v| graph.out().row(v).iter().map(|u| authorities[*u as usize]).sum();
            hubs = share(vertices(&graph).map(to).collect());
        }
        for v in 0..inputs.len() {
            assert!((found.hubs[v] - hubs[v]).abs() < 1e-9);
            assert!((found.authorities[v] - authorities[v]).abs() < 1e-9);
        }
    }
}

fn near(a: &Scores, b: &Scores) -> bool {
    (a.hub - b.hub).abs() < 1e-9 && (a.authority - b.authority).abs() < 1e-9
}

#[test]
fn labels() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let seed = |v: u32| if v.is_multiple_of(5) { v * 7 % 3 } else { UNLABELLED };
        let inputs: Vec<u32> = vertices(&graph).map(seed).collect();
        let outcome = AllEngines::new().with_inputs(&inputs).run(&graph, &Labels).unwrap();
        let (mut labels, mut fresh) = (inputs.clone(), inputs);
        while fresh.iter().any(|label| *label != UNLABELLED) {
            let offers = |v: u32| {
                let senders = graph.incoming().row(v).iter().map(|u| fresh[*u as usize]);
                senders.filter(|label| *label != UNLABELLED).collect::<Vec<_>>()
            };
            let most = |v: u32| {
                let offers = offers(v);
                let count = |label| offers.iter().filter(|other| **other == label).count();
                (0..3).rev().max_by_key(|label| count(*label)).filter(|label| count(*label) > 0)
            };
            let next = |v: u32| most(v).filter(|_| labels[v as usize] == UNLABELLED);
            let next: Vec<u32> = vertices(&graph).map(|v| next(v).unwrap_or(UNLABELLED)).collect();
            labels.iter_mut().zip(&next).for_each(|(label, new)| *label = (*label).min(*new));
            fresh = next;
        }
        assert_eq!(outcome.states, labels);
    }
}

#[test]
fn nearest() {
    let offer = |distance, facility| Offer { distance, facility };
    let samples = [offer(1.0, 3), offer(1.0, 2), offer(0.5, 9), offer(7.0, 0), Offer::NONE];
    laws::<Best>(&samples).unwrap();
    for graph in small_graphs() {
        let inputs: Vec<u32> = vertices(&graph).map(|v| u32::from(v.is_multiple_of(4))).collect();
        let outcome = AllEngines::new().with_inputs(&inputs).run(&graph, &Nearest).unwrap();
        let first = vertices(&graph).zip(&inputs);
        let first = first.map(|(v, i)| if *i == 1 { offer(0.0, v) } else { Offer::NONE }).collect();
        let longer = |o: &Offer, length| offer(o.distance + length, o.facility);
        let before = |a: &Offer, b: &Offer| (a.distance, a.facility) < (b.distance, b.facility);
        assert_eq!(outcome.states, settle(&graph, first, longer, before));
    }
}

#[test]
fn widest() {
    for graph in small_graphs() {
        let source = graph.vertex_count() / 2;
        let outcome = all_engines(&graph, &Widest { source }).unwrap();
        let mut first = vec![UNREACHED; graph.vertex_count() as usize];
        first[source as usize] = f32::INFINITY;
        let expected = settle(&graph, first, |width, edge| width.min(edge), |a, b| a > b);
        assert_eq!(outcome.states, expected);
    }
}

#[test]
fn friends_of_friends() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let person = graph.vertex_count() / 3;
        let outcome = all_engines(&graph, &FriendsOfFriends { person }).unwrap();
        let friends = neighbours(&graph, person);
        for v in vertices(&graph) {
            let state = outcome.states[v as usize];
            let known = v == person || friends.contains(&v);
            assert_eq!(state.known == 1, known, "{v}");
            if !known {
                let distinct: std::collections::BTreeSet<_> = friends.iter().collect();
                let ends =
                    |f: &&&VertexId| neighbours(&graph, ***f).iter().filter(|u| **u == v).count();
                let common: usize =
                    distinct.iter().filter(|f| ***f != person).map(|f| ends(&f)).sum();
                assert_eq!(state.recommended() as usize, common, "{v}");
            }
        }
    }
}

#[test]
fn matching() {
    for (graph, seed) in small_graphs().into_iter().zip(0..) {
        let graph = graph.without_values();
        // Not all edges join the two sides.
        let sides: Vec<u32> =
            vertices(&graph).map(|v| if v % 3 == 1 { RIGHT } else { LEFT }).collect();
        let program = Matching { seed };
        let outcome = AllEngines::new().with_inputs(&sides).run(&graph, &program).unwrap();
        let mates: Vec<VertexId> = outcome.states.iter().map(|side| side.mate).collect();
        for v in vertices(&graph) {
            let mate = mates[v as usize];
            let across = |u: &VertexId| sides[*u as usize] != sides[v as usize];
            let near = neighbours(&graph, v);
            if mate == NOBODY {
                assert!(near.iter().filter(|u| across(u)).all(|u| mates[*u as usize] != NOBODY));
            } else {
                assert!(near.contains(&mate) && across(&mate));
                assert_eq!(mates[mate as usize], v);
            }
        }
    }
}

/// Levels of a search along the edges, by a queue.
fn levels(graph: &Graph, source: VertexId) -> Vec<u32> {
    let mut first = vec![u32::MAX; graph.vertex_count() as usize];
    first[source as usize] = 0;
    settle(graph, first, |level, ()| level.saturating_add(1), |a, b| a < b)
}

#[test]
fn nearness() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let n = graph.vertex_count();
        let all: Vec<Vec<u32>> = vertices(&graph).map(|v| levels(&graph, v)).collect();
        let mut nearness = Nearness::new(n);
        all.iter().for_each(|levels| nearness.add(levels));
        for v in 0..n as usize {
            let to = || {
                all.iter().map(|levels| levels[v]).filter(|level| *level != u32::MAX && *level > 0)
            };
            let (reached, sum) = (to().count() as f64, to().sum::<u32>() as f64);
            let others = f64::from(n - 1);
            let closeness = if reached > 0.0 { reached / sum * reached / others } else { 0.0 };
            let harmonic: f64 = to().map(|level| 1.0 / f64::from(level)).sum();
            assert!((nearness.closeness()[v] - closeness).abs() < 1e-12);
            assert!((nearness.harmonic()[v] - harmonic).abs() < 1e-12);
        }
    }
}

/// Each verifier accepts what the reference finds, and refuses it with one value changed.
#[test]
fn verifiers_can_fail() {
    for graph in small_graphs() {
        let (plain, n) = (graph.without_values(), graph.vertex_count());
        let options = RunOptions::default();
        let set = Reference.run(&plain, &IndependentSet { seed: 1 }, &options).unwrap().states;
        let colours = Reference.run(&plain, &Colouring { seed: 1 }, &options).unwrap().states;
        let widths = Reference.run(&graph, &Widest { source: 0 }, &options).unwrap().states;
        let katz = Katz { attenuation: 0.005, base: 1.0, tolerance: 1e-12 };
        let values = Reference.run(&plain, &katz, &options).unwrap().states;
        let accepts_katz =
            |values: &[f64]| verify::katz::values(&plain, &katz, values, 1e-9).is_ok();
        assert!(verify::mis::set(&plain, &set).is_ok());
        assert!(verify::colouring::colours(&plain, &colours).is_ok());
        assert!(verify::widest::widths(&graph, 0, &widths).is_ok());
        assert!(accepts_katz(&values));
        assert!(verify::mis::set(&plain, &set[1..]).is_err());
        for v in 0..n as usize {
            let mut wrong = set.clone();
            for state in [3 - set[v], 0] {
                wrong[v] = state;
                assert!(verify::mis::set(&plain, &wrong).is_err());
            }
            for colour in [colours[v] + 1, u32::MAX] {
                let mut wrong = colours.clone();
                wrong[v] = colour;
                assert!(verify::colouring::colours(&plain, &wrong).is_err());
            }
            let mut wrong = widths.clone();
            for width in [widths[v] + 0.5, widths[v] / 2.0, f32::NAN] {
                wrong[v] = width;
                // Half of nothing is nothing, and more than infinity is no more.
                if wrong[v] != widths[v] {
                    assert!(verify::widest::widths(&graph, 0, &wrong).is_err(), "{width}");
                }
            }
            let mut wrong = values.clone();
            wrong[v] += 1e-6;
            assert!(!accepts_katz(&wrong));
        }
    }
}
