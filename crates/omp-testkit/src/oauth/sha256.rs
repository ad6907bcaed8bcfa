//! SHA-256 (FIPS 180-4), so that the check of a verifier does not rest on the library under test.

/// The fractional parts of roots of the first primes, as the standard lists them.
fn fraction(root: f64) -> u32 {
    ((root - root.floor()) * 4_294_967_296.0) as u32
}

fn primes() -> impl Iterator<Item = u32> {
    (2_u32..).filter(|number| (2..*number).take_while(|d| d * d <= *number).all(|d| number % d != 0))
}

pub(super) fn digest(message: &[u8]) -> [u8; 32] {
    let mut state = [0_u32; 8];
    for (word, prime) in state.iter_mut().zip(primes()) {
        *word = fraction(f64::from(prime).sqrt());
    }
    let constants: Vec<u32> = primes().take(64).map(|prime| fraction(f64::from(prime).cbrt())).collect();
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend(((message.len() as u64) * 8).to_be_bytes());
    for block in padded.chunks_exact(64) {
        compress(&mut state, block, &constants);
    }
    let mut out = [0; 32];
    for (bytes, word) in out.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    out
}

fn compress(state: &mut [u32; 8], block: &[u8], constants: &[u32]) {
    let mut words: Vec<u32> =
        block.chunks_exact(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]])).collect();
    for index in 16..64 {
        let (early, late) = (words[index - 15], words[index - 2]);
        let small = early.rotate_right(7) ^ early.rotate_right(18) ^ (early >> 3);
        let large = late.rotate_right(17) ^ late.rotate_right(19) ^ (late >> 10);
        words.push(words[index - 16].wrapping_add(small).wrapping_add(words[index - 7]).wrapping_add(large));
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in words.iter().zip(constants) {
        let choice = (e & f) ^ (!e & g);
        let mixed = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let first = [mixed, choice, *constant, *word].iter().fold(h, |sum, part| sum.wrapping_add(*part));
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = (a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22)).wrapping_add(majority);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(first), c, b, a, first.wrapping_add(second));
    }
    for (word, change) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(change);
    }
}

/// Base64 for addresses, without padding.
pub(super) fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let mut group = [0; 3];
        group[..chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        for position in 0..=chunk.len() {
            out.push(char::from(LETTERS[(bits >> (18 - 6 * position)) as usize & 63]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 180-4 and RFC 7636.
    #[test]
    fn known_answers() {
        let hex = |text: &str| digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(
            hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(base64url(&digest(verifier.as_bytes())), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }
}
