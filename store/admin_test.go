package store_test

import (
	"os"
	"regexp"
	"runtime"
	"sync"
	"testing"
)

func TestTheAdminTokenIsMadeOnce(t *testing.T) {
	root := open(t)
	token, err := root.AdminToken()
	mustSucceed(t, err)
	if !regexp.MustCompile(`^tok_admin_[\w-]{43}$`).MatchString(token) {
		t.Errorf("got %q, want tok_admin_ and 32 bytes", token)
	}
	if again, err := reopen(t, root.Dir()).AdminToken(); err != nil || again != token {
		t.Errorf("got %q, %v; want %q again", again, err, token)
	}
	info, err := os.Stat(path(root, "data/admin.token"))
	mustSucceed(t, err)
	if got := info.Mode().Perm(); got != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %o, want 600", got)
	}
	if other, err := open(t).AdminToken(); err != nil || other == token {
		t.Errorf("got %q, %v; want another one for another root", other, err)
	}
}

func TestAllWhoMakeTheAdminTokenGetTheSame(t *testing.T) {
	root := open(t)
	var asking sync.WaitGroup
	tokens := make([]string, 8)
	for i := range tokens {
		asking.Go(func() { tokens[i], _ = root.AdminToken() })
	}
	asking.Wait()
	for _, token := range tokens {
		if token == "" || token != tokens[0] {
			t.Fatalf("got %q, want one token", tokens)
		}
	}
}

func TestAnAdminTokenOfOnesOwn(t *testing.T) {
	root := open(t)
	write(t, root, "data/admin.token", " my own\n")
	if got, err := root.AdminToken(); err != nil || got != "my own" {
		t.Errorf("got %q, %v; want my own", got, err)
	}
	write(t, root, "data/admin.token", "\n")
	_, err := root.AdminToken()
	wantError(t, err, "data/admin.token: empty; remove the file to get a new token")
	remove(t, root, "data/admin.token")
	mustSucceed(t, os.Mkdir(path(root, "data/admin.token"), 0o755))
	if _, err := root.AdminToken(); err == nil {
		t.Error("a folder: got no error")
	}
}
