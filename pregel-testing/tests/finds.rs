//! What a beginner may get wrong is found, with a small example.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pregel_core::prelude::*;
use pregel_core::program::{Kind, Law, Native, Operation};
use pregel_testing::{AllEngines, BrokenLaw, Failure, History, all_engines, laws, small_graphs};

/// The largest number that reaches a vertex, by a combiner and with a promise to choose.
#[derive(Clone, Copy, Debug)]
struct Largest<M, const PROMISED: bool>(PhantomData<fn() -> M>);

impl<M, const PROMISED: bool> Largest<M, PROMISED> {
    fn new() -> Self {
        Self(PhantomData)
    }
}

impl<M: Monoid<Value = i32>, const PROMISED: bool> Program for Largest<M, PROMISED> {
    type Input = ();
    type State = i32;
    type Signal = i32;
    type Edge = ();
    type Combiner = M;
    type Aggregate = Nothing;
    const MONOTONE: bool = PROMISED;
}

impl<M: Monoid<Value = i32>, const PROMISED: bool> EdgeCompute for Largest<M, PROMISED> {
    fn edge_compute(&self, number: &i32, _: Edge<()>) -> Option<i32> {
        Some(*number)
    }
}

impl<M: Monoid<Value = i32>, const PROMISED: bool> VertexCompute for Largest<M, PROMISED> {
    fn init(&self, context: &mut Context<'_, Self>) -> (i32, Vote) {
        (-(context.vertex() as i32) - 1, Vote::Scatter)
    }
    fn vertex_compute(
        &self,
        state: &mut i32,
        came: Option<i32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(larger) = came.filter(|came| came > state) else { return Vote::Halt };
        *state = larger;
        Vote::Scatter
    }
    fn signal(&self, state: &i32, _: &Context<'_, Self>) -> i32 {
        *state
    }
}

/// A combination of integers that says of itself what the constants say.
macro_rules! combination {
    ($name:ident, $identity:expr, $combine:expr, $native:expr, $absorbing:expr) => {
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Monoid for $name {
            type Value = i32;
            const LAW: Law = Law::Exact;
            const NATIVE: Option<Native> = $native;
            fn identity() -> i32 {
                $identity
            }
            fn combine(a: i32, b: i32) -> i32 {
                let combine: fn(i32, i32) -> i32 = $combine;
                combine(a, b)
            }
            fn absorbing(value: &i32) -> bool {
                let absorbing: fn(&i32) -> bool = $absorbing;
                absorbing(value)
            }
        }
    };
}

combination!(WrongIdentity, 0, |a, b| a.max(b), None, |_| false);
combination!(Difference, 0, |a, b| a.wrapping_sub(b), None, |_| false);
combination!(
    Mean,
    i32::MIN,
    |a, b| if a == i32::MIN {
        b
    } else if b == i32::MIN {
        a
    } else {
        (a & b) + ((a ^ b) >> 1)
    },
    None,
    |_| false
);
combination!(TooSoon, i32::MIN, |a, b| a.max(b), None, |value| *value > -3);
combination!(
    WrongNative,
    i32::MIN,
    |a, b| a.max(b),
    Some(Native { operation: Operation::Min, kind: Kind::I32 }),
    |_| false
);

fn law_of<M: Monoid<Value = i32>>() -> String {
    let graph = Graph::from_edges([(0, 3), (1, 3), (2, 3), (3, 4)]).unwrap();
    match all_engines(&graph, &Largest::<M, false>::new()) {
        Err(Failure::Combiner(broken)) => broken.law().to_owned(),
        other => panic!("{:?}", other.map(|outcome| outcome.states)),
    }
}

#[test]
fn broken_laws_are_found_with_the_messages_of_a_run() {
    assert_eq!(law_of::<WrongIdentity>(), "combine(identity, a) == a");
    assert_eq!(law_of::<Difference>(), "combine(identity, a) == a");
    assert_eq!(law_of::<Mean>(), "combine(combine(a, b), c) == combine(a, combine(b, c))");
    assert_eq!(law_of::<TooSoon>(), "absorbing(a) implies combine(a, b) == a");
    assert_eq!(law_of::<WrongNative>(), "combine(a, b) is what NATIVE computes");
}

