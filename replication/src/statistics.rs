//! Statistics of repeated measurements, as the Graph500 reports them.

/// Smallest, quartiles, largest, mean and standard deviation of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Statistics {
    pub min: f64,
    pub first_quartile: f64,
    pub median: f64,
    pub third_quartile: f64,
    pub max: f64,
    pub mean: f64,
    /// Of the sample: divided by n − 1.
    pub deviation: f64,
}

impl Statistics {
    /// Of a sample of at least one number. Quartiles are interpolated linearly.
    pub fn of(sample: &[f64]) -> Self {
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let mean = mean(&sorted);
        Self {
            min: quantile(&sorted, 0.0),
            first_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            third_quartile: quantile(&sorted, 0.75),
            max: quantile(&sorted, 1.0),
            mean,
            deviation: deviation(&sorted, mean),
        }
    }
}

/// Mean and standard error of rates: harmonic, so that a rate counts by the time it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harmonic {
    pub mean: f64,
    pub error: f64,
}

impl Harmonic {
    /// Of at least one rate above 0. The error is that of the mean of the inverses, carried
    /// over to the rates.
    pub fn of(rates: &[f64]) -> Self {
        let inverses: Vec<f64> = rates.iter().map(|rate| 1.0 / rate).collect();
        let inverse = mean(&inverses);
        let error = deviation(&inverses, inverse) / (inverses.len().max(2) as f64 - 1.0).sqrt();
        Self { mean: 1.0 / inverse, error: error / (inverse * inverse) }
    }
}

fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

fn deviation(sample: &[f64], mean: f64) -> f64 {
    let squares: f64 = sample.iter().map(|x| (x - mean).powi(2)).sum();
    (squares / (sample.len().max(2) as f64 - 1.0)).sqrt()
}

fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        let statistics = Statistics::of(&[4.0, 1.0, 3.0, 2.0]);
        assert_eq!((statistics.min, statistics.max), (1.0, 4.0));
        assert_eq!(statistics.first_quartile, 1.75);
        assert_eq!(statistics.median, 2.5);
        assert_eq!(statistics.third_quartile, 3.25);
        assert_eq!(statistics.mean, 2.5);
        assert!((statistics.deviation - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn one_measurement_is_its_own_statistics() {
        let statistics = Statistics::of(&[7.0]);
        assert_eq!((statistics.first_quartile, statistics.median), (7.0, 7.0));
        assert_eq!(statistics.deviation, 0.0);
        assert_eq!(Harmonic::of(&[7.0]), Harmonic { mean: 7.0, error: 0.0 });
    }

    #[test]
    fn rates_count_by_their_time() {
        // A mile at 2 and a mile at 6 miles an hour take 40 minutes for two miles.
        let rates = Harmonic::of(&[2.0, 6.0]);
        assert!((rates.mean - 3.0).abs() < 1e-12);
        // Inverses 1/2 and 1/6 deviate by √2/6, divided by √1, times 3².
        assert!((rates.error - 9.0 * 2.0_f64.sqrt() / 6.0).abs() < 1e-12);
    }
}
