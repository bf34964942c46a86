//! Edge weights as transition probabilities.

use num_traits::float::FloatCore;
use rayon::prelude::*;
use thiserror::Error;

use super::Graph;
use super::csr::first_where;
use crate::program::{Value, VertexId};

/// Why weights cannot be made probabilities.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NormalizeError {
    /// A weight is negative, infinite or not a number.
    #[error("the weight of edge {source_id} → {target_id} is {weight}, expected 0 or more")]
    Weight {
        /// The user's id of the edge's source.
        source_id: String,
        /// The user's id of the edge's target.
        target_id: String,
        /// The weight.
        weight: f64,
    },
}

impl<E: FloatCore + Value> Graph<E> {
    /// The graph with each weight divided by the sum of the weights in its row:
    /// the probabilities of a random walk that chooses edges by weight. At a
    /// vertex whose weights are all 0, all edges are equally likely.
    ///
    /// The two directions of an undirected edge have different sources, so the
    /// result is always directed. O(V + E), parallel; sums are taken in `f64`, in
    /// the order of the rows.
    ///
    /// # Errors
    /// [`NormalizeError`] names the first edge whose weight is negative,
    /// infinite or not a number.
    pub fn normalized(&self) -> Result<Self, NormalizeError> {
        let unusable = |weight: &E| !(*weight >= E::zero() && weight.is_finite());
        if let Some(edge) = first_where(self.out_values(), unusable) {
            let rows = self.out();
            return Err(NormalizeError::Weight {
                source_id: self.ids().get(rows.source_of(edge)).to_string(),
                target_id: self.ids().get(rows.targets()[edge]).to_string(),
                weight: number(self.out_values()[edge]),
            });
        }
        let rows: Vec<Row> = (0..self.vertex_count())
            .into_par_iter()
            .with_min_len(1024)
            .map(|v| Row::of(&self.out_values()[self.out().range(v)]))
            .collect();
        let share = |source: VertexId, _, weight| {
            E::from(rows[source as usize].share(number(weight))).unwrap_or(E::zero())
        };
        Ok(self.clone().into_directed().map_values(share))
    }
}

/// The divisor of the weights of a row.
#[derive(Clone, Copy)]
enum Row {
    /// The largest weight, and the sum of all weights divided by it, which neither
    /// overflows nor vanishes.
    Weighted { largest: f64, sum: f64 },
    /// All weights are 0.
    Even { degree: usize },
}

impl Row {
    fn of<E: FloatCore>(weights: &[E]) -> Self {
        let largest = number(weights.iter().fold(E::zero(), |a, b| a.max(*b)));
        if largest == 0.0 {
            return Self::Even { degree: weights.len() };
        }
        Self::Weighted { largest, sum: weights.iter().map(|w| number(*w) / largest).sum() }
    }

    fn share(self, weight: f64) -> f64 {
        match self {
            Self::Weighted { largest, sum } => weight / largest / sum,
            Self::Even { degree } => 1.0 / degree as f64,
        }
    }
}

fn number<E: FloatCore>(weight: E) -> f64 {
    weight.to_f64().unwrap_or(f64::NAN)
}
