//! An encoder of BVGraphs for tests, one bit after the other.
#![allow(dead_code, reason = "not every test needs all of it")]

/// A code and its name in a flag.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Code {
    Unary,
    Gamma,
    Delta,
    Zeta,
    Golomb,
    Nibble,
    Omega,
    ZetaOf(u32),
    PiOf(u32),
}

impl Code {
    fn name(self) -> String {
        match self {
            Self::ZetaOf(k) => format!("ZETA{k}"),
            Self::PiOf(k) => format!("PI{k}"),
            other => format!("{other:?}").to_uppercase(),
        }
    }
}

/// How a graph is written.
#[derive(Clone, Debug)]
pub struct Layout {
    pub window: usize,
    /// 0 for no intervals.
    pub shortest_interval: u32,
    pub zeta_k: u32,
    /// As the Rust library writes it: `endianness` is there, and block counts are coded as blocks.
    pub states_order: bool,
    pub little: bool,
    pub outdegrees: Code,
    pub references: Code,
    pub block_counts: Code,
    pub blocks: Code,
    pub intervals: Code,
    pub residuals: Code,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            window: 7,
            shortest_interval: 4,
            zeta_k: 3,
            states_order: false,
            little: false,
            outdegrees: Code::Gamma,
            references: Code::Unary,
            block_counts: Code::Gamma,
            blocks: Code::Gamma,
            intervals: Code::Gamma,
            residuals: Code::Zeta,
        }
    }
}

impl Layout {
    /// The `.properties` file.
    pub fn properties(&self, nodes: usize, arcs: usize) -> String {
        let mut flags = vec![
            format!("OUTDEGREES_{}", self.outdegrees.name()),
            format!("REFERENCES_{}", self.references.name()),
            format!("BLOCKS_{}", self.blocks.name()),
            format!("INTERVALS_{}", self.intervals.name()),
            format!("RESIDUALS_{}", self.residuals.name()),
            "OFFSETS_DELTA".to_owned(),
        ];
        let mut order = String::new();
        if self.states_order {
            let name = if self.little { "little" } else { "big" };
            order = format!("endianness={name}\n");
        } else {
            flags.push(format!("BLOCK_COUNT_{}", self.block_counts.name()));
        }
        let flags = flags.join(" | ");
        let Self { window, shortest_interval, zeta_k, .. } = self;
        format!(
            "#BVGraph properties\n#Wed Nov 17 23:14:11 CET 2010\nversion=0\n{order}\
             nodes={nodes}\narcs={arcs}\nwindowsize={window}\nmaxrefcount=3\n\
             minintervallength={shortest_interval}\nzetak={zeta_k}\ncompressionflags={flags}\n\
             graphclass=it.unimi.dsi.webgraph.BVGraph\n"
        )
    }

    /// The `.graph` file of these ascending lists. `back` says how far before
    /// a node the one is that it refers to, if that is possible.
    pub fn encode(&self, lists: &[Vec<u32>], back: impl Fn(usize) -> usize) -> Vec<u8> {
        let mut bits = Bits { layout: self, bits: Vec::new() };
        for (node, list) in lists.iter().enumerate() {
            bits.number(self.outdegrees, list.len() as u64);
            if list.is_empty() {
                continue;
            }
            let back = if back(node) <= self.window.min(node) { back(node) } else { 0 };
            let mut extra = list.clone();
            if self.window > 0 {
                bits.number(self.references, back as u64);
            }
            if back > 0 {
                let other = &lists[node - back];
                bits.blocks(other, list);
                extra.retain(|target| !other.contains(target));
            }
            if !extra.is_empty() && self.shortest_interval > 0 {
                extra = bits.intervals(node, &extra);
            }
            bits.gaps(self.residuals, node, &extra);
        }
        bits.pack()
    }
}

/// Packs bits into bytes, from the highest bit of each or from the lowest.
pub fn pack(bits: &[bool], little: bool) -> Vec<u8> {
    let byte = |part: &[bool]| {
        let place = |i: usize| if little { i } else { 7 - i };
        part.iter().enumerate().map(|(i, bit)| u8::from(*bit) << place(i)).sum()
    };
    bits.chunks(8).map(byte).collect()
}

struct Bits<'a> {
    layout: &'a Layout,
    bits: Vec<bool>,
}

