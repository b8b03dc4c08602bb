//! The headers of a tar archive, as far as a pack needs them.

use crate::digest::Digest;

pub(super) const BLOCK: usize = 512;
/// What an archive ends with.
pub(super) const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// How many zeros follow content of this size.
pub(super) fn padding(size: u64) -> usize {
    (BLOCK - (size % BLOCK as u64) as usize) % BLOCK
}

pub(super) fn header(digest: Digest, size: u64) -> [u8; BLOCK] {
    let mut header = [0; BLOCK];
    let mut name = Vec::with_capacity(64);
    digest.push_hex(&mut name);
    header[..64].copy_from_slice(&name);
    for (at, field) in [(100, b"0000600\0".as_slice()), (108, b"0000000\0"), (116, b"0000000\0")] {
        header[at..at + field.len()].copy_from_slice(field);
    }
    match size < 1 << 33 {
        true => header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes()),
        // Larger than eleven octal digits: the binary form that every tar of this century reads.
        false => {
            header[124] = 0x80;
            header[128..136].copy_from_slice(&size.to_be_bytes());
        }
    }
    header[136..148].copy_from_slice(b"00000000000\0");
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// None for the zeros at the end, and for what is no header.
pub(super) fn parse(header: &[u8; BLOCK]) -> Option<(Digest, u64)> {
    let digest = Digest::from_hex(&header[..64])?;
    let size = if header[124] & 0x80 != 0 {
        u64::from_be_bytes(header[128..136].try_into().ok()?)
    } else {
        u64::from_str_radix(std::str::from_utf8(&header[124..135]).ok()?, 8).ok()?
    };
    Some((digest, size))
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, header, padding, parse};
    use crate::digest::Digest;

    #[test]
    fn a_header_is_read_back_whatever_the_size() {
        for size in [0, 1, 511, 512, (1 << 33) - 1, 1 << 33, u64::MAX] {
            assert_eq!(parse(&header(Digest::of(b"x"), size)), Some((Digest::of(b"x"), size)));
        }
        assert_eq!(parse(&[0; BLOCK]), None);
        assert_eq!([0, 1, 511, 512].map(padding), [0, 511, 1, 0]);
    }
}
