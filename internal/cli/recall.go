package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/league"
	"agentleague/protocol"
)

// errNoManager says that nobody answers where the manager should be.
var errNoManager = errors.New("no manager answers")

// consult asks the manager or, where none answers and nobody said that it has to be that one, the log of the root.
func (a *app) consult(ctx context.Context, query string, offset int, data any) (leagueID string, err error) {
	if a.past == nil {
		leagueID, err = a.ask(ctx, query, offset, data)
		if !errors.Is(err, errNoManager) || a.chosen {
			return leagueID, err
		}
		id, unknown := a.leagueIn(os.DirFS(a.root), a.leagueID)
		if unknown != nil {
			return "", err
		}
		fmt.Fprintf(a.err, "No manager answers at %s; this is from the log in %s.\n", a.manager, a.root)
		if a.past, err = league.Fold(entries(journal.Path(filepath.Join(a.root, "data"), id))); err != nil {
			return "", err
		}
	}
	answer, err := a.past.Recall(query, protocol.QueryParams{Offset: offset})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", err
	}
	return a.past.Created.LeagueID, json.Unmarshal(text, data)
}
