package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentleague/engine/journal"
	"agentleague/league"
)

// errNoManager says that nobody answers where the manager should be.
var errNoManager = errors.New("no manager answers")

// consult asks the manager or, where none answers and nobody said that it has to be that one, the log of the root.
func (a *app) consult(ctx context.Context, query string, data any) (leagueID string, err error) {
	leagueID, err = a.ask(ctx, query, data)
	if !errors.Is(err, errNoManager) || a.chosen {
		return leagueID, err
	}
	id, unknown := a.leagueIn(os.DirFS(a.root), a.leagueID)
	if unknown != nil {
		return "", err
	}
	if !a.recalled {
		a.recalled = true
		fmt.Fprintf(a.err, "No manager answers at %s; this is from the log in %s.\n", a.manager, a.root)
	}
	return id, a.recall(id, query, data)
}

// recall answers a query from the log, without disturbing a manager that has it open.
func (a *app) recall(leagueID, query string, data any) error {
	s, err := league.Fold(entries(journal.Path(filepath.Join(a.root, "data"), leagueID)))
	if err != nil {
		return err
	}
	answer, err := s.Recall(query)
	if err != nil {
		return err
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, data)
}
