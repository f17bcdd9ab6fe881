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

// add adds the admin token flags to a command.
func (c *credential) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.file, "admin-token-file", "", "a file with the admin token (default: "+
		"LEAGUE_ADMIN_TOKEN, or data/admin.token in the root)")
	cmd.Flags().StringVar(&c.flag, "admin-token", "", "the admin token itself")
	_ = cmd.Flags().MarkHidden("admin-token") // it is there
}

// read reads the token from the file of --admin-token-file. Without the flag it does nothing; an empty file is an
// error.
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

// given reports whether the user supplied a token by a flag or the environment, and not by the data directory.
func (c *credential) given() bool {
	return c.flag != "" || c.held != "" || os.Getenv("LEAGUE_ADMIN_TOKEN") != ""
}

// token returns the admin's token from a flag, else the environment, else the data directory; "" if none has one.
func (c *credential) token(root string) string {
	for _, token := range []string{c.flag, c.held, os.Getenv("LEAGUE_ADMIN_TOKEN")} {
		if token != "" {
			return token
		}
	}
	b, err := os.ReadFile(filepath.Join(root, "data", "admin.token"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// setting is the source of the admin token.
func (c *credential) setting(root string) setting {
	s := setting{Key: "--admin-token-file", Value: "", From: "default"}
	own := filepath.Join(root, "data", "admin.token")
	switch {
	case c.flag != "":
		s.Value, s.From, s.Name = "(set)", "flag", "--admin-token"
	case c.file != "":
		s.Value, s.From, s.Name = c.file, "flag", "--admin-token-file"
	case os.Getenv("LEAGUE_ADMIN_TOKEN") != "":
		s.Value, s.From, s.Name = "(set)", "environment", "LEAGUE_ADMIN_TOKEN"
	default:
		if _, err := os.Stat(own); err == nil {
			s.Value = own
		}
	}
	return s
}
