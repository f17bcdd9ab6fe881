package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"agentleague/config"
	"agentleague/host"
	"agentleague/internal/cli/usage"
	"agentleague/protocol"
	"agentleague/rpc"
)

// netFlags holds the network flags of agents: their text, and the options parsed from it.
type netFlags struct {
	allow         []string
	cert, key, ca string

	net       host.Net
	deadlines map[protocol.Type]time.Duration // timeouts of calls
}

// add adds the flags of a verb that runs agents.
func (o *netFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.net.Host, "host", "localhost", "the name or address by which other machines reach "+
		"this one, to listen on and to register with (default: network.base_host in config/system.json, localhost)")
	configured(cmd, "host")
	cmd.Flags().StringArrayVar(&o.allow, "allow", nil, "a network that may be called in addition to this machine, "+
		"such as 192.168.1.0/24; may be repeated")
	cmd.Flags().StringVar(&o.cert, "tls-cert", "", "the certificate file to serve https with")
	cmd.Flags().StringVar(&o.key, "tls-key", "", "the key file of the certificate")
	o.addTrust(cmd)
}

// addTrust adds the --tls-ca flag to a command that calls agents.
func (o *netFlags) addTrust(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.ca, "tls-ca", "", "a file with the CA certificates to trust (default: the system's)")
}

// addOutside adds the flags that make a manager reachable from other networks.
func (o *netFlags) addOutside(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.net.Public, "public-url", "", "the address at which others reach the manager "+
		"through a proxy or tunnel, such as https://league.example.org (default: network.public_url in "+
		"config/system.json, none)")
	cmd.Flags().StringVar(&o.net.AuthServer, "auth-server", "", "the issuer of an OAuth authorization "+
		"server whose tokens for this league count as the admin's over MCP (default: security.auth_server in "+
		"config/system.json, none)")
}

// readOutside converts those flags.
func (o *netFlags) readOutside() (err error) {
	if o.net.Public, err = config.CheckPublicURL(o.net.Public); err != nil {
		return usage.Wrong("--public-url: %w", err)
	}
	if o.net.AuthServer, err = config.CheckAuthServer(o.net.AuthServer); err != nil {
		return usage.Wrong("--auth-server: %w", err)
	}
	return nil
}

// opens returns the flag that allows calls to a network.
func opens(network netip.Prefix) string {
	return "allow it with --allow " + network.String()
}

// read converts the flags.
func (o *netFlags) read() error {
	o.net.Guard.Hint = opens
	for _, text := range o.allow {
		network, err := rpc.ParseNetwork(text)
		if err != nil {
			return usage.Wrong("--allow: %w", err)
		}
		o.net.Guard.Allow = append(o.net.Guard.Allow, network)
	}
	if (o.cert == "") != (o.key == "") {
		return usage.Wrong("--tls-cert and --tls-key belong together: give both, the certificate file and its key file")
	}
	if err := errors.Join(o.readOutside(), o.readAuthorities()); err != nil || o.cert == "" {
		return err
	}
	return o.readCertificate()
}

// readAuthorities reads the CA certificates of --tls-ca, which replace the system's. Without the flag it does nothing.
func (o *netFlags) readAuthorities() error {
	if o.ca == "" {
		return nil
	}
	text, err := os.ReadFile(o.ca)
	if err != nil {
		return fmt.Errorf("--tls-ca: %w; give a PEM file of CA certificates", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return fmt.Errorf("--tls-ca: %s holds no certificate; give a PEM file of CA certificates", o.ca)
	}
	o.net.Trust = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return nil
}

// readCertificate loads the certificate and key, and checks the host name and the validity period. Otherwise every
// agent would report the error separately.
func (o *netFlags) readCertificate() error {
	pair, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w; give a certificate and its own key as PEM files", err)
	}
	if err := pair.Leaf.VerifyHostname(o.net.Host); err != nil {
		return fmt.Errorf("--tls-cert: %w; make a certificate for %s, or give the name of this machine with --host", err, o.net.Host)
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return fmt.Errorf("--tls-cert: %s is valid from %s to %s only; make a new one", o.cert, pair.Leaf.NotBefore.UTC().Format(time.RFC3339), pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	o.net.Shown = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	return nil
}

// listenAdvice returns advice for a failure to listen on a port.
func listenAdvice(e *host.ListenError) string {
	if e.Host == "localhost" {
		return "stop the program that uses it, or choose another with --port (0 takes a free one)"
	}
	return "give a name or address of this machine with --host, and a free port with --port (0 takes one)"
}

// caller returns the options for calls to addresses that the user typed.
func (o *netFlags) caller() rpc.Options {
	out := o.net.Caller()
	out.Deadlines = o.deadlines
	return out
}

// firstFree listens on the first free port from ports[0] to ports[1] and returns the server and its port.
func (o *netFlags) firstFree(ports [2]int, what string) (server *rpc.Server, port int, err error) {
	for port := ports[0]; port <= ports[1]; port++ {
		if server, err = o.net.Listen(port, what); err == nil || !errors.Is(err, syscall.EADDRINUSE) {
			return server, port, err
		}
	}
	return nil, 0, fmt.Errorf("all ports from %d to %d are in use; give another with --port (0 takes a free one), "+
		"or a larger "+
		"range in config/system.json, network", ports[0], ports[1])
}
