//! What the paper adds to a breadth-first search, each of which can be left out.

/// Which of the paper's techniques a search uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Techniques {
    /// Searches bottom-up while the frontier has many edges (section 2.1).
    pub direction: bool,
    /// Leaves isolated vertices out (2.2).
    pub zero_removal: bool,
    /// Orders neighbours by falling degree, and keeps the first of each vertex in a list of its
    /// own (2.3).
    pub highest_first: bool,
    /// Numbers vertices by falling degree (2.4).
    pub vertex_sort: bool,
    /// Deals vertices to threads in turn, once and for all (2.5).
    pub shuffle: bool,
    /// Finds unvisited vertices by 64-bit blocks instead of bit by bit (3.1).
    pub block_search: bool,
    /// Does without a bitmap of the frontier: who is unvisited has no visited neighbour but in
    /// the frontier (3.2).
    pub two_bitmaps: bool,
    /// Looks at the first neighbour and at the others in one loop (3.2).
    pub merged_loop: bool,
}

/// Searches and what they are called, each with one technique more than the one before.
pub const LADDER: [(&str, Techniques); 9] = {
    let baseline = Techniques::NONE;
    let hybrid = Techniques { direction: true, ..baseline };
    let zero_removal = Techniques { zero_removal: true, ..hybrid };
    let highest_first = Techniques { highest_first: true, ..zero_removal };
    let vertex_sort = Techniques { vertex_sort: true, ..highest_first };
    let shuffle = Techniques { shuffle: true, ..vertex_sort };
    let block_search = Techniques { block_search: true, ..shuffle };
    let two_bitmaps = Techniques { two_bitmaps: true, ..block_search };
    [
        ("baseline", baseline),
        ("+ direction switch", hybrid),
        ("+ zero removal", zero_removal),
        ("+ highest neighbour first", highest_first),
        ("+ vertex sort", vertex_sort),
        ("+ static shuffle", shuffle),
        ("+ block search", block_search),
        ("+ two bitmaps", two_bitmaps),
        ("+ merged loop (BSBB)", Techniques::ALL),
    ]
};

impl Techniques {
    /// Top-down, on the graph as it is.
    pub const NONE: Self = Self {
        direction: false,
        zero_removal: false,
        highest_first: false,
        vertex_sort: false,
        shuffle: false,
        block_search: false,
        two_bitmaps: false,
        merged_loop: false,
    };

    /// The whole of BSBB.
    pub const ALL: Self = Self {
        direction: true,
        zero_removal: true,
        highest_first: true,
        vertex_sort: true,
        shuffle: true,
        block_search: true,
        two_bitmaps: true,
        merged_loop: true,
    };

    /// BSBB without one of its techniques, and what was left out.
    pub fn all_but_one() -> [(&'static str, Self); 8] {
        let all = Self::ALL;
        [
            ("direction switch", Self { direction: false, ..all }),
            ("zero removal", Self { zero_removal: false, ..all }),
            ("highest neighbour first", Self { highest_first: false, ..all }),
            ("vertex sort", Self { vertex_sort: false, ..all }),
            ("static shuffle", Self { shuffle: false, ..all }),
            ("block search", Self { block_search: false, ..all }),
            ("two bitmaps", Self { two_bitmaps: false, ..all }),
            ("merged loop", Self { merged_loop: false, ..all }),
        ]
    }

    /// Whether two of these share a [`Layout`](super::layout::Layout).
    pub fn same_layout(self, other: Self) -> bool {
        let of = |techniques: Self| {
            (
                techniques.zero_removal,
                techniques.highest_first,
                techniques.vertex_sort,
                techniques.shuffle,
            )
        };
        of(self) == of(other)
    }
}
