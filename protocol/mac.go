package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
)

// Every match needs a few dozen hashes of short texts. The functions below compute them without allocation: the HMAC of
// the standard library allocates six objects for each, and hexadecimal encoding two.

// hashRoom is the maximum length, in bytes, of a text that is hashed without an allocation.
const hashRoom = 512

// appendLines appends parts to b, one per line, which is the format of every signed or hashed text.
func appendLines(b []byte, parts ...string) []byte {
	for i, part := range parts {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, part...)
	}
	return b
}

// hashLines returns the SHA-256 of parts, one per line.
func hashLines(parts ...string) [sha256.Size]byte {
	var room [hashRoom]byte
	return sha256.Sum256(appendLines(room[:0], parts...))
}

// macLines returns the HMAC-SHA256 (RFC 2104) of parts, one per line.
func macLines[K string | []byte](key K, parts ...string) [sha256.Size]byte {
	var room [sha256.BlockSize + hashRoom]byte
	padded := appendKey(room[:0], key, 0x36)
	inner := sha256.Sum256(appendLines(padded, parts...))
	padded = appendKey(room[:0], key, 0x5c)
	return sha256.Sum256(append(padded, inner[:]...))
}

// appendKey adds a block to b: the key, or the hash of a longer key, padded with zeros, each byte xor pad.
func appendKey[K string | []byte](b []byte, key K, pad byte) []byte {
	var block [sha256.BlockSize]byte
	if len(key) <= len(block) {
		copy(block[:], key)
	} else {
		sum := sha256.Sum256([]byte(key))
		copy(block[:], sum[:])
	}
	for i := range block {
		block[i] ^= pad
	}
	return append(b, block[:]...)
}

// hexText writes at most 64 bytes, such as a hash, a key or a signature, in hexadecimal. It makes one object.
func hexText(b []byte) string {
	var room [128]byte
	return string(hex.AppendEncode(room[:0], b))
}

// unhex decodes hexadecimal text into b. It is not ok for a text of any other length.
func unhex(b []byte, text string) bool {
	if hex.DecodedLen(len(text)) != len(b) || len(text)%2 != 0 {
		return false
	}
	_, err := hex.Decode(b, []byte(text))
	return err == nil
}

// tokenText writes a token: its prefix and a secret. It makes one object.
func tokenText(prefix string, secret [sha256.Size]byte) string {
	var room [128]byte
	return string(appendToken(room[:0], prefix, secret))
}

// isToken reports whether a text is the token of a prefix and a secret, in constant time.
func isToken(text, prefix string, secret [sha256.Size]byte) bool {
	var room, shown [128]byte
	return hmac.Equal(append(shown[:0], text...), appendToken(room[:0], prefix, secret))
}

// appendToken adds a token to b.
func appendToken(b []byte, prefix string, secret [sha256.Size]byte) []byte {
	return base64.RawURLEncoding.AppendEncode(append(b, prefix...), secret[:])
}
