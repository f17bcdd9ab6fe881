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

// Options are the address and the settings of a cluster. Only Servers is required; [Parse] fills them from an
// address.
type Options struct {
	// Servers are the addresses of the nodes, with commas between them: "nats://a:4222,nats://b:4222".
	Servers string

	// Credentials is a file with a NATS user's JWT and key; TLS is for clusters that want it. Both may be unset.
	Credentials string
	TLS         *tls.Config

	// Insecure allows servers of other machines without credentials; see [Options.CheckCredentials].
	Insecure bool

	// Monitors are the monitoring addresses of the nodes, such as "http://a:8222". They report the sync setting of
	// each node, which the client protocol does not. System is the credentials file of a user of the system account,
	// which can query the same without them. With neither, Open logs that it could not check.
	Monitors []string
	System   string

	// Replicas is on how many nodes everything is kept: 3 by default, 1 only to try things out.
	Replicas int

	// Partitions is over how many streams the logs are spread: 16 by default. The first Open fixes it.
	Partitions int

	// Prefix begins the names of all streams and subjects, so that several installations can share a
	// cluster. The default is "league".
	Prefix string

	// Patience is how long a single operation may take, elections included, when its context allows more.
	// The default is 20 s.
	Patience time.Duration

	// Copy, if set, is handed every line of a log that this process reads or appends, without its newline: a log's in
	// their order but for lines that it was handed before. It must not keep or change the bytes, and is not to wait.
	Copy func(log string, seq uint64, line []byte)

	// Logger logs weaknesses and failed checks; nil discards them.
	Logger *slog.Logger

	headLag time.Duration // for tests: how long a head waits for more appends
}

// Parse reads an address as it is given on a command line:
//
//	nats://[user:password@]a:4222,b:4222,c:4222[?creds=FILE&ca=FILE&cert=FILE&key=FILE&monitor=URL,URL&system=FILE&replicas=3&partitions=16&prefix=league]
//
// The scheme tls:// asks for TLS.
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

// servers puts the scheme before each host. A user name and a password are given once, at the front.
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

// take reads the part after the question mark. A key that has no meaning is refused.
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

// number reads a number of an address, from low to high.
func number(text string, low, high int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("want a number from %d to %d", low, high)
	}
	return n, nil
}

// withDefaults replaces zero values by defaults. Replicas and Partitions are for new streams; existing streams keep
// theirs.
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

// dialing is how the library is to connect: it goes on trying for as long as the engine is open.
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

// place names the cluster for people, without passwords.
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

// readTLS loads the files that belong to a connection with TLS, if there are any.
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

// pool reads the CA certificates for the cluster's nodes.
func pool(text []byte) (*x509.CertPool, error) {
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(text) {
		return nil, errors.New("no certificate in it")
	}
	return p, nil
}
