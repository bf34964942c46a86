//! Graphs with given in-degrees: stand-ins for real graphs, of which only the number of
//! vertices and edges, the largest in-degree and the shape of the distribution are kept.

use std::fmt;
use std::ops::Range;

use super::collect_edges;
use super::decimal::Decimal;
use super::options::Options;
use super::random::{Stream, scaled};
use super::shuffle::Shuffle;
use crate::program::VertexId;

/// In-degrees by rank, the largest first, of sum `m` exactly.
///
/// 1. Rank i below `receivers` has in-degree `max * ((1 + q) / (1 + q + i))^s`, rounded, and
///    at least 2.
/// 2. Of the other ranks, as many as the sum lacks have in-degree 1, the rest 0.
/// 3. If the sum is still too small, the last ranks below `receivers` get one edge more
///    each, as many of them as needed; `max` is not exceeded.
/// 4. If it is too large, the last of the ranks of in-degree 3 or more lose one edge each,
///    but not rank 0.
///
/// So exactly `receivers` vertices have an in-degree above 1, and rank 0 has `max`. Ids are
/// shuffled, sources are uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct InDegree {
    /// Number of vertices.
    n: u32,
    /// Number of edges.
    m: u64,
    /// Largest in-degree.
    max: u32,
    /// Number of vertices with an in-degree above 1.
    receivers: u32,
    /// How steeply in-degrees fall.
    s: Decimal,
    /// How many ranks it takes until they do.
    q: Decimal,
}

/// Consecutive ranks of the same in-degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    degree: u32,
    ranks: u32,
}

/// A run with in-edges, by where it begins.
struct Start {
    edge: u64,
    rank: u64,
    degree: u64,
}

impl InDegree {
    pub(super) const OPTIONS: [&str; 6] = ["n", "m", "max", "receivers", "s", "q"];
    /// Most edges. They bound the number of different degrees, and so the time and memory
    /// that it takes to find these.
    const MAX_EDGES: u64 = 1 << 40;

    pub(super) fn read(options: &Options<'_>) -> Result<Self, String> {
        let n = options.needed("n", 1..=u32::MAX.into())?;
        Ok(Self {
            n: n as u32,
            m: options.needed("m", 0..=Self::MAX_EDGES)?,
            max: options.needed("max", 2..=u32::MAX.into())? as u32,
            receivers: options.needed("receivers", 1..=n)? as u32,
            s: options.needed_decimal("s", 100)?,
            q: options.needed_decimal("q", 1_000_000_000)?,
        })
    }

    pub(super) fn vertex_count(self) -> u32 {
        self.n
    }

    /// The edges to rank 0, then those to rank 1, and so on.
    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        let (mut edge, mut rank) = (0, 0);
        let mut starts = Vec::new();
        for run in self.degrees()?.into_iter().filter(|run| run.degree > 0) {
            let degree = u64::from(run.degree);
            starts.push(Start { edge, rank, degree });
            edge += degree * u64::from(run.ranks);
            rank += u64::from(run.ranks);
        }
        let (draws, shuffle) = (Stream::new(seed, 0), Shuffle::new(self.n, seed));
        collect_edges(self.m, |i| {
            let start = &starts[starts.partition_point(|start| start.edge <= i) - 1];
            let rank = start.rank + (i - start.edge) / start.degree;
            let source = scaled(draws.get(i), self.n.into());
            [source as VertexId, shuffle.place(rank as VertexId)]
        })
    }

    /// The in-degrees of all ranks. O(D log V) for D different ones.
    fn degrees(self) -> Result<Vec<Run>, String> {
        let (mut runs, sum) = self.head()?;
        let (receivers, others) = (self.receivers, self.n - self.receivers);
        let ranks_of = |degrees: Range<u32>| {
            let runs = runs.iter().filter(|run| degrees.contains(&run.degree));
            runs.map(|run| run.ranks).sum::<u32>()
        };
        let ones = self.m.saturating_sub(sum).min(others.into()) as u32;
        if sum > self.m {
            let end = receivers - ranks_of(0..3);
            let surplus = sum - self.m;
            let room = u64::from(end.saturating_sub(1));
            if surplus > room {
                return Err(self.out_of_reach(format_args!("at least {}", sum - room)));
            }
            runs = shifted(&runs, end - surplus as u32..end, -1);
        } else {
            let lack = self.m - sum - u64::from(ones);
            let room = u64::from(ranks_of(0..self.max));
            if lack > room {
                let most = sum + u64::from(others) + room;
                return Err(self.out_of_reach(format_args!("at most {most}")));
            }
            runs = shifted(&runs, receivers - lack as u32..receivers, 1);
        }
        let tail = [Run { degree: 1, ranks: ones }, Run { degree: 0, ranks: others - ones }];
        runs.extend(tail.into_iter().filter(|run| run.ranks > 0));
        Ok(runs)
    }

    /// The in-degrees of the ranks below `receivers` by the formula, and their sum.
    fn head(self) -> Result<(Vec<Run>, u64), String> {
        let (mut runs, mut sum) = (Vec::new(), 0);
        let mut rank = 0;
        while rank < self.receivers {
            let degree = self.degree(rank);
            let ranks = self.end_of(degree, rank) - rank;
            runs.push(Run { degree, ranks });
            rank += ranks;
            sum += u64::from(degree) * u64::from(ranks);
            // No adjustment brings this down to m. Without the check, there could be
            // 2^32 different degrees.
            if sum > self.m + u64::from(self.receivers) {
                return Err(self.out_of_reach(format_args!("more than {}", self.m)));
            }
        }
        Ok((runs, sum))
    }

    fn out_of_reach(self, sum: fmt::Arguments<'_>) -> String {
        format!("m={}: the in-degrees of max, receivers, s and q sum to {sum}", self.m)
    }

    /// The in-degree of a rank below `receivers`, by the formula. It never rises from
    /// one rank to the next, since each step rounds monotonically.
    fn degree(self, rank: u32) -> u32 {
        let base = 1.0 + self.q.value();
        let share = power(base / (base + f64::from(rank)), self.s.value());
        ((f64::from(self.max) * share + 0.5) as u32).max(2)
    }

    /// The first rank after `rank`, which has this in-degree, that has another, or
    /// `receivers`.
    fn end_of(self, degree: u32, rank: u32) -> u32 {
        let (mut inside, mut outside) = (u64::from(rank), u64::from(self.receivers));
        let holds = |rank: u64| degree == self.degree(rank as u32);
        // Long steps first, since most runs are short.
        let mut step = 1;
        while inside + step < outside && holds(inside + step) {
            inside += step;
            step *= 2;
        }
        outside = outside.min(inside + step);
        while outside - inside > 1 {
            let middle = inside.midpoint(outside);
            if holds(middle) { inside = middle } else { outside = middle }
        }
        outside as u32
    }
}

