package jetstream

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// ErrNoCredentials means that servers on other machines were given without credentials. Any client in the network could
// then read the secrets of all leagues and write to their logs.
var ErrNoCredentials = errors.New("the address has no credentials, and any client that reaches the server can read and write the leagues; " +
	"give a user (nats://USER:PASSWORD@…), creds=FILE, or cert=FILE and key=FILE")

// CheckCredentials returns [ErrNoCredentials], with the server, if a server on another machine is given without
// credentials and Insecure is not set.
func (o Options) CheckCredentials() error {
	if o.Insecure {
		return nil
	}
	if remote := o.anonymous(); remote != "" {
		return fmt.Errorf("%s: %w", remote, ErrNoCredentials)
	}
	return nil
}

// anonymous returns the first server on another machine that is used without credentials; "" if there is none.
func (o Options) anonymous() string {
	if o.Credentials != "" || o.TLS != nil && len(o.TLS.Certificates) > 0 {
		return ""
	}
	for one := range strings.SplitSeq(o.Servers, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil {
			continue // it cannot be connected to
		}
		if u.User.Username() == "" && !isLoopback(u.Hostname()) {
			return u.Host
		}
	}
	return ""
}

// isLoopback reports whether a host is this machine, by its name or address.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}
