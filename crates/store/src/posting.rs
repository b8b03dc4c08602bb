//! Lists of notes by word, small enough to be read whole: numbers that only grow, as differences, in as few bytes as
//! they need.

/// A note that has a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    pub no: u32,
    /// How often the word stands in it.
    pub count: u32,
    /// How many words it has.
    pub length: u32,
}

/// All notes that have a word, in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostingList {
    pub(crate) blocks: Vec<(u32, Vec<u8>)>,
}

/// Notes of one block have these bits of their number in common.
pub(crate) const BLOCK_BITS: u32 = 12;
/// How many blocks there can be for a word.
const BLOCKS_BITS: u32 = 20;
/// Three numbers.
const SHORTEST: usize = 3;

impl PostingList {
    pub fn iter(&self) -> impl Iterator<Item = Posting> + '_ {
        self.blocks.iter().flat_map(|(block, bytes)| Postings { no: block << BLOCK_BITS, bytes })
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// How many there are at most, for each takes this many bytes at least.
    pub fn at_most(&self) -> usize {
        self.blocks.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() / SHORTEST
    }
}

/// Under which key a word's block is kept.
pub(crate) fn key(word: u64, block: u32) -> i64 {
    ((word << BLOCKS_BITS) | u64::from(block)).cast_signed()
}

/// The keys of all blocks of a word, from the first to the last.
pub(crate) fn keys(word: u64) -> (i64, i64) {
    (key(word, 0), key(word, (1 << BLOCKS_BITS) - 1))
}

pub(crate) fn word_of(key: i64) -> u64 {
    key.cast_unsigned() >> BLOCKS_BITS
}

pub(crate) fn block_of(key: i64) -> u32 {
    (key & ((1 << BLOCKS_BITS) - 1)) as u32
}

pub(crate) fn read(block: u32, bytes: &[u8]) -> Vec<Posting> {
    Postings { no: block << BLOCK_BITS, bytes }.collect()
}

pub(crate) fn write(block: u32, postings: &[Posting]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(postings.len() * SHORTEST);
    let mut last = block << BLOCK_BITS;
    for posting in postings {
        push(&mut bytes, u64::from(posting.no - last));
        push(&mut bytes, u64::from(posting.count));
        push(&mut bytes, u64::from(posting.length));
        last = posting.no;
    }
    bytes
}

struct Postings<'a> {
    no: u32,
    bytes: &'a [u8],
}

impl Iterator for Postings<'_> {
    type Item = Posting;

    #[inline]
    fn next(&mut self) -> Option<Posting> {
        // Nearly always each of the three is small enough for a byte.
        if let [gap, count, length, rest @ ..] = self.bytes
            && (*gap | *count | *length) < 0x80
        {
            self.bytes = rest;
            self.no = self.no.wrapping_add(u32::from(*gap));
            return Some(Posting { no: self.no, count: u32::from(*count), length: u32::from(*length) });
        }
        let (posting, rest) = long(self.no, self.bytes)?;
        (self.no, self.bytes) = (posting.no, rest);
        Some(posting)
    }
}

/// The next one, however long, and what follows it. Apart, and of values alone, so that whoever goes through a list keeps
/// everything at hand.
#[inline(never)]
fn long(last: u32, mut bytes: &[u8]) -> Option<(Posting, &[u8])> {
    let no = last.wrapping_add(pop(&mut bytes)? as u32);
    let posting = Posting { no, count: pop(&mut bytes)? as u32, length: pop(&mut bytes)? as u32 };
    Some((posting, bytes))
}

/// Seven bits a byte, the highest set while more follow.
pub(crate) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Nothing at the end, and nothing for a number that is cut short or too long to be one.
#[inline]
pub(crate) fn pop(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = match *bytes {
        [small, rest @ ..] if *small < 0x80 => (u64::from(*small), rest),
        [low, high, rest @ ..] if *high < 0x80 => (u64::from(low & 0x7f) | u64::from(*high) << 7, rest),
        _ => large(bytes)?,
    };
    *bytes = rest;
    Some(number)
}

#[inline(never)]
fn large(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (byte, at) in bytes.iter().zip(0..10) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if *byte < 0x80 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}

/// Three letters in a row, with the ends of the word as letters of their own.
pub fn trigrams(word: &str) -> Vec<String> {
    let letters: Vec<char> = std::iter::once('^').chain(word.chars()).chain(['$']).collect();
    let mut grams: Vec<String> = letters.windows(3).map(|three| three.iter().collect()).collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK_BITS, Posting, PostingList, block_of, key, keys, pop, read, trigrams, write};

    proptest! {
        #[test]
        fn a_block_is_read_back_as_it_was_written(
            block in 0_u32..1000,
            notes in prop::collection::btree_map(0_u32..1 << BLOCK_BITS, (1_u32.., 1_u32..), 0..200),
        ) {
            let posting = |(at, (count, length))| Posting { no: (block << BLOCK_BITS) + at, count, length };
            let postings: Vec<Posting> = notes.into_iter().map(posting).collect();
            let bytes = write(block, &postings);
            prop_assert_eq!(&read(block, &bytes), &postings);
            let list = PostingList { blocks: vec![(block, bytes)] };
            prop_assert_eq!(list.iter().collect::<Vec<_>>(), postings);
        }

        #[test]
        fn no_bytes_at_all_bring_it_down(block in 0_u32..1000, bytes: Vec<u8>) {
            let _ = read(block, &bytes);
        }
    }

    #[test]
    fn keys_sort_by_word_and_then_by_block() {
        let (first, last) = keys(7);
        assert!(first <= key(7, 3) && key(7, 3) < key(7, 4) && key(7, 4) <= last && last < keys(8).0);
        assert_eq!(block_of(key(7, 4)), 4);
    }

    #[test]
    fn a_number_that_never_ends_is_none() {
        assert_eq!(pop(&mut [0xff_u8; 20].as_slice()), None);
        assert_eq!(pop(&mut [0x80_u8].as_slice()), None);
    }

    #[test]
    fn the_ends_of_a_word_count() {
        assert_eq!(trigrams("ab"), ["^ab", "ab$"]);
        assert_eq!(trigrams("aaaa"), ["^aa", "aa$", "aaa"]);
    }
}
