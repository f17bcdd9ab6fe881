package jetstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Options are the address and the settings of a cluster. Only Servers is required. [Parse] reads them from an address.
type Options struct {
	// Servers lists the addresses of the nodes, separated by commas: "nats://a:4222,nats://b:4222".
	Servers string

	// Credentials is a file with the JWT and key of a NATS user. TLS configures encrypted connections. Both are
	// optional.
	Credentials string
	TLS         *tls.Config

	// Insecure allows servers of other machines without credentials; see [Options.CheckCredentials].
	Insecure bool

	// Monitors lists the monitoring addresses of the nodes, such as "http://a:8222". They report the sync setting of
	// each node, which the client protocol does not. Alternatively, System is the credentials file of a user of the
	// system account, which can query the same. With neither, Open logs a warning that the setting is unchecked.
	Monitors []string
	System   string

	// Replicas is the number of nodes that store each message: 3 by default; 1 is for tests only.
	Replicas int

	// Partitions is the number of streams that the logs are distributed over: 16 by default. It cannot change after the
	// first Open.
	Partitions int

	// Prefix is the prefix of all stream names and subjects, so that several installations can share a cluster. The
	// default is "league".
	Prefix string

	// Patience limits the duration of a single operation with its retries; the context may end it earlier. It must
	// exceed the time of a leader election. The default is 20 s.
	Patience time.Duration

	// Copy, if set, is called with every line of a log that this process reads or appends, without its newline. The
	// lines of a log arrive in order, some of them repeatedly. Copy must not block, nor keep or change the line.
	Copy func(log string, seq uint64, line []byte)

	// Logger logs weaknesses of the cluster and failed checks; nil discards them.
	Logger *slog.Logger

	headLag time.Duration // for tests: how long a head waits for more appends
}

// Parse parses the address of a cluster:
//
//	nats://[user:password@]a:4222,b:4222,c:4222[?creds=FILE&ca=FILE&cert=FILE&key=FILE&monitor=URL,URL&system=FILE&replicas=3&partitions=16&prefix=league]
//
// The scheme tls:// requires TLS.
func Parse(address string) (Options, error) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || scheme != "nats" && scheme != "tls" {
		return Options{}, fmt.Errorf("engine %q: want nats://HOST:PORT,HOST:PORT,HOST:PORT", address)
	}
	hosts, query, _ := strings.Cut(rest, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return Options{}, fmt.Errorf("engine: after the question mark: %w", err)
	}
	o := Options{}
	if o.Servers, err = servers(scheme, hosts); err != nil {
		return Options{}, err
	}
	return o, o.take(values)
}

// servers returns a comma-separated list of hosts with the scheme before each. A user name and password may only be
// given before the first host.
func servers(scheme, hosts string) (string, error) {
	who, list, named := strings.Cut(hosts, "@")
	if !named {
		who, list = "", hosts
	} else {
		who += "@"
	}
	var out []string
	for host := range strings.SplitSeq(list, ",") {
		if host == "" || strings.ContainsAny(host, "/@ ") {
			return "", fmt.Errorf("engine: %q is not a host and a port", host)
		}
		out = append(out, scheme+"://"+who+host)
	}
	return strings.Join(out, ","), nil
}

// take applies the query parameters of an address. An unknown parameter is an error.
func (o *Options) take(values url.Values) error {
	var pair [3]string // ca, cert, key
	for name, all := range values {
		value, err := all[len(all)-1], error(nil)
		switch name {
		case "creds":
			o.Credentials = value
		case "system":
			o.System = value
		case "prefix":
			o.Prefix = value
		case "monitor":
			o.Monitors = strings.Split(value, ",")
		case "replicas":
			o.Replicas, err = number(value, 1, 5)
		case "partitions":
			o.Partitions, err = number(value, 1, 256)
		case "ca":
			pair[0] = value
		case "cert":
			pair[1] = value
		case "key":
			pair[2] = value
		default:
			err = errors.New("no such option; there are creds, ca, cert, key, monitor, system, replicas, partitions and prefix")
		}
		if err != nil {
			return fmt.Errorf("engine: %s=%s: %w", name, value, err)
		}
	}
	return o.readTLS(pair[0], pair[1], pair[2])
}

// number parses a number between low and high.
func number(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("want a number from %d to %d", low, high)
	}
	return n, nil
}

// withDefaults replaces zero values by defaults. Replicas and Partitions apply only to streams that are created.
func (o Options) withDefaults() Options {
	if o.Replicas == 0 {
		o.Replicas = 3
	}
	if o.Partitions == 0 {
		o.Partitions = 16
	}
	if o.Prefix == "" {
		o.Prefix = "league"
	}
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	if o.headLag == 0 {
		o.headLag = 50 * time.Millisecond
	}
	if o.Copy == nil {
		o.Copy = func(string, uint64, []byte) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// dialing returns the options of the NATS connection, which reconnects as long as the engine is open.
func (o Options) dialing() []nats.Option {
	out := []nats.Option{
		nats.Name("league manager"),
		nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(50*time.Millisecond, 0),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), // a node that is cut off is left after 6 s
		nats.Timeout(2 * time.Second),
	}
	if o.Credentials != "" {
		out = append(out, nats.UserCredentials(o.Credentials))
	}
	if o.TLS != nil {
		out = append(out, nats.Secure(o.TLS))
	}
	return out
}

// place returns the addresses of the cluster for messages, without passwords.
func (o Options) place() string {
	var out []string
	for one := range strings.SplitSeq(o.Servers, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			one = u.Host
		}
		out = append(out, one)
	}
	return strings.Join(out, ", ")
}

// readTLS loads the TLS files that are given. Without any it leaves TLS unchanged.
func (o *Options) readTLS(ca, cert, key string) error {
	if ca == "" && cert == "" && key == "" {
		return nil
	}
	o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		text, err := os.ReadFile(ca)
		if err != nil {
			return fmt.Errorf("engine: %w", err)
		}
		if o.TLS.RootCAs, err = pool(text); err != nil {
			return fmt.Errorf("engine: %s: %w", ca, err)
		}
	}
	if cert == "" && key == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	o.TLS.Certificates = []tls.Certificate{pair}
	return nil
}

// pool parses the CA certificates that the cluster's nodes are verified with.
func pool(text []byte) (*x509.CertPool, error) {
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(text) {
		return nil, errors.New("no certificate in it")
	}
	return p, nil
}
