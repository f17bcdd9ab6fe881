package verify_test

import (
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"agentleague/game/draw"
	"agentleague/protocol"
)

// shownIn returns the first block of a language in docs/guide/reliability.md.
func shownIn(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../docs/guide/reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("the page has no %s", language)
	}
	return string(found[1])
}

// The draw that the page derives by hand is ours, and its script prints it.
func TestADrawCanBeDerivedByHand(t *testing.T) {
	t.Parallel()
	secret, _ := hex.DecodeString("202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f")
	key := protocol.DrawKey(secret, theLeague, "R1M1", "alpha", "beta")
	want := shownIn(t, "text")
	if ours := fmt.Sprintf("promised by the league   %s\nkey of the match         %x\npromised to the players  %s\nnumber from 1 to 10      %d\n",
		protocol.DrawCommitment(theLeague, secret), key, protocol.KeyCommitment(key),
		draw.Number(draw.New(key), 10)); ours != want {
		t.Errorf("the page says\n%s\nwant\n%s", want, ours)
	}
	need(t, "bash")
	need(t, "openssl")
	out, err := exec.Command("bash", "-c", shownIn(t, "bash")).CombinedOutput()
	if got := string(out); err != nil || got != want {
		t.Errorf("the script prints (%v)\n%s\nwant\n%s", err, got, want)
	}
}

// The journal can be verified with the commands on the page.
func TestAJournalCanBeCheckedByHand(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	root := playedLeague(t)
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	journal := string(root["data/leagues/"+theLeague+"/journal.jsonl"].Data)
	lines := strings.Count(journal, "\n")
	put("journal.head", string(root["data/leagues/"+theLeague+"/journal.head"].Data))
	for _, c := range []struct{ journal, want string }{
		{journal, fmt.Sprintf("%d lines, all sound", lines)},
		{strings.Replace(journal, "R1M1", "R1M2", 1), "is not as it was written"},
		{strings.Replace(journal, `"timestamp":"2`, `"timestamp":"3`, 1), "line 1 is not as it was written"},
		{journal[:strings.LastIndex(journal[:len(journal)-1], "\n")+1], fmt.Sprintf("line %d is missing", lines)},
	} {
		put("journal.jsonl", c.journal)
		out, err := exec.Command("python3", "-c", shownIn(t, "python"), dir).CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("got %v, %s, want %s", err, out, c.want)
		}
	}
}

// A player's signature can be verified with the commands on the page.
func TestASignatureCanBeCheckedByHand(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	need(t, "openssl")
	dir := t.TempDir()
	journal := string(playedLeague(t)["data/leagues/"+theLeague+"/journal.jsonl"].Data)
	swapped := strings.NewReplacer(`"move":"\"odd\""`, `"move":"\"even\""`, `"move":"\"even\""`,
		`"move":"\"odd\""`).Replace(journal)
	for _, c := range []struct{ journal, want string }{
		{journal, "Signature Verified Successfully"}, {swapped, "Signature Verification Failure"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(c.journal), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("python3", "-c", shownIn(t, "py"), dir, "R2M1", "P01").CombinedOutput()
		if err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("got %v, %s, want %s", err, out, c.want)
		}
	}
}

// need skips a test whose tool is not installed, and fails it in CI.
func need(t *testing.T, tool string) {
	t.Helper()
	switch _, err := exec.LookPath(tool); {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is not installed: %v", tool, err)
	default:
		t.Skipf("%s is not installed, so that what is done with it is not tested here", tool)
	}
}
