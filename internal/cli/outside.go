package cli

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"agentleague/rpc"
)

// An outside is how the agents of this program meet other machines: where these
// reach them, whom they may call, and with which certificates.
type outside struct {
	host          string
	allow         []string
	cert, key, ca string

	guard rpc.Guard
	shown *tls.Config // with which they listen; nil: plain HTTP
	trust *tls.Config // with which they call; nil: as the system does
}

// outsideFlags are the flags of everything that runs agents.
func (a *app) outsideFlags(cmd *cobra.Command) {
	o := &a.outside
	cmd.Flags().StringVar(&o.host, "host", "localhost", "the name or address by which other machines reach this one; it is listened on and registered")
	cmd.Flags().StringArrayVar(&o.allow, "allow", nil, "a network that may be called besides this machine, such as 192.168.1.0/24; may be repeated")
	cmd.Flags().StringVar(&o.cert, "tls-cert", "", "a file with the certificate to listen with, for https")
	cmd.Flags().StringVar(&o.key, "tls-key", "", "the file with its key")
	a.trustFlag(cmd)
}

// trustFlag is the flag of everything that calls agents.
func (a *app) trustFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.outside.ca, "tls-ca", "", "a file with the CAs that have to have signed others' certificates (default: the system's)")
}

// read makes of the flags what is meant by them.
func (o *outside) read() error {
	for _, text := range o.allow {
		network, err := rpc.ParseNetwork(text)
		if err != nil {
			return wrongUsage("--allow: %w", err)
		}
		o.guard.Allow = append(o.guard.Allow, network)
	}
	if (o.cert == "") != (o.key == "") {
		return wrongUsage("--tls-cert and --tls-key belong together: give the file of the certificate and that of its key")
	}
	if err := o.readAuthorities(); err != nil || o.cert == "" {
		return err
	}
	return o.readCertificate()
}

func (o *outside) readAuthorities() error {
	if o.ca == "" {
		return nil
	}
	text, err := os.ReadFile(o.ca)
	if err != nil {
		return fmt.Errorf("--tls-ca: %w; give a file with the certificates of CAs as PEM", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return fmt.Errorf("--tls-ca: %s holds no certificate; give a file with the certificates of CAs as PEM", o.ca)
	}
	o.trust = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return nil
}

func (o *outside) readCertificate() error {
	pair, err := tls.LoadX509KeyPair(o.cert, o.key)
	if err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w; give a certificate and its own key as PEM", err)
	}
	if err := pair.Leaf.VerifyHostname(o.host); err != nil {
		return fmt.Errorf("--tls-cert: %w; make a certificate for %s, or say with --host under which name this machine is reached", err, o.host)
	}
	if now := time.Now(); now.After(pair.Leaf.NotAfter) || now.Before(pair.Leaf.NotBefore) {
		return fmt.Errorf("--tls-cert: %s is valid from %s to %s only; make a new one", o.cert, pair.Leaf.NotBefore.UTC().Format(time.RFC3339), pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
	}
	o.shown = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	return nil
}

// listen takes a port for an agent. A port that is in use says so.
func (o *outside) listen(port int, what string) (*rpc.Server, error) {
	server, err := rpc.Place{Host: o.host, Port: port, TLS: o.shown}.Listen()
	switch {
	case err == nil:
		return server, nil
	case o.host == "localhost":
		return nil, fmt.Errorf("%s cannot listen on port %d: %w; end what uses it, or choose another with --port (0 takes a free one)", what, port, err)
	}
	return nil, fmt.Errorf("%s cannot listen on %s, port %d: %w; give a name or address of this machine with --host and a free port with --port (0 takes one)", what, o.host, port, err)
}

// again lists the flags as they were given, for a command that goes on.
func (o *outside) again() (args []string) {
	if o.host != "" && o.host != "localhost" {
		args = append(args, "--host "+quoted(o.host))
	}
	for _, network := range o.allow {
		args = append(args, "--allow "+quoted(network))
	}
	for _, flag := range [][2]string{{"--tls-cert", o.cert}, {"--tls-key", o.key}, {"--tls-ca", o.ca}} {
		if flag[1] != "" {
			args = append(args, flag[0]+" "+quoted(flag[1]))
		}
	}
	return args
}
