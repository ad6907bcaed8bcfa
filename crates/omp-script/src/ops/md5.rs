//! MD5 (RFC 1321), which programs still use to name things; no library here has it.

/// How far each step rotates.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

pub(super) fn md5(bytes: &[u8]) -> [u8; 16] {
    // The constants are defined by the sine.
    let constants: [u32; 64] =
        std::array::from_fn(|step| (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32);
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    for block in padded.as_chunks::<64>().0 {
        let words: [u32; 16] = std::array::from_fn(|word| {
            u32::from_le_bytes(std::array::from_fn(|byte| block[word * 4 + byte]))
        });
        let [mut a, mut b, mut c, mut d] = state;
        for step in 0..64 {
            let (mixed, word) = match step / 16 {
                0 => ((b & c) | (!b & d), step),
                1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
                2 => (b ^ c ^ d, (3 * step + 5) % 16),
                _ => (c ^ (b | !d), (7 * step) % 16),
            };
            let sum = a.wrapping_add(mixed).wrapping_add(constants[step]).wrapping_add(words[word]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[step / 16][step % 4]));
        }
        for (own, new) in state.iter_mut().zip([a, b, c, d]) {
            *own = own.wrapping_add(new);
        }
    }
    let mut hash = [0; 16];
    for (chunk, word) in hash.chunks_exact_mut(4).zip(state) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    hash
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_vectors_of_the_standard() {
        let hex = |text: &str| super::md5(text.as_bytes()).map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hex(""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
        assert_eq!(
            hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a"
        );
    }
}
