package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// A Verified is the result of `league verify` for a league of the bench after its processes have ended.
type Verified struct {
	League          string `json:"league"` // its folder: small, large, signed or unsigned
	Results         int    `json:"results"`
	MatchesVerified int    `json:"matches_verified"`
}

// doubtful is the exit status of `league verify` when only players' signatures are missing.
const doubtful = 3

// verify runs `league verify` on the data directory of a league. Any difference is an error.
func verify(ctx context.Context, program []string, root string) (v Verified, err error) {
	words := append(append([]string{}, program...), "verify", "--root", root, "--league-id", leagueID, "--json")
	out, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	v.League = filepath.Base(root)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != doubtful {
		return v, fmt.Errorf("league verify of the league %q: %w: %.2000s%.2000s", v.League, err, out, exit.Stderr)
	} else if err != nil && exit == nil {
		return v, err
	}
	var report struct {
		OK       bool `json:"ok"`
		Results  int  `json:"results_recorded"`
		Verified int  `json:"matches_verified"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return v, fmt.Errorf("league verify: %w", err)
	}
	v.Results, v.MatchesVerified = report.Results, report.Verified
	if !report.OK || v.Results != v.MatchesVerified {
		return v, fmt.Errorf("league verify of the league %q: %d of %d results verified", v.League, v.MatchesVerified, v.Results)
	}
	return v, nil
}