#[test]
fn samples_show_what_is_wrong_in_the_simplest_way() {
    let broken = laws::<WrongIdentity>(&[5, -300, -1, 7]).unwrap_err();
    let text = broken.to_string();
    assert!(text.contains("WrongIdentity breaks the law combine(identity, a) == a"), "{text}");
    assert!(text.contains("\n  identity = 0\n  a = "), "{text}");
    let noncommutative = laws::<Difference>(&[1, 2]);
    assert!(noncommutative.is_err());
}

#[test]
fn stock_combiners_keep_their_laws() -> Result<(), BrokenLaw> {
    let integers = [0, 1, -1, 5, 1000, i32::MIN, i32::MAX];
    laws::<Min<i32>>(&integers)?;
    laws::<Max<i32>>(&integers)?;
    laws::<Sum<i32>>(&integers)?;
    let floats = [0.0, -0.0, 1.5, -3.25, 1e30, f32::INFINITY, f32::NAN];
    laws::<Min<f32>>(&floats)?;
    laws::<Max<f32>>(&floats)?;
    laws::<Sum<f32>>(&[0.1, 0.2, 0.7, 1e5, -3.5])?;
    laws::<Array<Sum<f64>, 3>>(&[[0.1, 2.0, 3.0], [4.5, 0.2, 0.3]])?;
    laws::<Or<u64>>(&[1, 2, 3, u64::MAX])?;
    laws::<Any<u32>>(&[1, 2, 3])?;
    laws::<Nothing>(&[(), ()])
}

#[test]
fn a_sound_program_passes_on_every_small_graph() {
    for graph in small_graphs() {
        let graph = graph.without_values();
        let outcome = all_engines(&graph, &Largest::<Max<i32>, true>::new()).unwrap();
        // The largest number is that of the smallest id.
        assert_eq!(outcome.states[0], -1);
        all_engines(&graph, &Largest::<Max<i32>, false>::new()).unwrap();
    }
}

/// How often a vertex was reached along edges of a path: counting, which is not monotone.
#[derive(Clone, Copy, Debug)]
struct Count<const PROMISED: bool, A> {
    stays: bool,
    aggregate: PhantomData<fn() -> A>,
}

impl<const PROMISED: bool, A> Count<PROMISED, A> {
    fn new(stays: bool) -> Self {
        Self { stays, aggregate: PhantomData }
    }
}

impl<const PROMISED: bool, A: Monoid> Program for Count<PROMISED, A> {
    type Input = ();
    type State = u32;
    type Signal = ();
    type Edge = ();
    type Combiner = Sum<u32>;
    type Aggregate = A;
    const MONOTONE: bool = PROMISED;
}

impl<const PROMISED: bool, A: Monoid> EdgeCompute for Count<PROMISED, A> {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<u32> {
        Some(1)
    }
}

impl<const PROMISED: bool, A: Monoid> VertexCompute for Count<PROMISED, A> {
    fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
        (0, Vote::of(true, self.stays))
    }
    fn vertex_compute(
        &self,
        count: &mut u32,
        came: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        *count += came.unwrap_or(0);
        Vote::Halt
    }
    fn signal(&self, _: &u32, _: &Context<'_, Self>) {}
}

#[test]
fn a_counting_program_is_not_monotone() {
    let graph = "uniform:n=60,m=200,sym=0".parse::<Spec>().unwrap().plain().unwrap();
    let counts = all_engines(&graph, &Count::<false, Nothing>::new(false)).unwrap();
    assert_eq!(u64::from(counts.states.iter().sum::<u32>()), graph.edge_count());
    let failure = all_engines(&graph, &Count::<true, Nothing>::new(false)).err().unwrap();
    let Failure::Promise(difference) = &failure else { panic!("{failure}") };
    let small = ["a graph of 1 vertex, directed, with the edge 0 → 0", "0 → 1", "1 → 0"];
    assert!(small.iter().any(|graph| difference.graph.contains(graph)), "{failure}");
    // An aggregate does not hide it.
    let failure = all_engines(&graph, &Count::<true, Sum<u32>>::new(false)).err().unwrap();
    assert!(matches!(failure, Failure::Promise(_)), "{failure}");
}

