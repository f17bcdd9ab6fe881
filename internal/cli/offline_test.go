package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Without a manager, every read-only verb prints the same from the log as the manager would return.
func TestTheLogAnswersWhereNoManagerDoes(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "SHARED")
	manager := start(t, "manager", "--port", "0", "--root", root, "--start-when", "players=3,referees=1")
	at := manager.endpoint()
	start(t, "referee", "--port", "0", "--root", root, "--manager", at)
	for _, id := range []string{"P01", "P02", "P03"} {
		start(t, "player", "--port", "0", "--root", root, "--manager", at, "--id", id)
	}
	manager.says("The league is over")

	verbs := map[string]func(*app) error{
		"standings": func(a *app) error { return showStandings(context.Background(), a) },
		"schedule":  func(a *app) error { return showSchedule(context.Background(), a) },
		"status":    func(a *app) error { return showStatus(context.Background(), a) },
	}
	told := map[string]string{}
	for verb := range verbs {
		p := start(t, verb, "--root", root, "--manager", at, "--json")
		if p.status() != 0 {
			t.Fatalf("%s: %s", verb, p.errs.String())
		}
		told[verb] = p.out.String()
	}
	manager.signal(os.Interrupt)
	manager.status()

	for verb, look := range verbs {
		var out, errs bytes.Buffer
		if err := look(&app{out: &out, err: &errs, root: root, manager: at, json: true}); err != nil {
			t.Fatalf("%s: %v", verb, err)
		}
		if got, want := out.String(), told[verb]; got != want {
			t.Errorf("%s: got\n%s\nfrom the log, and from the manager\n%s", verb, got, want)
		}
		if got, want := errs.String(), "No manager answers at "+at+"; this is from the log in "+root+".\n"; got != want {
			t.Errorf("%s: said %q, want %q", verb, got, want)
		}
		err := look(&app{out: &out, err: &errs, root: root, manager: at, json: true, chosen: true})
		if err == nil || !strings.HasPrefix(err.Error(), "no manager answers at "+at) {
			t.Errorf("%s, asked of this manager alone: got %v", verb, err)
		}
		err = look(&app{out: &out, err: &errs, root: root, manager: at, json: true, leagueID: "spring"})
		if err == nil || !strings.HasPrefix(err.Error(), "no manager answers at "+at) {
			t.Errorf("%s of a league that is not there: got %v", verb, err)
		}
	}
}