impl Bits<'_> {
    fn pack(&self) -> Vec<u8> {
        pack(&self.bits, self.layout.little)
    }

    fn unary(&mut self, n: u64) {
        self.bits.extend((0..n).map(|_| false));
        self.bits.push(true);
    }

    fn fixed(&mut self, n: u64, count: u32) {
        for i in 0..count {
            let place = if self.layout.little { i } else { count - 1 - i };
            self.bits.push(n >> place & 1 == 1);
        }
    }

    fn minimal_binary(&mut self, n: u64, bound: u64) {
        let short = (2 << bound.ilog2()) - bound;
        if n < short {
            self.fixed(n, bound.ilog2());
        } else {
            self.fixed((n + short) >> 1, bound.ilog2());
            self.fixed((n + short) & 1, 1);
        }
    }

    fn zeta(&mut self, n: u64, k: u32) {
        let groups = (n + 1).ilog2() / k;
        self.unary(u64::from(groups));
        let first = 1u64 << (groups * k);
        self.minimal_binary(n + 1 - first, (first << k) - first);
    }

    fn omega(&mut self, n: u64) {
        if n > 1 {
            self.omega(u64::from(n.ilog2()));
            self.bits.push(true);
            self.fixed(n - (1 << n.ilog2()), n.ilog2());
        }
    }

    fn number(&mut self, code: Code, n: u64) {
        let length = (n + 1).ilog2();
        let rest = n + 1 - (1 << length);
        match code {
            Code::Unary => self.unary(n),
            Code::Gamma => {
                self.unary(u64::from(length));
                self.fixed(rest, length);
            }
            Code::Delta => {
                self.number(Code::Gamma, u64::from(length));
                self.fixed(rest, length);
            }
            Code::Zeta => self.zeta(n, self.layout.zeta_k),
            Code::ZetaOf(k) => self.zeta(n, k),
            Code::Golomb => {
                let modulus = u64::from(self.layout.zeta_k);
                self.unary(n / modulus);
                self.minimal_binary(n % modulus, modulus);
            }
            Code::Nibble => {
                let last = n.checked_ilog2().unwrap_or(0) / 3;
                for group in (0..=last).rev() {
                    self.bits.push(group == 0);
                    self.fixed(n >> (3 * group) & 7, 3);
                }
            }
            Code::Omega => {
                self.omega(n + 1);
                self.bits.push(false);
            }
            Code::PiOf(k) => {
                self.unary(u64::from(length >> k));
                self.fixed(u64::from(length & ((1 << k) - 1)), k);
                self.fixed(rest, length);
            }
        }
    }

    fn signed(&mut self, code: Code, n: i64) {
        let natural = if n < 0 { -2 * n - 1 } else { 2 * n };
        self.number(code, natural as u64);
    }

    fn blocks(&mut self, other: &[u32], list: &[u32]) {
        let mut runs = vec![0];
        for target in other {
            let is_copied = runs.len() % 2 == 1;
            if list.contains(target) != is_copied {
                runs.push(0);
            }
            *runs.last_mut().unwrap() += 1;
        }
        runs.pop();
        self.number(self.layout.block_counts, runs.len() as u64);
        for (i, run) in runs.into_iter().enumerate() {
            self.number(self.layout.blocks, run - u64::from(i > 0));
        }
    }

    /// Writes long runs; returns the other successors.
    fn intervals(&mut self, node: usize, extra: &[u32]) -> Vec<u32> {
        let (code, shortest) = (self.layout.intervals, self.layout.shortest_interval as usize);
        let runs: Vec<&[u32]> = extra.chunk_by(|a, b| a + 1 == *b).collect();
        let (long, short): (Vec<&[u32]>, Vec<&[u32]>) =
            runs.into_iter().partition(|run| run.len() >= shortest);
        self.number(code, long.len() as u64);
        let mut end = None;
        for run in long {
            match end {
                None => self.signed(code, i64::from(run[0]) - node as i64),
                Some(end) => self.number(code, u64::from(run[0] - end - 1)),
            }
            self.number(code, (run.len() - shortest) as u64);
            end = Some(run[0] + run.len() as u32);
        }
        short.concat()
    }

    fn gaps(&mut self, code: Code, node: usize, list: &[u32]) {
        if let Some(first) = list.first() {
            self.signed(code, i64::from(*first) - node as i64);
        }
        for pair in list.windows(2) {
            self.number(code, u64::from(pair[1] - pair[0] - 1));
        }
    }
}
