//! Recursive-matrix graphs (Chakrabarti, Zhan, Faloutsos 2004), by default with the
//! probabilities of Graph500: a = .57, b = c = .19, d = .05.

use std::fmt;

use super::collect_edges;
use super::decimal::Decimal;
use super::options::Options;
use super::random::{Stream, top32};
use super::shuffle::Shuffle;
use crate::program::VertexId;

/// Draws edges among `2^scale` vertices, each by choosing a quadrant of the adjacency matrix
/// `scale` times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Rmat {
    /// Number of choices, at most 31.
    scale: u32,
    /// Number of vertices, at least `2^scale`. Only shuffled ids bring edges to those
    /// beyond.
    n: u32,
    count: Count,
    /// Probabilities of the quadrants, row by row; they sum to about 1.
    odds: [Decimal; 4],
    /// Whether vertex ids are shuffled.
    perm: bool,
}

/// How many edges are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Count {
    /// This many for each of `2^scale` vertices.
    Factor(u64),
    /// This many in all.
    Edges(u64),
}

impl Rmat {
    pub(super) const OPTIONS: [&str; 9] = ["scale", "n", "ef", "m", "a", "b", "c", "d", "perm"];
    /// Largest `scale`: vertex counts are 32-bit.
    const MAX_SCALE: u32 = 31;
    /// Fewer edges than this can be drawn: each has 64 random numbers of its own.
    const MAX_EDGES: u64 = 1 << 58;
    /// Edges drawn for each vertex by default.
    const FACTOR: u64 = 16;
    const ODDS: [Decimal; 4] = [
        Decimal::from_billionths(570_000_000),
        Decimal::from_billionths(190_000_000),
        Decimal::from_billionths(190_000_000),
        Decimal::from_billionths(50_000_000),
    ];
    /// How far the sum of the probabilities may be from 1, in billionths, because they were
    /// rounded.
    const SLACK: u64 = 10_000;

    pub(super) fn read(options: &Options<'_>) -> Result<Self, String> {
        let scale = options.needed("scale", 0..=Self::MAX_SCALE.into())? as u32;
        let least = 1u64 << scale;
        let n = options.number("n", least..=u32::MAX.into())?.unwrap_or(least) as u32;
        let factor = options.number("ef", 0..=u64::MAX)?;
        let edges = options.number("m", 0..=Self::MAX_EDGES - 1)?;
        let count = match (factor, edges) {
            (Some(_), Some(_)) => return Err("ef and m both say how many edges: give one".into()),
            (None, Some(edges)) => Count::Edges(edges),
            (factor, None) => Count::Factor(factor.unwrap_or(Self::FACTOR)),
        };
        let perm = options.switch("perm", true)?;
        Ok(Self { scale, n, count, odds: read_odds(options)?, perm })
    }

    pub(super) fn vertex_count(self) -> u32 {
        self.n
    }

    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        let draws = Stream::new(seed, 0);
        let shuffle = Shuffle::new(self.n, seed);
        let count = match self.count {
            Count::Edges(count) => count,
            Count::Factor(factor) => factor
                .checked_mul(1 << self.scale)
                .filter(|count| *count < Self::MAX_EDGES)
                .ok_or_else(|| format!("{factor} edges per vertex are too many"))?,
        };
        let thresholds = self.thresholds();
        collect_edges(count, |i| {
            let [u, v] = self.edge(draws, thresholds, i);
            if self.perm { [shuffle.place(u), shuffle.place(v)] } else { [u, v] }
        })
    }

    /// Cumulative probabilities of the first three quadrants, times 2^32 and rounded down.
    fn thresholds(self) -> [u64; 3] {
        let mut sum = 0;
        [0, 1, 2].map(|quadrant| {
            sum += self.odds[quadrant].billionths();
            ((u128::from(sum) << 32) / u128::from(Decimal::ONE)) as u64
        })
    }

    /// The ends of draw `i`, before shuffling.
    #[inline(always)]
    fn edge(self, draws: Stream, [first, second, third]: [u64; 3], i: u64) -> [VertexId; 2] {
        let (mut u, mut v) = (0, 0);
        for level in 0..u64::from(self.scale) {
            let r = top32(draws.get(64 * i + level));
            // Without branches: each bit follows from the thresholds that r has
            // passed.
            let (b, c, d) = (r >= first, r >= second, r >= third);
            u = u << 1 | u32::from(c);
            v = v << 1 | u32::from(b ^ c ^ d);
        }
        [u, v]
    }
}

/// All four probabilities, or those of Graph500 if none is given.
fn read_odds(options: &Options<'_>) -> Result<[Decimal; 4], String> {
    const KEYS: [&str; 4] = ["a", "b", "c", "d"];
    let mut odds = [None; 4];
    for (key, odds) in KEYS.into_iter().zip(&mut odds) {
        *odds = options.decimal(key, 1)?;
    }
    if odds == [None; 4] {
        return Ok(Rmat::ODDS);
    }
    let [Some(a), Some(b), Some(c), Some(d)] = odds else {
        let missing = KEYS.iter().zip(odds).filter(|(_, odds)| odds.is_none());
        let missing: Vec<_> = missing.map(|(key, _)| *key).collect();
        let (is, missing) = (if missing.len() == 1 { "is" } else { "are" }, missing.join(" and "));
        return Err(format!("give all of a, b, c and d or none of them: {missing} {is} missing"));
    };
    let sum = [a, b, c, d].iter().map(|odds| odds.billionths()).sum::<u64>();
    if sum.abs_diff(Decimal::ONE) > Rmat::SLACK {
        let sum = Decimal::from_billionths(sum);
        return Err(format!("a, b, c and d sum to {sum}, but must sum to 1"));
    }
    Ok([a, b, c, d])
}

impl fmt::Display for Rmat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rmat:scale={}", self.scale)?;
        if self.n != 1 << self.scale {
            write!(f, ",n={}", self.n)?;
        }
        match self.count {
            Count::Factor(Self::FACTOR) => {}
            Count::Factor(factor) => write!(f, ",ef={factor}")?,
            Count::Edges(count) => write!(f, ",m={count}")?,
        }
        if self.odds != Self::ODDS {
            let [a, b, c, d] = self.odds;
            write!(f, ",a={a},b={b},c={c},d={d}")?;
        }
        if !self.perm {
            write!(f, ",perm=0")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_rounded_down() {
        let rmat = Rmat { scale: 1, n: 2, count: Count::Edges(1), odds: Rmat::ODDS, perm: true };
        assert_eq!(rmat.thresholds(), [2_448_131_358, 3_264_175_144, 4_080_218_931]);
        let one = Decimal::from_billionths(Decimal::ONE);
        let none = Decimal::from_billionths(0);
        let sure = |odds| Rmat { odds, ..rmat }.thresholds();
        assert_eq!(sure([none, none, none, one]), [0, 0, 0]);
        assert_eq!(sure([one, none, none, none]), [1 << 32; 3]);
    }
}
