//go:build unix

package exec_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A program is ended with all that it has started, whether it was late or the player is over. Of a pipe that they all
// hold open, the end is seen when the last of them is gone.
func TestAProgramIsEndedWithItsChildren(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(close func() error, ask func(time.Duration) error) error{
		"close": func(shut func() error, ask func(time.Duration) error) error {
			return errors.Join(ask(30*time.Second), shut())
		},
		"late": func(_ func() error, ask func(time.Duration) error) error {
			if err := ask(30 * time.Second); err != nil {
				return err
			}
			if ask(time.Second) == nil { // it answers once
				return errors.New("it was in time")
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pipe := filepath.Join(t.TempDir(), "held")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			m, _ := start(t, fmt.Sprintf(`sh -c 'exec 3>"%s"; trap "" TERM HUP; sleep 1000 & read -r line; echo even; wait'`, pipe))
			held := make(chan error, 1)
			go func() {
				f, err := os.Open(pipe)
				if err == nil {
					_, err = io.ReadAll(f)
					err = errors.Join(err, f.Close())
				}
				held <- err
			}()
			err := end(m.Close, func(left time.Duration) error {
				_, err := m.Choose(asked(t, left), parity)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			select {
			case err := <-held:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(30 * time.Second):
				t.Error("something that the program has started is still there")
			}
		})
	}
}
