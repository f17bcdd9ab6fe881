// Package webtest opens the site in a real Chromium, for tests.
//
//	b := webtest.Start(t)                                      one browser for a test, or with Main for a package
//	tab := b.Tab(t, webtest.Laptop)                               an own profile: cookies, storage
//	tab.Open(url); tab.Await("the table", `…an expression…`); webtest.Get[int](tab, `…`); tab.Shot("league")
//
// A tab fails its test when the page logs an error, throws, or breaks its content policy.
package webtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Screen is the device that a tab emulates.
type Screen struct {
	Name          string
	Width, Height int64
	Scale         float64
	Mobile        bool
	Dark          bool
	NoScript      bool
	Still         bool // reduced motion is preferred
}

// The screens of the tests.
var (
	Phone     = Screen{Name: "phone", Width: 390, Height: 844, Scale: 2, Mobile: true}
	Laptop    = Screen{Name: "laptop", Width: 1366, Height: 768, Scale: 1}
	Projector = Screen{Name: "projector", Width: 1920, Height: 1080, Scale: 1}
)

// InDark returns the same screen in dark colours.
func (s Screen) InDark() Screen { s.Dark = true; return s }

// WithoutScript returns the same screen without scripts.
func (s Screen) WithoutScript() Screen { s.NoScript = true; return s }

// A Tab is a page in the browser.
type Tab struct {
	t      testing.TB
	ctx    context.Context
	screen Screen

	mu       sync.Mutex
	said     []string
	forgiven bool     // errors are ignored
	missed   []string // failed loads, which may be intended
}

// Tab opens an empty tab with separate cookies.
func (b *Browser) Tab(t testing.TB, s Screen) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	tab := &Tab{t: t, ctx: ctx, screen: s}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("no tab opens: %v", err)
	}
	var hearing sync.WaitGroup
	messages, dialogs := chromedp.Console(ctx), chromedp.Events(ctx, page.JavascriptDialogOpening)
	hearing.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			switch {
			case m.IsException() || m.Type == "error" && m.Source != "network":
				tab.hear(m.Text)
			case m.Source == "network":
				tab.miss(m.Text + " " + m.URL)
			}
		}
	})
	hearing.Go(func() {
		for d, err := range dialogs {
			if err != nil {
				return
			}
			tab.hear("a dialog: " + d.Message)
		}
	})
	t.Cleanup(func() {
		end()
		hearing.Wait()
		tab.Quiet()
	})
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil { // focus works in background tabs too
		t.Fatal(err)
	}
	tab.Show(s)
	return tab
}

// Show changes the screen of the tab without a reload.
func (tab *Tab) Show(s Screen) {
	tab.t.Helper()
	tab.screen = s
	colours, motion := "light", "no-preference"
	if s.Dark {
		colours = "dark"
	}
	if s.Still {
		motion = "reduce"
	}
	_, err := chromedp.Call(tab.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: s.Width, Height: s.Height, DeviceScaleFactor: s.Scale, Mobile: s.Mobile,
	})
	if err == nil {
		_, err = chromedp.Call(tab.ctx, emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: colours}, {Name: "prefers-reduced-motion", Value: motion},
			}})
	}
	if err == nil {
		_, err = chromedp.Call(tab.ctx, emulation.SetScriptExecutionDisabled,
			emulation.SetScriptExecutionDisabledParams{Value: s.NoScript})
	}
	if err != nil {
		tab.t.Fatal(err)
	}
}

// hear records an error of the page.
func (tab *Tab) hear(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	if !tab.forgiven {
		tab.said = append(tab.said, text)
	}
}

// miss records a failed load, for the message of a test that times out.
func (tab *Tab) miss(text string) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.missed = append(tab.missed, text)
}

// Quiet fails the test if the page has logged an error.
func (tab *Tab) Quiet() {
	tab.t.Helper()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, text := range tab.said {
		tab.t.Errorf("the page on %s: %s", tab.screen.Name, text)
	}
	tab.said = nil
}

