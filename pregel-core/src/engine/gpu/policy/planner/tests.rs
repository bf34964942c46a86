use super::*;

const fn graph(vertices: u32, edges: u64) -> Shape {
    Shape { vertices, edges }
}

const GRAPHS: [Shape; 5] = [
    graph(1 << 14, 400_000),
    graph(1 << 20, 31_395_922),
    graph(1 << 24, 64_000_000),
    graph(9, 4),
    graph(1 << 26, 1 << 34),
];

/// A graph that branches by this factor.
fn branching(by: f64) -> Traits {
    Traits { depth: Depth::Sampled { growth: by.ln() }, reads_chunks: false }
}

/// A power law.
fn shallow() -> Traits {
    branching(60.0)
}

/// A road network.
fn deep() -> Traits {
    branching(1.3)
}

fn known(depth: u32) -> Traits {
    Traits { depth: Depth::Known(depth), reads_chunks: false }
}

fn forced(resident: Choice) -> Forced {
    Forced { resident, rounds: resident, ..Forced::default() }
}

fn planner(graph: Shape, traits: Traits) -> Planner {
    Planner::new(Costs::default(), graph, traits, Forced::default())
}

#[test]
fn an_edge_in_42_is_pushed_and_no_edge_more() {
    // Without launches; those make small graphs pull.
    let free = Costs { push_launches_ns: 0.0, ..Costs::default() };
    for graph in GRAPHS {
        let (planner, limit) =
            (Planner::new(free, graph, shallow(), Forced::default()), graph.edges / 42);
        for frontier in [0, limit, limit + 1, graph.edges] {
            let push = frontier * 42 <= graph.edges;
            let expected = if push { Strategy::Push } else { Strategy::Pull };
            assert_eq!(planner.hosted(None, frontier), expected, "{frontier} of {graph:?}");
        }
    }
}

#[test]
fn a_pull_follows_one_that_was_shorter_than_a_push_of_the_messages() {
    let large = planner(graph(4_000_000, 128_000_000), shallow());
    // To push them takes 78 µs, apart from what every superstep takes.
    let frontier = 1_900_000;
    assert_eq!(large.hosted(None, frontier), Strategy::Push);
    for (took, expected) in [(77, Strategy::Pull), (79, Strategy::Push)] {
        let last = Some(Duration::from_micros(took));
        assert_eq!(large.hosted(last, frontier), expected, "{took}");
        let predicted = large.predict_after(last, frontier);
        assert!(predicted.pull_ns < large.predict(frontier).pull_ns);
        assert_eq!(predicted.push_ns, large.predict(frontier).push_ns);
    }
    let small = planner(graph(80_000, 10_000_000), shallow());
    assert_eq!(small.predict_after(Some(Duration::ZERO), 1), small.predict(1));
}

#[test]
fn small_graphs_are_pulled_unless_pulls_read_chunks() {
    let small = graph(80_000, 1_000_000);
    assert_eq!(planner(small, shallow()).hosted(None, 1), Strategy::Pull);
    let chunks = Traits { reads_chunks: true, ..shallow() };
    assert_eq!(planner(small, chunks).hosted(None, 1), Strategy::Push);
    assert_eq!(planner(graph(80_000, 10_000_000), shallow()).hosted(None, 1), Strategy::Push);
}

#[test]
fn lanes_go_by_the_average_row() {
    let lanes = |vertices, edges, each| planner(graph(vertices, edges), deep()).lanes(each);
    assert_eq!(lanes(100, 380, 1.0), 4);
    assert_eq!(lanes(100, 380, 2.0), 8);
    assert_eq!(lanes(100, 900, 1.0), 16);
    assert_eq!(lanes(100, 3_200, 2.0), 32);
    assert_eq!(lanes(0, 0, 1.0), 4);
    assert_eq!(lanes(1, u64::MAX, f64::INFINITY), 32);
    assert_eq!(lanes(1, 0, f64::INFINITY), 4);
}

#[test]
fn rounds_with_few_messages_take_few_blocks() {
    let planner = planner(graph(1 << 24, 1 << 26), deep());
    let blocks = |messages| planner.rounds_blocks(messages);
    let Costs { resident_blocks, rounds_blocks, .. } = Costs::default();
    assert_eq!([None, Some(u64::MAX)].map(blocks), [rounds_blocks; 2]);
    assert_eq!([Some(0), Some(11_000)].map(blocks), [resident_blocks; 2]);
    assert_eq!(blocks(Some(25_600)), 200);
}

#[test]
fn deep_graphs_stay_at_once_and_shallow_ones_after_a_long_streak() {
    let road = graph(1_500_000, 3_900_000);
    let on_road = planner(road, deep());
    assert!(on_road.starts_resident(3, 1, 1) && on_road.streak_threshold() == 1);
    // Beyond the depth that was sampled, only a streak shows that more will follow.
    assert!(!on_road.starts_resident(3, 1000, 1) && on_road.starts_resident(3, 1000, 8));
    let power_law = planner(graph(500_000, 6_000_000), shallow());
    assert!(!power_law.starts_resident(3, 1, 1) && !power_law.starts_resident(3, 7, 6));
    assert_eq!(power_law.streak_threshold(), 22);
    assert!(power_law.starts_resident(3, 30, 22));
    // A star is over before a launch could pay.
    assert!(!planner(graph(100_000, 200_000), known(2)).starts_resident(1, 1, 1));
    assert!(planner(graph(100_000, 200_000), known(20)).starts_resident(1, 1, 1));
}

