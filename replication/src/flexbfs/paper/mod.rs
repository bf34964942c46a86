//! The paper's tables and figures, and its claims.

mod launches;
mod profile;
mod queues;
mod techniques;
mod times;

#[cfg(test)]
pub use self::profile::turns;

use super::graphs::Kind;
use super::ways::{FLEXBFS, SEQUENTIAL};
use super::{Findings, Found};
use crate::machine::Machine;
use crate::report::{
    self, Cell, Claim, Item, Report, Table, Verdict, not_comparable, withdraw_verdicts, without_gpu,
};

const SOURCE: &str = "Liu Gu, An Hong, Li Xiaoqiang and Wu Shilei: Study on Optimizing Techniques \
    of Breadth-first Search Algorithm on Graphic Processing Unit (FlexBFS), 2014. Measured there \
    on a Tesla C2050 and a Xeon E5506 at 2.13 GHz.";

/// All items: those that were measured, and a list of the others.
pub fn report(findings: &Findings, machine: Machine) -> Report {
    let Findings { graphs, device, left_out, quick } = findings;
    let mut machine = machine;
    let mut notes = vec![
        "A search begins at one random vertex, the same for all contenders, and every run's levels \
         are compared with those of the sequential search. Times are medians of seven, or of fewer, \
         at least three, where time is short; loading, preparing and copying graphs, and resetting \
         levels before a search by queues or on one core, is no part of them."
            .to_owned(),
        "Roads: `--data DIR` uses the files of the 9th DIMACS challenge, where they are there. \
         Grids with as many vertices and edges, and holes, stand in for the others."
            .to_owned(),
    ];
    let mut items = vec![table_1(graphs), profile::figure_1(graphs)];
    match device {
        Ok(name) => {
            machine.device = Some(name.clone());
            items.push(queues::figure_3(graphs));
            items.extend(times::figures(graphs, None));
            items.extend([launches::figure_7(graphs), techniques::item(graphs)]);
        }
        Err(why) => {
            notes.push(format!("No GPU was used: {why}."));
            items.extend(times::figures(graphs, Some(why)));
            items.push(others(why));
        }
    }
    notes.push(report::left_out(left_out));
    if *quick {
        withdraw_verdicts(&mut items);
    }
    Report {
        name: "flexbfs",
        title: "FlexBFS: breadth-first search on a GPU".to_owned(),
        source: SOURCE,
        machine,
        notes,
        failures: Vec::new(),
        items,
    }
}

/// Whether a number is what the paper writes in millions: rounded to as many digits, or within
/// 5 %.
fn close(ours: u64, millions: &str) -> bool {
    let paper: f64 = millions.parse().unwrap_or(0.0);
    let decimals = millions.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let millions = ours as f64 / 1e6;
    let unit = 10_f64.powi(-(decimals as i32));
    (millions - paper).abs() <= (unit / 2.0).max(0.05 * paper)
}

fn table_1(found: &[Found]) -> Item {
    let row = |of: &Found| {
        let [vertices, edges] = of.described.paper.unwrap_or(["–", "–"]);
        vec![
            of.described.name.as_str().into(),
            of.described.kind.name().into(),
            of.origin.as_str().into(),
            of.vertices.into(),
            of.edges.into(),
            Cell::Real(of.mean_degree, 2),
            of.largest_degree.into(),
            of.reached.into(),
            (of.frontiers.len() as u64).into(),
            vertices.into(),
            edges.into(),
        ]
    };
    let claim = |kind: Kind| {
        let with: Vec<_> = found
            .iter()
            .filter(|of| of.described.kind == kind)
            .filter_map(|of| Some((of, of.described.paper?)))
            .collect();
        let others: Vec<&str> = with
            .iter()
            .filter(|(of, paper)| !close(of.vertices, paper[0]) || !close(of.edges, paper[1]))
            .map(|(of, _)| of.described.name.as_str())
            .collect();
        let verdict = match with.as_slice() {
            [] => not_comparable("no such graph was used"),
            _ => Verdict::of(
                others.is_empty(),
                &format!(
                    "these differ by more than 5 % and by more than rounding: {}",
                    others.join(", ")
                ),
            ),
        };
        Claim {
            paper: format!("{}: the numbers of vertices and edges of Table 1", kind.name()),
            ours: format!(
                "{} graphs, {} of them the same but for rounding, or within 5 %",
                with.len(),
                with.len() - others.len()
            ),
            verdict,
        }
    };
    Item {
        name: "table-1",
        title: "Table 1: graphs".to_owned(),
        method: "Undirected; each edge counts once. Regular graphs are lattices, in which every \
                 vertex has 6, 8, 12 or 16 neighbours around it. In irregular ones a thousandth of \
                 the vertices are hubs, with as many edges to random vertices as give the paper's \
                 number of edges. The paper says that hubs have about 100 times the mean degree; \
                 the numbers of its table give 30 to 84 times. So there are also lattices with \
                 hubs of 100 times the degree."
            .to_owned(),
        table: Table {
            columns: vec![
                "graph",
                "kind",
                "origin",
                "V",
                "E",
                "mean degree",
                "largest degree",
                "reached",
                "levels",
                "paper: V, millions",
                "paper: E, millions",
            ],
            rows: found.iter().map(row).collect(),
        },
        figure: None,
        claims: vec![claim(Kind::Regular), claim(Kind::Irregular), claim(Kind::Road)],
        verbatim: None,
    }
}

