package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// A credential is what a verb that gives orders shows. On a command line everybody
// on the machine could read it, so that it comes from a file or the environment.
type credential struct {
	flag string // as it was typed; for those who have always done so
	file string
	held string // what the file holds
}

// adminFlags adds the flags of a verb that gives orders, or is told more with the admin's token.
func (a *app) adminFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.admin.file, "admin-token-file", "", "a file with the admin token (default: "+
		"LEAGUE_ADMIN_TOKEN, or data/admin.token in the root)")
	cmd.Flags().StringVar(&a.admin.flag, "admin-token", "", "the admin token itself")
	_ = cmd.Flags().MarkHidden("admin-token") // it is there
}

// read reads the token from the file that was named.
func (c *credential) read() error {
	if c.file == "" {
		return nil
	}
	text, err := os.ReadFile(c.file)
	if err != nil {
		return fmt.Errorf("--admin-token-file: %w; give the manager's data/admin.token or a copy of it", err)
	}
	if c.held = strings.TrimSpace(string(text)); c.held == "" {
		return fmt.Errorf("--admin-token-file: %s is empty; give the manager's data/admin.token or a copy of it", c.file)
	}
	return nil
}

// given reports whether somebody named a token, and means it.
func (c *credential) given() bool {
	return c.flag != "" || c.held != "" || os.Getenv("LEAGUE_ADMIN_TOKEN") != ""
}

// adminToken finds the token that may give orders: one that was given, the environment's, the root's own.
func (a *app) adminToken() string {
	for _, token := range []string{a.admin.flag, a.admin.held, os.Getenv("LEAGUE_ADMIN_TOKEN")} {
		if token != "" {
			return token
		}
	}
	b, err := os.ReadFile(filepath.Join(a.root, "data", "admin.token"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