#[test]
fn broken_promises_are_found_on_parts_of_a_large_graph() {
    for spec in ["uniform:n=500,m=30000,sym=0", "uniform:n=5000,m=30000,sym=0"] {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let test = AllEngines::<Count<true, Nothing>>::on_cpu();
        let failure = test.run_on_parts(&graph, &Count::new(false), 10).unwrap_err();
        assert!(matches!(failure, Failure::Promise(_)), "{failure}");
        let test = AllEngines::<Count<false, Nothing>>::on_cpu();
        assert_eq!(test.run_on_parts(&graph, &Count::new(false), 10).unwrap(), 10);
    }
}

#[test]
fn a_monotone_program_does_not_stay_awake() {
    let graph = Graph::from_edges([(0, 1)]).unwrap();
    let failure = all_engines(&graph, &Count::<true, Nothing>::new(true)).err().unwrap();
    assert!(failure.to_string().contains("votes to stay awake"), "{failure}");
}

/// Tells its neighbours its superstep for ever.
#[derive(Clone, Copy, Debug)]
struct Forever;

impl Program for Forever {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Max<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Forever {
    fn edge_compute(&self, superstep: &u32, _: Edge<()>) -> Option<u32> {
        Some(*superstep)
    }
}

impl VertexCompute for Forever {
    fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
        (0, Vote::Scatter)
    }
    fn vertex_compute(
        &self,
        state: &mut u32,
        _: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        *state = context.superstep();
        Vote::Scatter
    }
    fn signal(&self, state: &u32, _: &Context<'_, Self>) -> u32 {
        *state
    }
}

#[test]
fn a_program_that_never_halts_gets_a_hint() {
    let graph = Graph::from_edges([(0, 1), (1, 0), (1, 2)]).unwrap();
    let failure = all_engines(&graph, &Forever).err().unwrap();
    assert!(matches!(failure, Failure::NeverHalts { busy: 3, vertex: 0, .. }), "{failure}");
    assert!(failure.to_string().contains("with_max_supersteps"), "{failure}");
    let outcome = AllEngines::new().with_max_supersteps(5).run(&graph, &Forever).unwrap();
    assert_eq!(outcome.states, [5, 5, 5]);
}

/// Not pure: each message has another number.
#[derive(Clone, Copy, Debug)]
struct Impure;

static SENT: AtomicU32 = AtomicU32::new(0);

