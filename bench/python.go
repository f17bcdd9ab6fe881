package bench

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// pythonFiles are a league as one would first write it: FastAPI and requests, a manager, a referee, players. It keeps
// nothing on disk, signs nothing and logs nothing.
//
//go:embed python/*.py
var pythonFiles embed.FS

// A PythonLeague is how the same league does in Python.
type PythonLeague struct {
	Players       int     `json:"players"`
	Processes     int     `json:"processes"` // the manager, the referee, and those that share the players
	MatchesPerSec *Figure `json:"matches_per_sec"`
	CPUMsPerMatch *Figure `json:"cpu_ms_per_match,omitempty"`
	Ratio         *Figure `json:"ratio"` // our matches a second by its
}

// noPython says what is missing for the comparison.
const noPython = "%s has no fastapi, uvicorn or requests: pip install -r bench/python/requirements.txt, or name another with --python"

// lookForPython returns why there can be no league in Python, or "".
func lookForPython(ctx context.Context, program string) string {
	if program == "" {
		return "not asked for"
	}
	if exec.CommandContext(ctx, program, "-c", "import fastapi, uvicorn, requests").Run() != nil {
		return fmt.Sprintf(noPython, program)
	}
	return ""
}

// python is a league in Python: it plays when it is told to.
type python struct {
	parts []*process // the manager first
}

// openPython writes the files to a folder and starts a league of so many players, spread over as many processes as
// there are cores, and twice as many: the players of one process share one core.
func openPython(ctx context.Context, program, folder string, players, inFlight int) (p *python, err error) {
	if err := os.CopyFS(folder, pythonFiles); err != nil {
		return nil, err
	}
	p = &python{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if err := p.start(ctx, program, folder, "manager.py", "--matches", fmt.Sprint(inFlight)); err != nil {
		return nil, err
	}
	manager := p.parts[0].endpoint
	if err := p.start(ctx, program, folder, "referee.py", "--manager", manager, "--matches", fmt.Sprint(inFlight)); err != nil {
		return nil, err
	}
	for left, hosts := players, min(2*runtime.NumCPU(), players/2); hosts > 0; hosts-- {
		share := left / hosts
		left -= share
		if err := p.start(ctx, program, folder, "players.py", "--manager", manager, "--players", fmt.Sprint(share)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// start runs one program of the league in Python. All that were started are ended by close.
func (p *python) start(ctx context.Context, program, folder, file string, args ...string) error {
	part, err := start(ctx, []string{program, filepath.Join(folder, "python", file)}, args...)
	if err == nil {
		p.parts = append(p.parts, part)
	}
	return err
}

// play has the league play whole rounds for a while and returns its matches a second and the CPU of one, in ms.
func (p *python) play(ctx context.Context, length time.Duration) (rate, cpu float64, err error) {
	ctx, cancel := context.WithTimeout(ctx, restTime)
	defer cancel()
	before := p.cpu()
	body := fmt.Appendf(nil, `{"jsonrpc": "2.0", "id": 1, "method": "play", "params": {"seconds": %v}}`, length.Seconds())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.parts[0].endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer resp.Body.Close()
	var answer struct {
		Result struct{ Matches, Seconds float64 }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Result.Matches == 0 {
		return 0, 0, fmt.Errorf("the league in Python did not play: %s: %s", resp.Status, p.parts[0].told)
	}
	return answer.Result.Matches / answer.Result.Seconds, 1e3 * (p.cpu() - before) / answer.Result.Matches, nil
}

// cpu is the time of all its processes, in seconds.
func (p *python) cpu() (seconds float64) {
	for _, part := range p.parts {
		seconds += cpuOf(part.pid())
	}
	return seconds
}

// close ends the programs in the opposite order of their start.
func (p *python) close() {
	for n := len(p.parts); n > 0; n-- { // who calls others goes first
		p.parts[n-1].stop()
	}
}
