//! Table 5: shortest paths and breadth-first search, by both techniques.

use super::super::graphs::{GRAPHS, KRON, LIVE_JOURNAL, USA};
use super::super::ran::Entry;
use super::super::ways::{BOTH, FUSED, PLAIN, PRIORITY};
use super::{Cell, Claim, Found, Item, Measured, Table, Verdict};
use super::{count, graph, milliseconds, milliseconds_by_graph, not_measured, on_gpu, ran};

/// The speed-ups of Table 5 on one GPU: the graph, by soft priority, and by the fused kernel.
const SPEED_UPS: [(usize, f64, f64); 3] =
    [(LIVE_JOURNAL, 1.03, 1.03), (KRON, 1.02, 1.01), (USA, 71.36, 166.27)];

/// Shortest paths, then breadth-first search.
pub fn items(found: &[Found], why_no_gpu: Option<&str>) -> [Item; 2] {
    let mut claims = Vec::new();
    for (number, priority, fused) in SPEED_UPS {
        claims.push(speed_up(found, number, priority, PRIORITY, why_no_gpu));
        claims.push(speed_up(found, number, fused, BOTH, why_no_gpu));
    }
    let paths = Item {
        name: "table-5",
        title: "Table 5: shortest paths with soft priority and fused kernels".to_owned(),
        method: format!(
            "SSSP. `{PLAIN}`: the host starts every superstep, in which all vertices that changed \
             send; unlike Groute's work list, it looks at every vertex to find them. `{PRIORITY}`: \
             near vertices first, in rounds, each a launch. `{FUSED}`: plain supersteps, up to \
             1,024 in a launch. `{BOTH}`: rounds, up to 1,024 in a launch. `auto`: what the engine \
             chooses; on the CPU it goes by priority too. The paper does not say whether its fused version has soft priority too. It \
             probably has: SSSP on USA takes it 725.93 ms at best, which is too short for the 13,998 M \
             work items without. So its figure is compared with `{BOTH}`."
        ),
        table: table(found, |of| &of.paths),
        figure: Some(milliseconds_by_graph(found, |of| &of.paths)),
        claims,
        verbatim: None,
    };
    let levels = Item {
        name: "fig-10a",
        title: "Figure 10a, on one GPU: breadth-first search".to_owned(),
        method: "The same ways, for a search whose levels are priorities (`Levels`). `bfs, auto` \
                 is the bundled program, whose messages carry nothing, by push or pull."
            .to_owned(),
        table: table(found, |of| &of.levels),
        figure: Some(milliseconds_by_graph(found, |of| &of.levels)),
        claims: vec![launch(found, why_no_gpu)],
        verbatim: None,
    };
    [paths, levels]
}

fn table(found: &[Found], entries: fn(&Measured) -> &[Entry]) -> Table {
    let mut rows = Vec::new();
    for of in found {
        let entries = entries(&of.measured);
        for entry in entries {
            let plain = ran(entries, entry.on, PLAIN).map(|ran| ran.seconds);
            let mut row: Vec<Cell> =
                vec![of.used.name.into(), entry.on.name().into(), entry.name.into()];
            match entry.ran {
                None => row.extend(std::iter::repeat_n(Cell::Empty, 7)),
                Some(ran) => row.extend([
                    milliseconds(ran.seconds),
                    count(ran.steps),
                    count(ran.launches),
                    Cell::Real(1e6 * ran.seconds / ran.steps.max(1.0), 2),
                    count(ran.work),
                    plain.map_or(Cell::Empty, |plain| Cell::Real(plain / ran.seconds, 2)),
                    Cell::Count(ran.runs as u64),
                ]),
            }
            rows.push(row);
        }
    }
    Table {
        columns: vec![
            "graph",
            "on",
            "contender",
            "ms",
            "supersteps or rounds",
            "launches",
            "µs for each",
            "edges relaxed",
            "plain / it",
            "runs",
        ],
        rows,
    }
}

fn speed_up(
    found: &[Found],
    number: usize,
    paper: f64,
    way: &'static str,
    why_no_gpu: Option<&str>,
) -> Claim {
    let what = if way == PRIORITY { "soft priority" } else { "the fused kernel" };
    let text =
        format!("{}, SSSP: {what} is {paper} times as fast as neither.", GRAPHS[number].name);
    let measured = graph(found, number).and_then(|of| {
        let [plain, ran] = [PLAIN, way].map(|name| on_gpu(&of.measured.paths, name));
        Some((of, plain?, ran?))
    });
    let Some((of, plain, ran)) = measured else { return not_measured(&text, why_no_gpu) };
    let factor = plain.seconds / ran.seconds;
    let fused = on_gpu(&of.measured.paths, FUSED).filter(|_| way == BOTH);
    let alone = fused.map_or_else(String::new, |fused| {
        format!("; fusion without priority {:.2} times", plain.seconds / fused.seconds)
    });
    Claim {
        paper: text,
        ours: format!("{factor:.2} times, on {}{alone}", of.origin),
        verdict: Verdict::of(
            factor >= expected(paper),
            &format!(
                "plain relaxes {:.1} edges for each edge of the graph here and this {:.1}, in {} \
                 and {} launches",
                plain.work / of.edges.max(1) as f64,
                ran.work / of.edges.max(1) as f64,
                plain.launches,
                ran.launches
            ),
        ),
    }
}

/// The least factor that counts as most of the paper's: half of a large factor, and half of what
/// a small one gains.
fn expected(paper: f64) -> f64 {
    (paper / 2.0).max(1.0 + (paper.min(2.0) - 1.0) / 2.0)
}

/// What a launch costs on roads.
fn launch(found: &[Found], why_no_gpu: Option<&str>) -> Claim {
    let text = "USA: each launch has little to do, some 19 µs, and fusion keeps the GPU busy.";
    let measured = graph(found, USA).and_then(|of| {
        let [plain, fused] = [PLAIN, FUSED].map(|name| on_gpu(&of.measured.levels, name));
        Some((of, plain?, fused?))
    });
    let Some((of, plain, fused)) = measured else { return not_measured(text, why_no_gpu) };
    let [hosted, resident] = [plain, fused].map(|ran| 1e6 * ran.seconds / ran.steps.max(1.0));
    Claim {
        paper: text.to_owned(),
        ours: format!(
            "BFS on {}: {hosted:.1} µs for each superstep that the host starts, {resident:.1} µs \
             in a fused launch",
            of.origin
        ),
        verdict: Verdict::of(
            resident < hosted / 2.0 && hosted < 2.0 * 19.0,
            "frontiers are large enough here to keep the GPU busy, or looking at every vertex \
             takes longer than the launch",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::expected;

    #[test]
    fn most_of_a_factor_is_expected() {
        assert_eq!(expected(166.0), 83.0);
        assert_eq!(expected(3.0), 1.5);
        assert!((expected(1.02) - 1.01).abs() < 1e-12);
    }
}
