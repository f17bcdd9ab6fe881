package webtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A Browser is a Chromium. Its tabs share nothing but the process: each has its own cookies and storage.
type Browser struct{ ctx context.Context }

// names are the possible names of the program. The shell has the same engine without the windows of a desktop, and takes
// half the processor time.
var names = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"}

// errNone means that no browser is installed, which is no failure on a developer's machine.
var errNone = errors.New("no chromium is installed: apt-get install chromium-headless-shell")

// Start returns a Chromium that ends with the test, or under Main the one that all tests of the package share.
// Without an installed browser the test is skipped, or fails with CI=true.
func Start(t testing.TB) *Browser {
	t.Helper()
	begin := ofPackage
	if begin == nil {
		begin = func() (*Browser, error) {
			b, end, err := launch()
			t.Cleanup(end)
			return b, err
		}
	}
	b, err := begin()
	switch {
	case errors.Is(err, errNone) && os.Getenv("CI") != "true":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return b
}

// ofPackage starts the browser of the package at the first call, and returns it from then on; nil without Main.
var ofPackage func() (*Browser, error)

// Main runs the tests of a package with one browser for all of them, and returns their status. A start of Chromium
// takes nearly a second of CPU time, longer than most tests. It is for TestMain.
func Main(m interface{ Run() int }) int {
	end := func() {}
	ofPackage = sync.OnceValues(func() (b *Browser, err error) {
		b, end, err = launch()
		return b, err
	})
	defer func() { end() }()
	return m.Run()
}

// launch starts a Chromium with an empty profile. The function end returns when it is gone; it is never nil.
func launch() (b *Browser, end func(), err error) {
	path, err := Path()
	if err != nil {
		return nil, func() {}, err
	}
	profile, err := os.MkdirTemp("", "league-chromium-")
	if err != nil {
		return nil, func() {}, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(profile),
		chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("password-store", "basic"), chromedp.Flag("lang", "en-US"))
	all, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(all)
	end = func() {
		_ = chromedp.Cancel(ctx) // it waits for the end of the process
		cancel()
		stop()
		_ = os.RemoveAll(profile)
	}
	if err := chromedp.Do(ctx); err != nil {
		return nil, end, fmt.Errorf("chromium does not start: %w", err)
	}
	return &Browser{ctx}, end, nil
}

// Path returns the path of the program.
func Path() (path string, err error) {
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNone
}
