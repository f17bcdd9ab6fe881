package mailbox

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"strings"

	"agentleague/protocol"
)

// newSecret returns a secret for a pull mailbox.
func newSecret() string {
	return protocol.MailboxSecret + base64.RawURLEncoding.EncodeToString(random(protocol.MailboxSecretBytes))
}

// OfKey returns the id of the mailbox of an ed25519 key.
func OfKey(key ed25519.PublicKey) string { return protocol.MailboxOfKey(key) }

// Endpoint returns the endpoint of the agent with a mailbox.
func Endpoint(id string) string { return protocol.MailboxScheme + id }

// A handshake holds the values that the agent's end signs to open its mailbox.
type handshake struct {
	Manager      string // the address of the manager, as the agent dialled it
	Seal         string // of the league, or ""
	ID           string // of the mailbox
	ManagerNonce string
	AgentNonce   string
}

// Text returns the signed text: league.mailbox.v1, manager, seal, mailbox id and both nonces, one per line.
func (h handshake) Text() string {
	return strings.Join([]string{"league.mailbox.v1", h.Manager, h.Seal, h.ID, h.ManagerNonce, h.AgentNonce}, "\n")
}

// sameManager reports whether the address that a manager sent is the address that the agent dialled. Scheme, port and
// host must be equal; all loopback names are equal. Paths are ignored: they distinguish leagues and join keys.
func sameManager(dialled, sent string) bool {
	a, errA := url.Parse(dialled)
	b, errB := url.Parse(sent)
	if errA != nil || errB != nil || a.Scheme != b.Scheme || portOf(a) != portOf(b) {
		return false
	}
	return strings.EqualFold(a.Hostname(), b.Hostname()) || isLoopback(a.Hostname()) && isLoopback(b.Hostname())
}

// portOf returns the port of an address, or the default port of its scheme.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// connectAddress returns the WebSocket address of a manager's endpoint.
func connectAddress(manager string) (string, error) {
	u, err := url.Parse(manager)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("the manager %q: want an address such as https://league.example/mcp", manager)
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(u.Path, "/"), "/mcp") + "/mailboxes/connect"
	u.RawPath, u.RawQuery, u.Fragment = "", "", ""
	return u.String(), nil
}

// maxManagers limits the number of managers that a link dials in turn.
const maxManagers = 16

// atManager returns an endpoint at another manager of its cluster, whose address is base: with the same scheme and path.
// It is "" if base is no such address.
func atManager(endpoint, base string) string {
	to, errTo := url.Parse(endpoint)
	at, errAt := url.Parse(base)
	if errTo != nil || errAt != nil || at.Scheme != to.Scheme || at.Host == "" || at.User != nil {
		return ""
	}
	to.Host = at.Host
	return to.String()
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

// nonce returns 128 random bits as hexadecimal digits.
func nonce() string { return hex.EncodeToString(random(16)) }