impl Program for Impure {
    type Input = ();
    type State = u32;
    type Signal = ();
    type Edge = ();
    type Combiner = Max<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Impure {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<u32> {
        Some(SENT.fetch_add(1, Relaxed))
    }
}

impl VertexCompute for Impure {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        (0, if context.vertex() == 1 { Vote::Scatter } else { Vote::Halt })
    }
    fn vertex_compute(
        &self,
        state: &mut u32,
        came: Option<u32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        *state = came.unwrap_or(0);
        Vote::Halt
    }
    fn signal(&self, _: &u32, _: &Context<'_, Self>) {}
}

#[test]
fn engines_that_disagree_are_found_on_a_small_graph() {
    let graph = "uniform:n=40,m=300,sym=0".parse::<Spec>().unwrap().plain().unwrap();
    let failure = all_engines(&graph, &Impure).err().unwrap();
    let Failure::Difference(difference) = &failure else { panic!("{failure}") };
    assert_eq!(difference.superstep, Some(1), "{failure}");
    assert!(
        difference.graph.contains("a graph of 2 vertices, directed, with the edge 1 → "),
        "{failure}"
    );
}

#[test]
fn errors_of_engines_name_the_engine() {
    /// Runs on one kind of graph: undirected, with this many vertices and entries in its rows.
    #[derive(Clone, Copy, Debug)]
    #[repr(C)]
    struct Mutual {
        vertices: u32,
        edges: u32,
    }
    impl Program for Mutual {
        type Input = ();
        type State = u32;
        type Signal = ();
        type Edge = ();
        type Combiner = Any<()>;
        type Aggregate = Nothing;
    }
    impl EdgeCompute for Mutual {
        fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<()> {
            None
        }
    }
    impl VertexCompute for Mutual {
        fn init(&self, _: &mut Context<'_, Self>) -> (u32, Vote) {
            (0, Vote::Halt)
        }
        fn vertex_compute(&self, _: &mut u32, _: Option<()>, _: &mut Context<'_, Self>) -> Vote {
            Vote::Halt
        }
        fn signal(&self, _: &u32, _: &Context<'_, Self>) {}
        fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
            if graph.directed {
                return Err("friendship is mutual: the graph must be undirected");
            }
            let expected = GraphFacts::new(self.vertices, self.edges.into(), false);
            if *graph == expected { Ok(()) } else { Err("this is another graph") }
        }
    }
    let program = Mutual { vertices: 3, edges: 4 };
    let edges = [(0, 1), (1, 2)];
    let failure = all_engines(&Graph::from_edges(edges).unwrap(), &program).err().unwrap();
    let text = "the reference: friendship is mutual: the graph must be undirected";
    assert_eq!(failure.to_string(), text);

    let undirected = |edges: &[(u32, u32)]| {
        let builder = GraphBuilder::new().with_directed(false);
        builder.with_edges(edges.iter().copied()).build().unwrap()
    };
    all_engines(&undirected(&edges), &program).unwrap();
    let failure = all_engines(&undirected(&edges[..1]), &program).err().unwrap();
    assert_eq!(failure.to_string(), "the reference: this is another graph");
}

#[test]
fn a_history_has_messages_states_and_votes() {
    let graph = Graph::from_edges([(0, 2), (1, 2), (2, 3)]).unwrap();
    let program = Largest::<Max<i32>, true>::new();
    for strategy in [Strategy::Push, Strategy::Pull, Strategy::Mailbox] {
        let options = RunOptions::default().with_strategy(strategy);
        let history = History::record(&Cpu::new(), &graph, &program, &[], 3, &options).unwrap();
        let seen: Vec<_> = history
            .visits
            .iter()
            .map(|visit| (visit.superstep, visit.messages.clone(), visit.after, visit.vote))
            .collect();
        assert_eq!(
            seen,
            [
                (0, vec![], -4, Vote::Scatter),
                (1, vec![(2, -3)], -3, Vote::Scatter),
                (2, vec![(2, -1)], -1, Vote::Scatter),
            ]
        );
        let text = history.describe(graph.ids());
        let last = "superstep 2\n  messages  -1 from 2\n  state     -3 → -1\n  vote      Scatter\n";
        assert!(text.ends_with(last), "{text}");
    }
}

#[test]
fn a_large_state_is_shown_on_lines_of_its_own() {
    #[derive(Clone, Copy, Debug)]
    struct Counts;
    impl Program for Counts {
        type Input = ();
        type State = [u32; 24];
        type Signal = ();
        type Edge = ();
        type Combiner = Any<()>;
        type Aggregate = Nothing;
    }
    impl EdgeCompute for Counts {
        fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<()> {
            Some(())
        }
    }
    impl VertexCompute for Counts {
        fn init(&self, _: &mut Context<'_, Self>) -> ([u32; 24], Vote) {
            ([1_000_000; 24], Vote::Scatter)
        }
        fn vertex_compute(
            &self,
            state: &mut [u32; 24],
            _: Option<()>,
            _: &mut Context<'_, Self>,
        ) -> Vote {
            state[23] = 5;
            Vote::Halt
        }
        fn signal(&self, _: &[u32; 24], _: &Context<'_, Self>) {}
    }
    let graph = Graph::from_edges([(0, 1)]).unwrap();
    let options = RunOptions::default();
    let history = History::record(&Cpu::new(), &graph, &Counts, &[], 1, &options).unwrap();
    let text = history.describe(graph.ids());
    let (nine, nothing) = (["1000000"; 9].join(", "), " ".repeat(12));
    let rest = ["1000000"; 5].join(", ");
    let state =
        |label, last| format!("  {label}[{nine},\n{nothing}{nine},\n{nothing}{rest}, {last}]\n");
    assert_eq!(
        text,
        format!(
            "superstep 0\n{}  vote      Scatter\nsuperstep 1\n  messages  () from 0\n{}{}  vote      Halt\n",
            state("state     ", "1000000"),
            state("before    ", "1000000"),
            state("after     ", "5")
        )
    );
}