// Forgive ignores the page's errors from now on: a test is about to cause them.
func (tab *Tab) Forgive() {
	tab.t.Helper()
	tab.Quiet()
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.forgiven = true
}

// patience is the timeout of every step on a busy machine.
const patience = time.Minute

// Do runs actions of chromedp, one after the other.
func (tab *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	if err := chromedp.Do(ctx, actions...); err != nil {
		tab.t.Fatalf("%s: %v", tab.screen.Name, err)
	}
}

// Open navigates to an address and waits for the page.
func (tab *Tab) Open(url string) {
	tab.t.Helper()
	tab.Do(chromedp.Navigate(url))
	tab.Await("the page "+url, "true")
}

// Get returns the value of an expression in the page, or of its promise.
func Get[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.t.Fatalf("%s: %.200s: %v", tab.screen.Name, expression, err)
	}
	return value
}

// Heap collects garbage and returns the size of the page's JavaScript heap in bytes.
func (tab *Tab) Heap() float64 {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	_, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{})
	if err == nil {
		var used runtime.GetHeapUsageResult
		if used, err = chromedp.Call(ctx, runtime.GetHeapUsage, cdp.Empty{}); err == nil {
			return used.UsedSize
		}
	}
	tab.t.Fatalf("%s: the heap: %v", tab.screen.Name, err)
	return 0
}

// Click clicks on the first element of a selector. If the page is just replacing it, the replacement is clicked.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector)))
	for err != nil && ctx.Err() == nil && strings.Contains(err.Error(), "Could not find node") {
		err = chromedp.Do(ctx, chromedp.Click(chromedp.CSS(selector)))
	}
	if err != nil {
		tab.t.Fatalf("%s: %s: %v", tab.screen.Name, selector, err)
	}
}

// ClickAt clicks at a place of the page, in any frame.
func (tab *Tab) ClickAt(x, y float64) {
	tab.t.Helper()
	tab.Do(chromedp.MouseClickXY(x, y))
}

// Type types into the first element of a selector.
func (tab *Tab) Type(selector, text string) {
	tab.t.Helper()
	tab.Do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press presses keys at the present focus.
func (tab *Tab) Press(keys string) {
	tab.t.Helper()
	tab.Do(chromedp.KeyEvent(keys))
}

// there is true when a page is loaded and painted. Before it is painted Chromium drops input, and gives no field the
// focus.
const there = `document.readyState === "complete" && performance.getEntriesByType("paint").length > 0`

// Await waits until an expression is true in a loaded page, across reloads.
func (tab *Tab) Await(what, expression string) {
	tab.t.Helper()
	ctx, stop := context.WithTimeout(tab.ctx, patience)
	defer stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](there+` && !!(`+expression+`)`))
		if ok {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			text, _ := chromedp.Run(tab.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			tab.mu.Lock()
			defer tab.mu.Unlock()
			tab.t.Fatalf("waited in vain for %s: %v; not loaded: %q; the page:\n%.3000s", what, err, tab.missed, text)
		}
	}
}

// Shot waits until the page is painted, and saves a picture of its full length if LEAGUE_SHOTS names a folder:
// pictures are for people, and take longer than all the rest.
func (tab *Tab) Shot(name string) {
	tab.t.Helper()
	Get[bool](tab, `new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(() => painted(true))))`)
	dir := os.Getenv("LEAGUE_SHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(tab.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		tab.t.Fatal(err)
	}
	colours := "light"
	if tab.screen.Dark {
		colours = "dark"
	}
	if err := errors.Join(os.MkdirAll(dir, 0o755),
		os.WriteFile(filepath.Join(dir, name+"-"+tab.screen.Name+"-"+colours+".png"), picture, 0o644)); err != nil {
		tab.t.Fatal(err)
	}
}

// Fill replaces the value of a field.
func Fill(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.SetValue(chromedp.CSS(selector), text)
}