/// `x` to the power of `s`, both at least 0. It takes only products and square roots: IEEE
/// 754 says what each of them rounds to, so that the result is the same on every machine,
/// which that of `powf` need not be. Its relative error is about 10^-14.
fn power(x: f64, s: f64) -> f64 {
    let mut power = 1.0;
    for _ in 0..s as u32 {
        power *= x;
    }
    // The binary digits of the fraction: half powers, quarter powers, ...
    let (mut root, mut fraction) = (x, s.fract());
    while fraction > 0.0 {
        root = root.sqrt();
        fraction *= 2.0;
        if fraction >= 1.0 {
            power *= root;
            fraction -= 1.0;
        }
    }
    power
}

/// The runs with `change` added to the degrees of these ranks.
fn shifted(runs: &[Run], range: Range<u32>, change: i32) -> Vec<Run> {
    let mut shifted = Vec::with_capacity(runs.len() + 2);
    let mut first = 0;
    for Run { degree, ranks } in runs {
        let end = first + ranks;
        let (from, to) = (range.start.clamp(first, end), range.end.clamp(first, end));
        let parts = [
            Run { degree: *degree, ranks: from - first },
            Run { degree: degree.saturating_add_signed(change), ranks: to - from },
            Run { degree: *degree, ranks: end - to },
        ];
        shifted.extend(parts.into_iter().filter(|run| run.ranks > 0));
        first = end;
    }
    shifted
}