impl Found {
    /// Seconds of one of the contenders on a GPU.
    fn on_gpu(&self, way: usize) -> Option<f64> {
        self.on_gpu.as_ref()?.seconds[way]
    }

    /// How many times as fast as the sequential search one of them is.
    fn over_sequential(&self, way: usize) -> Option<f64> {
        Some(self.on_cpu[SEQUENTIAL]? / self.on_gpu(way)?)
    }

    /// How many times as fast one of them is as another.
    fn over(&self, other: usize, way: usize) -> Option<f64> {
        Some(self.on_gpu(other)? / self.on_gpu(way)?)
    }

    /// What a level takes, by the paper's search and on one core, in words.
    fn per_level(&self) -> String {
        let micros = |seconds: Option<f64>| match seconds {
            Some(seconds) => format!("{:.1} µs", 1e6 * seconds / self.frontiers.len() as f64),
            None => "not measured".to_owned(),
        };
        format!(
            "{}: {} a level, one core {}, {:.0} vertices",
            self.described.name,
            micros(self.on_gpu(FLEXBFS)),
            micros(self.on_cpu[SEQUENTIAL]),
            self.reached as f64 / self.frontiers.len().max(1) as f64
        )
    }
}

/// Graphs of one kind.
fn of_kind(found: &[Found], kind: Kind) -> impl Iterator<Item = &Found> {
    found.iter().filter(move |of| of.described.kind == kind)
}

/// The smallest and the largest of some factors.
fn range(factors: &[f64]) -> Option<[f64; 2]> {
    let least = factors.iter().copied().min_by(f64::total_cmp)?;
    let most = factors.iter().copied().max_by(f64::total_cmp)?;
    Some([least, most])
}

/// Factors in words.
fn times(factors: &[f64]) -> String {
    match range(factors) {
        Some([least, most]) if least == most => format!("{least:.2} times"),
        Some([least, most]) => format!("{least:.2} to {most:.2} times"),
        None => "not measured".to_owned(),
    }
}

/// The geometric mean of at least one factor.
fn mean(factors: &[f64]) -> Option<f64> {
    let logarithms: f64 = factors.iter().map(|factor| factor.ln()).sum();
    (!factors.is_empty()).then(|| (logarithms / factors.len() as f64).exp())
}

/// What takes a GPU.
fn others(why: &str) -> Item {
    let what = [
        ["3", "memory transactions of queues"],
        ["7", "launches of 2^8 to 2^20 threads"],
        ["techniques", "each technique alone, and all without it"],
    ];
    let claims = [
        "Figure 3: queues in shared memory take fewer memory transactions.",
        "Figure 7: more threads do not keep helping, and FlexBFS needs few.",
    ];
    without_gpu("Figures 3 and 7, and each technique: on a GPU", &what, &claims, why)
}

#[cfg(test)]
mod tests {
    use super::close;

    #[test]
    fn numbers_are_compared_as_the_paper_rounds_them() {
        for (ours, millions, same) in [
            (1_070_376, "1", true),
            (1_600_000, "1", false),
            (1_343_951, "1.3", true),
            (3_456_001, "3.46", true),
            (3_200_000, "3.46", false),
            (365_050, "0.366", true),
            (23_946_342, "23", true),
            (0, "3", false),
        ] {
            assert_eq!(close(ours, millions), same, "{ours} {millions}");
        }
    }
}
