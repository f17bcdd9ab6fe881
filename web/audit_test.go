package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentleague/web/webtest"
)

// checkers installs the packages that a folder names in its package.json into a folder of the test's, and returns that.
func checkers(t *testing.T, from string) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no npm is installed: apt-get install npm")
		}
		t.Skip("no npm is installed")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund",
		"--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}

// audited are the pages for the checkers.
var audited = []string{
	"/leagues", "/leagues/nobody", "/leagues/one", "/leagues/three", "/leagues/ten", "/leagues/over", "/leagues/many",
	"/leagues/many?all", "/leagues/hostile",
	"/leagues/ten?projector", "/leagues/over?projector", "/leagues/one?projector", "/leagues/ten/figures",
	"/leagues/ten/live", "/leagues/over/live", "/leagues/nobody/live", "/leagues/many/live", "/leagues/hostile/live", "/leagues/ten/live?projector",
	"/leagues/over/seasons", "/leagues/nobody/seasons",
	"/leagues/nobody/figures", "/leagues/ten/run", "/leagues/nobody/run", "/leagues/many/run", "/create", "/login",
	"/leagues/none",
}

func TestLongPagesAreValidAndEverybodyCanUseThem(t *testing.T) {
	t.Parallel()
	tools := checkers(t, "audit")
	site := siteOf(t, sampleLeagues(t)...)
	t.Run("the HTML is valid", func(t *testing.T) { validate(t, tools, site, audited) })
	t.Run("the rules of accessibility are kept", func(t *testing.T) {
		tab := webtest.Start(t).Tab(t, webtest.Laptop)
		for _, path := range audited {
			tab.Show(webtest.Laptop)
			tab.Open(site + path)
			axe(t, tools, tab, path)
			if slices.Contains([]string{"/leagues", "/leagues/ten/live", "/leagues/nobody", "/leagues/ten", "/leagues/over", "/leagues/ten/run", "/create"},
				path) {
				tab.Show(webtest.Phone.InDark())
				axe(t, tools, tab, path+" on a dark phone")
			}
		}
		tab.Open(site + "/login?next=/leagues/ten/run")
		tab.Type("#token", adminToken+"\r")
		tab.Await("the orders", `location.pathname === "/leagues/ten/run" && document.querySelector(".sure")`)
		axe(t, tools, tab, "the orders of the admin")
	})
	t.Run("the keyboard is enough", func(t *testing.T) {
		tab := webtest.Start(t).Tab(t, webtest.Laptop)
		tab.Open(site + "/leagues/ten")
		tab.Press("\t")
		tab.Await("the way past the bar, first of all",
			`document.activeElement.className === "skip" && document.activeElement.getBoundingClientRect().left >= 0`)
		tab.Press("\r")
		tab.Await("the content", `document.activeElement.id === "main"`)
		tab.Open(site + "/login?next=/leagues/ten/run")
		tab.Await("the focus in the field", `document.activeElement.id === "token"`)
		tab.Press(adminToken + "\r")
		tab.Await("the orders", `location.pathname === "/leagues/ten/run"`)
		webtest.Get[bool](tab,
			`document.querySelector('form[action$="/withdraw"]').closest("details").querySelector("summary").focus() || true`)
		tab.Press("\r")
		tab.Await("the question whether one is sure", `document.querySelector("details[open]")`)
		tab.Press("\t\r")
		tab.Await("a player that is out", `[...document.querySelectorAll(".chip")].some(e => e.textContent === "out")`)
	})
	t.Run("so are matches, players, agents and seats", func(t *testing.T) { auditDetails(t, tools) })
	t.Run("so are the views that MCP hosts show", func(t *testing.T) { auditViews(t, tools) })
}

// validate holds pages against the rules of HTML.
func validate(t *testing.T, tools, site string, paths []string) {
	t.Helper()
	client := &http.Client{}
	var files []string
	for _, path := range paths {
		answer, err := client.Get(site + path)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		file := filepath.Join(tools, url.PathEscape(strings.Trim(path, "/"))+".html")
		if err := os.WriteFile(file, page, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, filepath.Base(file))
	}
	check := exec.CommandContext(t.Context(), filepath.Join(tools, "node_modules", ".bin", "html-validate"),
		append([]string{"--config", ".htmlvalidate.json"}, files...)...)
	check.Dir = tools
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("html-validate: %v\n%.6000s", err, out)
	}
}

// axe holds the page in a tab against WCAG 2.2, levels A and AA, contrast among them.
func axe(t *testing.T, tools string, tab *webtest.Tab, what string) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(tools, "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	if !webtest.Get[bool](tab, `"axe" in window`) {
		webtest.Get[bool](tab, string(source)+"; true")
	}
	report := webtest.Get[string](tab,
		`axe.run({runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify({
		passed: r.passes.map(p => p.id), wrong: r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.target.join(" ") + " " + n.any.map(a => a.message).join("; ")).join(" | "))}))`)
	var got struct{ Passed, Wrong []string }
	if err := json.Unmarshal([]byte(report), &got); err != nil {
		t.Fatal(err)
	}
	for _, w := range got.Wrong {
		t.Errorf("%s: %s", what, w)
	}
	if !strings.Contains(fmt.Sprint(got.Passed), "color-contrast") {
		t.Errorf("%s: contrast was not looked at: %v", what, got.Passed)
	}
}
