package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// A credential is the admin's token for an order. Command lines are readable by all users of the machine, so the
// token comes from a file or the environment.
type credential struct {
	flag string // as it was typed; for backward compatibility
	file string
	held string // the content of the file
}

// adminFlags adds the flags of a verb that gives orders, or shows more to the admin.
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

// given reports whether a token was named explicitly.
func (c *credential) given() bool {
	return c.flag != "" || c.held != "" || os.Getenv("LEAGUE_ADMIN_TOKEN") != ""
}

// adminToken finds the admin's token: from a flag, the environment, or the root.
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
