//! Where in a text one of many beginnings stands: decided by three bytes at a time.
//!
//! An Aho-Corasick table does the same, but every step waits for the load of the one before; here no position depends on
//! another. Measured over the whole of redaction that is a third faster, and it is built in microseconds.

/// Three bytes tell hundreds of beginnings apart from nearly all ordinary text.
pub(super) const SHORTEST: usize = 3;

const HASHES: usize = 1 << 17;
const GROUPS: usize = HASHES / 64;

/// Every process that keeps anything makes one, so it is little memory, touched once.
#[derive(Debug)]
pub(super) struct Beginnings {
    /// One bit per hash of three bytes: whether a beginning may have it. Small enough for the innermost cache.
    may_begin: Box<[u64; GROUPS]>,
    /// How many of the bits before each group of 64 are set.
    set_before: Box<[u32; GROUPS]>,
    /// For each bit that is set, where its beginnings start in `exact`; and where the last ones end.
    starts: Vec<u32>,
    /// The first three bytes of every beginning with its index, by hash.
    exact: Vec<(u32, u32)>,
}

impl Beginnings {
    /// Each of `beginnings` must have at least [`SHORTEST`] bytes; what follows them is the caller's to compare.
    pub(super) fn new<'a>(beginnings: impl Iterator<Item = &'a [u8]>) -> Beginnings {
        let three = |beginning: &[u8]| beginning[..SHORTEST].iter().fold(0, |three, byte| roll(three, *byte));
        let threes: Vec<u32> = beginnings.map(three).collect();
        let mut may_begin = Box::new([0; GROUPS]);
        for three in &threes {
            let hash = hash(*three);
            may_begin[hash / 64] |= 1 << (hash % 64);
        }
        let mut set_before = Box::new([0; GROUPS]);
        for group in 1..GROUPS {
            set_before[group] = set_before[group - 1] + u64::count_ones(may_begin[group - 1]);
        }
        let mut made = Beginnings { may_begin, set_before, starts: Vec::new(), exact: Vec::new() };
        made.sort_in(&threes);
        made
    }

    /// By hash, and those of one hash in their own order.
    fn sort_in(&mut self, threes: &[u32]) {
        let hashes = self.set_before[GROUPS - 1] + self.may_begin[GROUPS - 1].count_ones();
        let mut ends = vec![0_u32; hashes as usize + 1];
        for three in threes {
            ends[self.rank(hash(*three)) + 1] += 1;
        }
        for rank in 1..ends.len() {
            ends[rank] += ends[rank - 1];
        }
        self.starts = ends.clone();
        self.exact = vec![(0, 0); threes.len()];
        for (three, index) in threes.iter().zip(0..) {
            let next = &mut ends[self.rank(hash(*three))];
            self.exact[*next as usize] = (*three, index);
            *next += 1;
        }
    }

    /// How many hashes of beginnings are smaller; for a hash that some beginning has.
    fn rank(&self, hash: usize) -> usize {
        let smaller = self.may_begin[hash / 64] & ((1 << (hash % 64)) - 1);
        (self.set_before[hash / 64] + smaller.count_ones()) as usize
    }

    /// Calls `found` with every position in `text[from..]` and every beginning that may stand there, in order.
    pub(super) fn each(&self, text: &[u8], from: usize, mut found: impl FnMut(usize, usize)) {
        let mut at = from;
        while let Some((offset, three)) = self.next(&text[at..]) {
            at += offset;
            self.each_of(three, |index| found(at, index));
            at += 1;
        }
    }

    /// The hot loop of all redaction: kept apart so that it keeps its registers, and without iterators so that an
    /// unoptimised build stays usable.
    #[inline(never)]
    fn next(&self, text: &[u8]) -> Option<(usize, u32)> {
        let last = text.len().checked_sub(SHORTEST)?;
        let mut three = u32::from(text[0]) << 8 | u32::from(text[1]);
        let mut at = 0;
        while at <= last {
            three = (three << 8 | text[at + 2] as u32) & 0x00ff_ffff;
            let hash = hash(three);
            if self.may_begin[hash / 64] >> (hash % 64) & 1 == 1 {
                return Some((at, three));
            }
            at += 1;
        }
        None
    }

    fn each_of(&self, three: u32, mut found: impl FnMut(usize)) {
        let rank = self.rank(hash(three));
        let same_hash = &self.exact[self.starts[rank] as usize..self.starts[rank + 1] as usize];
        for (_, index) in same_hash.iter().filter(|(beginning, _)| *beginning == three) {
            found(*index as usize);
        }
    }
}

fn roll(three: u32, byte: u8) -> u32 {
    (three << 8 | u32::from(byte)) & 0x00ff_ffff
}

fn hash(three: u32) -> usize {
    (three.wrapping_mul(0x9e37_79b1) >> 15) as usize
}
