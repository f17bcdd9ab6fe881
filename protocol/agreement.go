package protocol

import (
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The token T of a native agent is computed by both sides and never sent: the agent and its manager derive it from
// their own X25519 private key and the public key of the other. Public keys are 64 lower-case hexadecimal digits.

// AgreementKey derives the X25519 private key of one side from its secret: the seed of an agent's identity, or a
// league's token secret.
func AgreementKey(secret []byte) *ecdh.PrivateKey {
	seed, err := hkdf.Key(sha256.New, secret, nil, "league.agreement.v1", sha256.Size)
	if err != nil {
		panic(err) // the length is valid
	}
	key, err := ecdh.X25519().NewPrivateKey(seed)
	if err != nil {
		panic(err) // any 32 bytes are a key
	}
	return key
}

// AgreementPublic returns the public half of an agreement key in hexadecimal.
func AgreementPublic(key *ecdh.PrivateKey) string { return hexText(key.PublicKey().Bytes()) }

// Agreement holds the values, besides the two keys, from which the token of a native agent is derived.
type Agreement struct {
	League       string
	Seal         string // of the league: the SHA-256 of line 1 of its log
	Role         Role
	ID           string
	Epoch        int    // from 1; a readmission increases it
	ManagerKey   string // agreement key of the manager
	PublicKey    string // of the agent
	AgreementKey string // of the agent
}

// Token returns T. Both sides compute the same value, each from its own private key and the other's public agreement
// key. It returns an error for an invalid key or one of small order.
func (a Agreement) Token(own *ecdh.PrivateKey, other string) (string, error) {
	var b [32]byte
	if err := readAgreementKey(b[:], other); err != nil {
		return "", err
	}
	key, err := ecdh.X25519().NewPublicKey(b[:])
	if err != nil {
		return "", fmt.Errorf("agreement_key: %w", err)
	}
	shared, err := own.ECDH(key)
	if err != nil {
		return "", errors.New("agreement_key: it is a point of small order")
	}
	info := lines("league.token.v2", a.League, Sender(a.Role, a.ID), a.ManagerKey, a.PublicKey, a.AgreementKey,
		strconv.Itoa(a.Epoch))
	secret, err := hkdf.Key(sha256.New, shared, []byte(a.Seal), info, sha256.Size)
	if err != nil {
		return "", err
	}
	return tokenText("tok_"+string(a.Role)+"_"+a.ID+"_", [32]byte(secret)), nil
}

// CheckAgreementKey returns an error unless text has the form of a public agreement key. It does not detect a key of
// small order.
func CheckAgreementKey(text string) error {
	var b [32]byte
	return readAgreementKey(b[:], text)
}

// readAgreementKey decodes a public agreement key into key.
func readAgreementKey(key []byte, text string) error {
	if !unhex(key, text) || strings.ToLower(text) != text {
		return fmt.Errorf("agreement_key: want %d lower-case hexadecimal digits", 2*len(key))
	}
	return nil
}

// Challenge holds the values that a native agent signs, one per line, when it accepts its membership in a league.
type Challenge struct {
	Manager      string // its address, as the challenge names it
	Seal         string
	ManagerKey   string
	Role         Role
	ID           string
	Epoch        int
	Endpoint     string // of the agent, as it registered it
	Nonce        string // of the manager
	AgentNonce   string
	AgreementKey string // of the agent
}

// Text returns the lines that the agent signs.
func (c Challenge) Text() string {
	return lines("league.welcome.v2", c.Manager, c.Seal, c.ManagerKey, string(c.Role), c.ID, strconv.Itoa(c.Epoch),
		c.Endpoint, c.Nonce, c.AgentNonce, c.AgreementKey)
}

// Confirm returns an HMAC of the signed text under T, which proves that the sender has computed T.
func Confirm(token, text string) string {
	mac := macLines(token, "confirm", text)
	return hexText(mac[:])
}

// CreatedLine holds the fields that an agent reads from the first line of a league's log.
type CreatedLine struct {
	Seal       string // SHA-256 of the line
	LeagueID   string
	ManagerKey string // "": a league of schema 1
}

// ReadCreated reads line 1 of a league's log.
func ReadCreated(line string) (CreatedLine, error) {
	var l struct {
		Seq    int `json:"seq"`
		Events []struct {
			Kind  string `json:"kind"`
			Event struct {
				LeagueID   string `json:"league_id"`
				ManagerKey string `json:"manager_key"`
			} `json:"event"`
		} `json:"events"`
	}
	if RepeatedKey([]byte(line)) != "" || json.Unmarshal([]byte(line), &l) != nil || l.Seq != 1 || len(l.Events) == 0 ||
		l.Events[0].Kind != "LeagueCreated" {
		return CreatedLine{}, Errorf(InvalidMessage, "created: want line 1 of a league's log").With("field", "created")
	}
	e := l.Events[0].Event
	return CreatedLine{Seal: SHA256(line), LeagueID: e.LeagueID, ManagerKey: e.ManagerKey}, nil
}

// WriteCreated returns a first log line, in the form that [ReadCreated] reads, for a league without a log.
func WriteCreated(league, managerKey string) string {
	event, _ := json.Marshal(map[string]string{"league_id": league, "manager_key": managerKey}) // texts can be written
	return `{"seq":1,"events":[{"kind":"LeagueCreated","event":` + string(event) + `}]}`
}
