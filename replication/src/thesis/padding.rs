//! The memory that the thesis' message buffer takes beyond one slot for each edge.

/// In-degrees in the order in which the approximate sort leaves them: by `regions` of equal
/// width between the smallest and the largest, in their order within a region. 0 regions: not
/// sorted.
///
/// On a GPU the order within a region is that in which threads come; this is one of those.
pub fn sorted(degrees: &[u32], regions: u32) -> Vec<u32> {
    let (Some(&least), Some(&most)) = (degrees.iter().min(), degrees.iter().max()) else {
        return Vec::new();
    };
    if regions == 0 || least == most {
        return degrees.to_vec();
    }
    let region = |degree: u32| {
        let place = u64::from(degree - least) * u64::from(regions - 1);
        (place / u64::from(most - least)) as usize
    };
    let mut ends = vec![0; regions as usize + 1];
    for &degree in degrees {
        ends[region(degree) + 1] += 1;
    }
    for i in 1..ends.len() {
        ends[i] += ends[i - 1];
    }
    let mut sorted = vec![0; degrees.len()];
    for &degree in degrees {
        let place = &mut ends[region(degree)];
        sorted[*place] = degree;
        *place += 1;
    }
    sorted
}

/// Slots of a buffer whose vertices, in this order, form groups of `group` that are stored by
/// columns: each group has as many layers as its largest in-degree.
pub fn slots(degrees: &[u32], group: usize) -> u64 {
    let layers = |group: &[u32]| u64::from(group.iter().copied().max().unwrap_or(0));
    degrees.chunks(group).map(layers).sum::<u64>() * group as u64
}

/// Slots beyond one for each message, in per cent of the messages.
pub fn extra(degrees: &[u32], group: usize) -> f64 {
    let edges: u64 = degrees.iter().map(|&degree| u64::from(degree)).sum();
    100.0 * (slots(degrees, group) - edges) as f64 / edges.max(1) as f64
}
