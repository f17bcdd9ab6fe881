package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The Python library of the documents reads the root of a league that this program has played, and an agent's own files
// written with it have the documented form.
func TestPythonLibraryReadsARootOfTheProgram(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	root := t.TempDir()
	var end struct {
		Matches int `json:"matches"`
	}
	once(t, &end, "run", "--root", root, "--port", "0", "--players", "4", "--referees", "1")
	library, err := filepath.Abs("../../sdk")
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "python3", "testdata/sdk_root.py", root)
	script.Env = append(os.Environ(), "PYTHONPATH="+library, "PYTHONDONTWRITEBYTECODE=1")
	if text, err := script.CombinedOutput(); err != nil || string(text) != "ok\n" {
		t.Errorf("%v\n%s", err, text)
	}
}
