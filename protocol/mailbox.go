package protocol

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// MailboxScheme begins the endpoint of an agent that the manager reaches through a mailbox, see package mailbox.
const MailboxScheme = "mailbox:"

// MailboxID returns the id of the mailbox in an endpoint such as "mailbox:0123456789abcdef0123456789abcdef", and false
// for any other endpoint.
func MailboxID(endpoint string) (id string, ok bool) {
	id, ok = strings.CutPrefix(endpoint, MailboxScheme)
	return id, ok && len(id) == 32 && strings.Trim(id, "0123456789abcdef") == ""
}

// MailboxSecret begins the secret of every mailbox that is read by HTTP requests.
const MailboxSecret = "mbx_"

// MailboxSecretBytes is the entropy of such a secret; its text is base64url without padding.
const MailboxSecretBytes = 32

// MailboxOfSecret returns the id of the mailbox that a secret opens, and false if the text has not the form of a secret.
func MailboxOfSecret(secret string) (id string, ok bool) {
	text, ok := strings.CutPrefix(secret, MailboxSecret)
	if !ok {
		return "", false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) != MailboxSecretBytes {
		return "", false
	}
	return MailboxOfKey([]byte(secret)), true
}

// MailboxOfKey returns the id of the mailbox of a key: the first 32 hexadecimal digits of its SHA-256. The key is a
// secret, or an ed25519 public key of 32 bytes.
func MailboxOfKey(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:16])
}

// RelayAddress returns the address at which a manager passes the messages of referees on to an agent with a mailbox.
// base is the address of the manager without a path.
func RelayAddress(base, league, agent string) string {
	return base + "/leagues/" + league + "/agents/" + agent + "/mcp"
}

// IsRelayed reports whether a manager passes messages to an endpoint on: it is a mailbox or a [RelayAddress]. Such an
// endpoint has no other paths.
func IsRelayed(endpoint string) bool {
	if strings.HasPrefix(endpoint, MailboxScheme) {
		return true
	}
	_, path, _ := strings.Cut(endpoint, "/leagues/")
	part := strings.Split(path, "/")
	return len(part) == 4 && part[1] == "agents" && part[3] == "mcp"
}
