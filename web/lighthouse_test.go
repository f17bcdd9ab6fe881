package web

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"agentleague/web/webtest"
)

// A grade is the part of a report of Lighthouse that the test reads.
type grade struct {
	Categories map[string]struct {
		Score  float64 `json:"score"`
		Audits []struct {
			ID     string  `json:"id"`
			Weight float64 `json:"weight"`
		} `json:"auditRefs"`
	} `json:"categories"`
	Audits map[string]struct {
		Score *float64 `json:"score"`
		Title string   `json:"title"`
	} `json:"audits"`
}

// gradeMin is the lowest grade of a page in each category, of 1.
const gradeMin = 0.95

// Lighthouse grades accessibility and best practices of five pages with at least 95 of 100 points.
func TestLongLighthouseGradesThePages(t *testing.T) {
	t.Parallel()
	tools := checkers(t, "lighthouse")
	browser, err := webtest.Path()
	if err != nil {
		t.Skip(err) // webtest.Start fails with CI=true
	}
	site := siteOf(t, append(pairedSeasons(t, 32), seasonOf(t, seasonPlan{id: "over", names: agents(6), started: true, rounds: 5}))...)
	for _, path := range []string{
		"/leagues", "/leagues/swiss", "/leagues/knockout", "/leagues/swiss/players/P01", "/leagues/over/matches/R1M1",
	} {
		g := graded(t, tools, browser, site+path)
		if len(g.Categories) != 2 {
			t.Errorf("%s: got the categories %v", path, g.Categories)
		}
		for name, c := range g.Categories {
			t.Logf("%s: %s %.0f", path, name, 100*c.Score)
			if c.Score >= gradeMin {
				continue
			}
			t.Errorf("%s: %s: got %.0f points, want %.0f", path, name, 100*c.Score, 100*gradeMin)
			for _, ref := range c.Audits {
				if a := g.Audits[ref.ID]; a.Score != nil && *a.Score < 1 && ref.Weight > 0 {
					t.Errorf("%s: %s: %s", path, ref.ID, a.Title)
				}
			}
		}
	}
}

// graded runs Lighthouse on a page.
func graded(t *testing.T, tools, browser, url string) (g grade) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "node_modules/lighthouse/cli/index.js", url, "--quiet", "--output=json",
		"--only-categories=accessibility,best-practices", "--chrome-flags=--headless --no-sandbox")
	cmd.Dir = tools
	cmd.Env = append(os.Environ(), "CHROME_PATH="+browser, "TMPDIR="+t.TempDir(), "CI=1") // with CI it sends no statistics
	errs, err := os.Create(filepath.Join(t.TempDir(), "errors"))
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	cmd.Stderr = errs
	out, err := cmd.Output()
	if err != nil {
		text, _ := os.ReadFile(errs.Name())
		t.Fatalf("lighthouse %s: %v\n%.2000s", url, err, text)
	}
	if err := json.Unmarshal(out, &g); err != nil {
		t.Fatalf("lighthouse %s: %v", url, err)
	}
	return g
}
