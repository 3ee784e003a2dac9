//! The encryption of a message for one browser (RFC 8291, with the content coding of RFC 8188).

use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// Bytes of a P-256 public key in its uncompressed form.
pub(super) const PUBLIC_KEY: usize = 65;

/// Bytes of the secret that a browser gives with its subscription.
pub(super) const AUTH_SECRET: usize = 16;

/// Each message is padded to a multiple of this number of bytes, so that its length does not reveal the name of a tool.
const BLOCK: usize = 256;

/// Largest size of a record, which is the size that every push service accepts.
const RECORD: u32 = 4096;

/// The delimiter after the content of the last record.
const LAST_RECORD: u8 = 2;

/// Keys of a browser, from its subscription.
#[derive(Clone, Copy, Debug)]
pub(super) struct BrowserKeys<'a> {
    pub(super) public: &'a [u8],
    pub(super) auth: &'a [u8],
}

/// Key agreement of one message: the shared secret, and the public half of the sender's temporary key.
struct Agreement<'a> {
    secret: &'a [u8],
    sender: &'a [u8],
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// Encrypts a message with a temporary key and a random salt.
///
/// # Errors
///
/// Fails if a key of the browser is malformed, or if the system has no random bytes.
pub(super) fn encrypt(message: &[u8], browser: BrowserKeys<'_>) -> Result<Vec<u8>, Unspecified> {
    let random = SystemRandom::new();
    let mut salt = [0; 16];
    random.fill(&mut salt)?;
    let private = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let sender = private.compute_public_key()?;
    let padded = pad(message);
    agree_ephemeral(private, &UnparsedPublicKey::new(&ECDH_P256, browser.public), |secret| {
        seal(padded, browser, &Agreement { secret, sender: sender.as_ref() }, salt)
    })?
}

/// Adds the delimiter and the padding.
fn pad(message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(LAST_RECORD);
    padded.resize(padded.len().next_multiple_of(BLOCK), 0);
    padded
}

/// Encrypts a padded message, and puts the header before it.
fn seal(
    mut content: Vec<u8>,
    browser: BrowserKeys<'_>,
    agreement: &Agreement<'_>,
    salt: [u8; 16],
) -> Result<Vec<u8>, Unspecified> {
    let info = [b"WebPush: info\0", browser.public, agreement.sender];
    let input = derive::<32>(browser.auth, agreement.secret, &info)?;
    let key = derive::<16>(&salt, &input, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce = derive::<12>(&salt, &input, &[b"Content-Encoding: nonce\0"])?;
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut content)?;
    let mut body = salt.to_vec();
    body.extend(RECORD.to_be_bytes());
    body.push(u8::try_from(agreement.sender.len()).map_err(|_| Unspecified)?);
    body.extend(agreement.sender);
    body.extend(content);
    Ok(body)
}

/// Derives a value with HKDF and SHA-256.
fn derive<const N: usize>(salt: &[u8], input: &[u8], info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut output = [0; N];
    Salt::new(HKDF_SHA256, salt).extract(input).expand(info, Length(N))?.fill(&mut output)?;
    Ok(output)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn decode(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    #[test]
    fn the_example_of_the_standard_is_encrypted_to_its_bytes() {
        // RFC 8291, section 5 and appendix A.
        let public =
            decode("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4");
        let auth = decode("BTBZMqHH6r4Tts7J_aSIgg");
        let secret = decode("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let sender =
            decode("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let salt = decode("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let mut content = b"When I grow up, I want to be a watermelon".to_vec();
        content.push(LAST_RECORD);
        let keys = BrowserKeys { public: &public, auth: &auth };
        let body = seal(content, keys, &Agreement { secret: &secret, sender: &sender }, salt).unwrap();
        let wanted = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz\
                      AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(body), wanted);
    }

    #[test]
    fn the_length_does_not_depend_on_the_name_of_the_tool() {
        assert_eq!(pad(b"short").len(), pad(&[b'x'; 200]).len());
        assert_eq!(pad(&[b'x'; BLOCK]).len(), 2 * BLOCK);
    }

    #[test]
    fn a_key_that_is_not_a_point_of_the_curve_is_refused() {
        let keys = BrowserKeys { public: &[4; PUBLIC_KEY], auth: &[0; AUTH_SECRET] };
        assert!(encrypt(b"x", keys).is_err());
    }
}
