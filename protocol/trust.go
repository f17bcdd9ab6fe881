package protocol

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Ed25519 signatures prove the identity of an agent and the content of its answers. An agent that registers a public
// key is native: from then on that key identifies it. Keys, hashes and signatures are lower-case hexadecimal, and
// every signed or hashed text is a list of lines.

// WelcomeTextV1 returns the text that agents signed in leagues of schema 1, where the welcome carried the token.
func WelcomeTextV1(manager, seal, id, endpoint, nonce, tokenHash string) string {
	return lines("league.welcome.v1", manager, seal, id, endpoint, nonce, tokenHash)
}

// IdentityText returns the text that an agent signs to prove its identity at an endpoint.
func IdentityText(seal, id, endpoint, challenge string) string {
	return lines("league.identity.v1", seal, id, endpoint, challenge)
}

// OrganiserMark returns the mark that a referee with the root's referee secret adds to its answer to a welcome.
func OrganiserMark(secret []byte, text string) string {
	mac := macLines(secret, text)
	return hexText(mac[:])
}

// FinalSignatureText returns the text that a player signs at the end of the league.
func FinalSignatureText(seal, player, head string) string {
	return lines("league.end.v1", seal, player, head)
}

// A Proof accompanies a player's answer. Its signature covers this answer and
// all earlier ones of the same attempt at a match.
type Proof struct {
	Head      string `json:"head"`      // the newest head of the league that the player has received
	Move      string `json:"move"`      // the answer as text
	Signature string `json:"signature"` // of the chain that ends with this answer
}

// SignedAnswers holds all answers of one player in one attempt at a match,
// including refused ones, and the signature of the last.
type SignedAnswers struct {
	Head      string         `json:"head"`
	Answers   []SignedAnswer `json:"answers"`
	Signature string         `json:"signature"`
}

// A SignedAnswer is one of them.
type SignedAnswer struct {
	Turn int    `json:"turn"`
	View string `json:"view_sha256,omitempty"` // of the position that was shown; "": none was
	Move string `json:"move"`
}

// A Bout is one player's part in one attempt at a match: the start of its chain of answers.
type Bout struct {
	Seal       string // of the league
	Match      string
	Attempt    int
	Referee    string // ids
	Player     string
	Commitment string // to the draw, from GAME_INVITATION
	Head       string // that the player had received before its first answer
}

// A Chain is the hash of all answers so far.
type Chain string

// Chain returns the chain of no answers.
func (b Bout) Chain() Chain {
	sum := hashLines("league.moves.v1", b.Seal, b.Match, strconv.Itoa(b.Attempt), b.Referee, b.Player, b.Commitment, b.Head)
	return Chain(hexText(sum[:]))
}

// Then returns the chain extended by one answer. View is the text of the position that the player saw.
func (c Chain) Then(turn int, view, move string) Chain { return c.ThenHash(turn, ViewHash(view), move) }

// ThenHash is like Then with the hash of the position, see [ViewHash].
func (c Chain) ThenHash(turn int, viewHash, move string) Chain {
	if viewHash == "" {
		viewHash = noView
	}
	sum := hashLines(string(c), strconv.Itoa(turn), viewHash, move)
	return Chain(hexText(sum[:]))
}

// Sign signs the chain.
func (c Chain) Sign(key ed25519.PrivateKey) string { return Sign(key, string(c)) }

// noView is the hash of the position where none is shown.
var noView = SHA256("")

// ViewHash returns the hash of a position as it is kept: nothing without a position.
func ViewHash(view string) string {
	if view == "" {
		return ""
	}
	return SHA256(view)
}

// Check returns an error unless the player with the given public key has signed these answers in bout b. It
// takes the log head of the bout from the answers.
func (s SignedAnswers) Check(b Bout, publicKey string) error {
	if len(s.Answers) == 0 {
		return errors.New("signed: no answer is there")
	}
	b.Head = s.Head
	chain := b.Chain()
	for _, a := range s.Answers {
		chain = chain.ThenHash(a.Turn, a.View, a.Move)
	}
	if err := CheckSignature(publicKey, string(chain), s.Signature); err != nil {
		return fmt.Errorf("signed: %s: %w", b.Player, err)
	}
	return nil
}

// Sign signs a text.
func Sign(key ed25519.PrivateKey, text string) string {
	return hexText(ed25519.Sign(key, []byte(text)))
}

// CheckSignature returns an error unless the signature of the text is valid under the key.
func CheckSignature(publicKey, text, signature string) error {
	var key [ed25519.PublicKeySize]byte
	if err := readPublicKey(key[:], publicKey); err != nil {
		return err
	}
	var sig [ed25519.SignatureSize]byte
	if !unhex(sig[:], signature) {
		return fmt.Errorf("signature: want %d hexadecimal digits", 2*ed25519.SignatureSize)
	}
	if !ed25519.Verify(key[:], []byte(text), sig[:]) {
		return errors.New("signature: it is not of this text by this key")
	}
	return nil
}

// PublicKey writes the public half of a key.
func PublicKey(key ed25519.PrivateKey) string {
	return hexText(key[ed25519.PrivateKeySize-ed25519.PublicKeySize:])
}

// ParsePublicKey decodes a public key. It accepts only the canonical notation.
func ParsePublicKey(text string) (ed25519.PublicKey, error) {
	key := make(ed25519.PublicKey, ed25519.PublicKeySize)
	if err := readPublicKey(key, text); err != nil {
		return nil, err
	}
	return key, nil
}

// readPublicKey reads a public key into key.
func readPublicKey(key []byte, text string) error {
	if !unhex(key, text) || strings.ToLower(text) != text {
		return fmt.Errorf("public_key: want %d lower-case hexadecimal digits", 2*ed25519.PublicKeySize)
	}
	return nil
}

// SHA256 returns the hash of a text.
func SHA256(text string) string {
	sum := hashLines(text)
	return hexText(sum[:])
}

func lines(parts ...string) string { return strings.Join(parts, "\n") }