#[test]
fn frontiers_that_will_explode_do_not_stay() {
    let planner = planner(graph(1 << 22, 1 << 24), branching(3.0));
    assert!(planner.starts_resident(8, 1, 1));
    assert!(!planner.starts_resident(planner.most_edges() - 1, 1, 1));
}

#[test]
fn small_graphs_are_resident_throughout() {
    let small = |edges, traits| planner(graph(16_000, edges), traits).small_graph();
    assert!(small(370_000, shallow()) && !small(1_000_000, shallow()));
    // Too few supersteps.
    assert!(!small(200_000, known(2)) && small(200_000, known(20)));
    let none = Costs { small_graph_launches: 0.0, ..Costs::default() };
    let without = |costs, choice| Planner::new(costs, GRAPHS[3], shallow(), forced(choice));
    assert!(!without(none, Choice::Auto).small_graph());
    assert!(!without(Costs::default(), Choice::Never).small_graph());
    assert_eq!(planner(GRAPHS[3], shallow()).launch_edges(), u64::MAX);
}

#[test]
fn rounds_suit_deep_small_sparse_and_large_graphs() {
    let by_priority = |graph, traits| planner(graph, traits).by_priority();
    assert_eq!(by_priority(graph(1 << 20, 1 << 22), deep()), ByPriority::InRounds);
    let chunks = Traits { reads_chunks: true, ..shallow() };
    assert_eq!(by_priority(graph(80_000, 1_000_000), chunks), ByPriority::InRounds);
    assert_eq!(by_priority(graph(1 << 23, 1 << 24), known(2)), ByPriority::InRounds);
    let large = by_priority(graph(1 << 20, 1 << 23), shallow());
    assert_eq!(large, ByPriority::IfSpread(4.0));
    let edges = 6_000_000;
    let few = WhyNot::FewEdges { edges, needed: 7 << 20 };
    assert_eq!(by_priority(graph(500_000, edges), shallow()), ByPriority::Steps(few));
    let star = WhyNot::Shallow { supersteps: 2 };
    assert_eq!(by_priority(graph(100_000, 200_000), known(2)), ByPriority::Steps(star));
    let is_forced = |resident, has_delta| {
        let forced = Forced { has_delta, ..forced(resident) };
        Planner::new(Costs::default(), graph(500_000, edges), shallow(), forced).by_priority()
    };
    assert_eq!(is_forced(Choice::Always, false), ByPriority::InRounds);
    assert_eq!(is_forced(Choice::Never, true), ByPriority::Steps(WhyNot::Off));
    // An explicit width enables rounds.
    assert_eq!(is_forced(Choice::Auto, true), ByPriority::InRounds);
    // Rounds and resident launches are forced apart.
    for (rounds, resident, per_launch) in
        [(Choice::Always, Choice::Never, 1), (Choice::Always, Choice::Always, 1024)]
    {
        let forced = Forced { rounds, resident, ..Forced::default() };
        let planner = Planner::new(Costs::default(), graph(500_000, edges), shallow(), forced);
        assert_eq!(planner.by_priority(), ByPriority::InRounds);
        assert_eq!(planner.per_launch(), per_launch);
    }
    let forced = Forced { rounds: Choice::Never, resident: Choice::Always, ..Forced::default() };
    let planner = Planner::new(Costs::default(), GRAPHS[2], deep(), forced);
    assert_eq!(planner.by_priority(), ByPriority::Steps(WhyNot::Off));
}

#[test]
fn most_edges_is_where_predictions_meet() {
    for graph in [GRAPHS[1], GRAPHS[2], GRAPHS[4]] {
        assert_eq!(planner(graph, shallow()).most_edges(), 1 << 19, "{graph:?}");
    }
    let costs = Costs { resident_edges: u64::MAX, ..Costs::default() };
    let plan = |costs, graph| Planner::new(costs, graph, shallow(), Forced::default());
    for graph in GRAPHS {
        let planner = plan(costs, graph);
        let most = planner.most_edges();
        let pays = |frontier| {
            let p = planner.predict(frontier);
            p.resident_ns <= p.pull_ns.min(p.push_ns)
        };
        assert!(pays(most) && !pays(most + 2), "{most} in {graph:?}");
    }
    // Resident edges cost less than pushed ones, so any frontier qualifies.
    let cheap = Costs { resident_edge_ns: 0.0, ..costs };
    assert_eq!(plan(cheap, GRAPHS[1]).most_edges(), u64::MAX);
    // A resident superstep costs more than any other.
    let dear = Costs { resident_ns: 1e9, ..costs };
    assert_eq!(plan(dear, GRAPHS[1]).most_edges(), 0);
}

#[test]
fn choices_are_forced() {
    let plan = |choice| Planner::new(Costs::default(), GRAPHS[1], shallow(), forced(choice));
    let always = plan(Choice::Always);
    assert_eq!((always.most_edges(), always.streak_threshold()), (u64::MAX, 0));
    assert!(always.always() && always.starts_resident(1 << 30, 1, 0));
    assert!(!plan(Choice::Never).always());
}

#[test]
fn warps_go_ahead_where_searches_stay_narrow() {
    let costs = Costs::default();
    let (roads, path) = (graph(4_000_000, 10_000_000), graph(1_000, 1_000));
    let of = |graph, traits| {
        let planner = planner(graph, traits);
        (planner.ahead(), planner.rounds_lanes())
    };
    // Lanes as in resident supersteps: one for each of 2.5 edges, at least 4.
    assert_eq!(of(roads, deep()), (costs.ahead, 4));
    assert_eq!(of(path, branching(1.0)), (costs.ahead, 4));
    // Two lanes for each edge.
    assert_eq!(of(roads, branching(2.5)), (0, 8));
    assert_eq!(of(roads, known(2)), (0, 8));
}
