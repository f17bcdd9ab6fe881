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

// OrganiserMark returns the mark that a referee with the data directory's referee secret adds to its answer to a
// welcome.
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

// An AnswerContext identifies one player's part in one attempt at a match. The player's signed answers in that attempt
// form a hash chain that starts with the context.
type AnswerContext struct {
	Seal       string // of the league
	Match      string
	Attempt    int
	Referee    string // ids
	Player     string
	Commitment string // to the draw, from GAME_INVITATION
	Head       string // that the player had received before its first answer
}

// An AnswerChain is the hash, in hex, of an [AnswerContext] and all answers that the player has given in it so far.
type AnswerChain string

// NewChain returns the hash chain that starts with b and has no answers yet.
func (b AnswerContext) NewChain() AnswerChain {
	sum := hashLines("league.moves.v1", b.Seal, b.Match, strconv.Itoa(b.Attempt), b.Referee, b.Player, b.Commitment, b.Head)
	return AnswerChain(hexText(sum[:]))
}

// Then returns the chain extended by one answer: move in the given turn, after the player saw the position with the
// text view.
func (c AnswerChain) Then(turn int, view, move string) AnswerChain {
	return c.ThenHash(turn, ViewHash(view), move)
}

// ThenHash is like Then, but takes the hash of the position instead of its text, see [ViewHash].
func (c AnswerChain) ThenHash(turn int, viewHash, move string) AnswerChain {
	if viewHash == "" {
		viewHash = noView
	}
	sum := hashLines(string(c), strconv.Itoa(turn), viewHash, move)
	return AnswerChain(hexText(sum[:]))
}

// Sign signs the chain.
func (c AnswerChain) Sign(key ed25519.PrivateKey) string { return Sign(key, string(c)) }

// noView is the hash in the chain for an answer to a question without a position.
var noView = SHA256("")

// ViewHash returns the SHA-256 of the text of a position, or "" for an empty text.
func ViewHash(view string) string {
	if view == "" {
		return ""
	}
	return SHA256(view)
}

// Check returns an error unless the owner of publicKey has signed these answers in context b. It replaces b.Head by
// s.Head.
func (s SignedAnswers) Check(b AnswerContext, publicKey string) error {
	if len(s.Answers) == 0 {
		return errors.New("signed: no answer is there")
	}
	b.Head = s.Head
	chain := b.NewChain()
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
