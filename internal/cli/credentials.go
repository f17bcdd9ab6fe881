package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"agentleague/internal/cli/usage"
	"agentleague/rpc"
)

// credentialFlags are the flags for the credentials of an MCP server. Secrets are read from files, because all users of
// the machine can read a command line.
type credentialFlags struct {
	bearer  string   // the file with a bearer token; "": none
	headers []string // NAME=FILE each
}

// add defines the flags.
func (f *credentialFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.bearer, "bearer-file", "", "a file with the bearer token for the agent's MCP server")
	cmd.Flags().StringArrayVar(&f.headers, "header", nil, "a header for the agent's MCP server and the file with its value, "+
		"such as X-API-Key=key.txt; may be repeated")
}

// read reads the credentials for the server at an address from the files, and from the user, password and query of the
// address. It returns the address without them.
func (f credentialFlags) read(address string) (endpoint string, c rpc.Credentials, err error) {
	if endpoint, err = c.Split(address); err != nil {
		return "", c, usage.Wrong("the user, password or query in the URL cannot be used: %w", err)
	}
	if f.bearer != "" {
		if err := readCredential("--bearer-file", f.bearer, c.AddBearer); err != nil {
			return "", c, err
		}
	}
	for _, header := range f.headers {
		name, file, ok := strings.Cut(header, "=")
		if !ok || name == "" || file == "" {
			return "", c, usage.Wrong("--header: use NAME=FILE, such as X-API-Key=key.txt; the file contains the value")
		}
		add := func(value string) error { return c.AddHeader(name, value) }
		if err := readCredential("--header", file, add); err != nil {
			return "", c, err
		}
	}
	return endpoint, c, nil
}

// readCredential passes the text in a file to add. Its errors name the flag and the file, never the text.
func readCredential(flag, file string, add func(string) error) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	if err := add(strings.TrimSpace(string(text))); err != nil {
		return fmt.Errorf("%s: the value in %s cannot be used: %w", flag, file, err)
	}
	return nil
}
