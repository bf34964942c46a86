//! Charts of supersteps.

use pregel_figures::{Axis, Figure, Series};

use super::named;
use crate::report::{Report, Step};

/// Points of a line; of more supersteps than this, the highest of some that follow each other is
/// drawn.
const POINTS: usize = 1000;

/// The charts, each with its title.
pub fn of(reports: &[&Report]) -> Vec<(&'static str, Figure)> {
    if reports.iter().all(|report| report.supersteps.is_empty()) {
        return Vec::new();
    }
    let mut counts = Vec::new();
    let mut times = Vec::new();
    for (name, report) in named(reports) {
        let line = |label: &str, of: &dyn Fn(&Step) -> f64| {
            let points = report.supersteps.iter().map(|step| (step.superstep.into(), of(step)));
            Series::line(format!("{name}{label}"), thinned(points.collect()))
        };
        counts.push(line("active vertices", &|step| step.active as f64));
        counts.push(line("messages", &|step| step.messages as f64));
        if reports.len() > 1 {
            times.push(line("time", &|step| 1e3 * step.seconds));
        } else {
            times.extend(by_way(&report.supersteps));
        }
        if report.supersteps.iter().any(|step| predicted(step).is_some()) {
            let predicted = |step: &Step| predicted(step).map_or(f64::NAN, |seconds| 1e3 * seconds);
            times.push(line("predicted", &predicted));
        }
    }
    let figure = |label: &'static str, series| Figure {
        x: Axis::new("superstep").whole(),
        y: Axis::new(label).logarithmic(),
        series,
    };
    let mut counts = figure("count", counts);
    counts.y.whole = true;
    vec![
        ("Vertices that computed, and messages", counts),
        ("Time of each superstep", figure("milliseconds", times)),
    ]
}

/// How a superstep ran, in one word or two.
pub fn way(step: &Step) -> &str {
    let taken = step.taken.as_ref().map(|taken| taken.way.as_str());
    let strategy = if step.superstep == 0 { Some("init") } else { step.strategy.as_deref() };
    step.pass.as_deref().or(taken).or(strategy).unwrap_or("")
}

/// The times, with a colour for each way.
fn by_way(steps: &[Step]) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for step in steps {
        let point = (step.superstep.into(), 1e3 * step.seconds);
        match series.iter_mut().find(|series| series.label == way(step)) {
            Some(series) => series.points.push(point),
            None => series.push(Series::dots(way(step), vec![point])),
        }
    }
    for one in &mut series {
        one.points = thinned(std::mem::take(&mut one.points));
    }
    series
}

/// How long the way that was taken was predicted to take.
fn predicted(step: &Step) -> Option<f64> {
    let taken = step.taken.as_ref()?;
    let seconds = taken.predicted_seconds.as_ref()?;
    Some(match (taken.way.as_str(), step.strategy.as_deref()) {
        ("resident", _) => seconds.resident,
        (_, Some("pull")) => seconds.pull,
        _ => seconds.push,
    })
}

/// As many points as can be told apart, those with the highest second coordinate.
fn thinned(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let many = points.len().div_ceil(POINTS).max(1);
    let highest = |some: &[(f64, f64)]| some.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1));
    points.chunks(many).filter_map(highest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks() {
        let mut points: Vec<_> = (0..4500).map(|i| (f64::from(i), 1.0)).collect();
        points[2345].1 = 9.0;
        let few = thinned(points);
        assert_eq!(few.len(), 900);
        assert!(few.contains(&(2345.0, 9.0)));
        assert_eq!(thinned(vec![(0.0, 1.0)]), [(0.0, 1.0)]);
    }
}