impl fmt::Display for InDegree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, m, max, receivers, s, q } = self;
        write!(f, "indegree:n={n},m={m},max={max},receivers={receivers},s={s},q={q}")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::graph::generate::Kind;
    use crate::graph::generate::Spec;

    fn read(text: &str) -> InDegree {
        match text.parse::<Spec>().unwrap().kind {
            Kind::InDegree(in_degree) => in_degree,
            kind => panic!("{kind:?}"),
        }
    }

    /// One in-degree per rank.
    fn sequence(graph: InDegree) -> Vec<u32> {
        let runs = graph.degrees().unwrap();
        assert!(runs.iter().all(|run| run.ranks > 0));
        runs.iter().flat_map(|run| vec![run.degree; run.ranks as usize]).collect()
    }

    /// The parameters that the book gives for real graphs, and their share of vertices with
    /// an in-degree above 1 in per cent.
    #[test]
    fn stand_ins_have_the_figures_of_the_real_graphs() {
        for (text, share) in [
            ("indegree:n=107614,m=13673453,max=17058,receivers=107506,s=1.7502,q=612.6", 99.9),
            ("indegree:n=1632803,m=30633564,max=6808,receivers=1245829,s=1.1387,q=985.4", 76.3),
            ("indegree:n=3997962,m=34681189,max=2454,receivers=3066437,s=0.9076,q=1211.3", 76.7),
            ("indegree:n=3774768,m=16518948,max=779,receivers=2336581,s=0.7408,q=743.8", 61.9),
        ] {
            let graph = read(text);
            let runs = graph.degrees().unwrap();
            let ranks = |runs: &[Run]| runs.iter().map(|run| u64::from(run.ranks)).sum::<u64>();
            assert_eq!(ranks(&runs), u64::from(graph.n), "{text}");
            let sum: u64 =
                runs.iter().map(|run| u64::from(run.degree) * u64::from(run.ranks)).sum();
            assert_eq!(sum, graph.m, "{text}");
            assert_eq!(runs.iter().map(|run| run.degree).max(), Some(graph.max), "{text}");
            let above: Vec<_> = runs.iter().copied().filter(|run| run.degree > 1).collect();
            let above = 100.0 * ranks(&above) as f64 / f64::from(graph.n);
            assert!((above - share).abs() < 0.1, "{text}: {above} %");
        }
    }

    #[test]
    fn sums_are_reached_as_documented() {
        let graph = |m: u64| format!("indegree:n=1000,m={m},max=90,receivers=500,s=1.25,q=7.5");
        let formula: Vec<_> = (0..500)
            .map(|i| (90.0 * (8.5 / (8.5 + f64::from(i))).powf(1.25)).round().max(2.0) as u32)
            .collect();
        assert_eq!(formula.iter().sum::<u32>(), 2332);
        let check = |m: u64, head: &[u32], ones: usize| {
            let degrees = sequence(read(&graph(m)));
            assert_eq!(degrees[..500], *head, "{m}");
            assert_eq!(degrees[500..], [vec![1; ones], vec![0; 500 - ones]].concat(), "{m}");
        };
        for ones in [0, 68, 500] {
            check(2332 + ones as u64, &formula, ones);
        }
        let mut head = formula.clone();
        head[432..].iter_mut().for_each(|degree| *degree += 1);
        check(2900, &head, 500);
        head[1..432].iter_mut().for_each(|degree| *degree += 1);
        check(3331, &head, 500);
        let mut head = formula.clone();
        assert_eq!((head[140], head[141]), (3, 2));
        head[109..141].iter_mut().for_each(|degree| *degree -= 1);
        check(2300, &head, 0);
        head[1..109].iter_mut().for_each(|degree| *degree -= 1);
        check(2192, &head, 0);
        for (m, sum) in [(3332, "at most 3331"), (2191, "at least 2192"), (0, "more than 0")] {
            let expected = format!("m={m}: the in-degrees of max, receivers, s and q sum to {sum}");
            assert_eq!(read(&graph(m)).degrees(), Err(expected));
        }
    }

    #[test]
    fn small_cases_are_exact() {
        // A flat head, no tail, and a single receiver.
        for (text, degrees) in [
            ("indegree:n=4,m=20,max=5,receivers=4,s=0,q=0", vec![5; 4]),
            ("indegree:n=1,m=3,max=3,receivers=1,s=1,q=0", vec![3]),
            ("indegree:n=3,m=3,max=2,receivers=1,s=100,q=1000000000", vec![2, 1, 0]),
            ("indegree:n=5,m=11,max=4,receivers=3,s=1,q=0", vec![4, 2, 3, 1, 1]),
        ] {
            assert_eq!(sequence(read(text)), degrees, "{text}");
        }
    }

    #[test]
    fn drawn_edges_have_these_in_degrees() {
        for m in [2300, 2400, 2900] {
            let text = format!("indegree:n=1000,m={m},max=90,receivers=500,s=1.25,q=7.5,seed=3");
            let graph = text.parse::<Spec>().unwrap().plain().unwrap();
            assert!(graph.directed());
            let mut found: Vec<_> = (0..1000).map(|v| graph.incoming().degree(v) as u32).collect();
            let mut expected = sequence(read(&text));
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn powers_are_close_and_never_rise() {
        for s in [0.0, 1.0, 0.5, 1.7502, 0.9076, 13.3] {
            let mut before = 1.0;
            for i in 0..2000 {
                let x = 7.5 / (7.5 + f64::from(i));
                let found = power(x, s);
                assert!((found / x.powf(s) - 1.0).abs() < 1e-13, "{x} to the {s}: {found}");
                assert!(found <= before, "{x} to the {s}");
                before = found;
            }
        }
        assert_eq!(power(0.3, 1.0), 0.3);
        assert_eq!(power(0.3, 0.5), 0.3f64.sqrt());
        assert_eq!(power(1.0, 1.7502), 1.0);
    }
}
