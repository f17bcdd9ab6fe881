package verify

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/wasm"
)

// A ruleSet loads the rules by which a league was played.
type ruleSet struct {
	file string                     // the league's copy, if they are a file
	load func() (*wasm.Game, error) // reads the file once
}

func rulesOf(root fs.FS, id string) ruleSet {
	file := "data/leagues/" + id + "/rules" + wasm.Extension
	return ruleSet{file, sync.OnceValues(func() (*wasm.Game, error) { return wasm.Load(context.Background(), root, file) })}
}

// game returns the rules of a game: from the file beside the journal if that is for the game, or else those of this
// program.
func (r ruleSet) game(gameType string) (game.Game, error) {
	g, err := r.load()
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && g.Info().Type != gameType:
		return catalog.Lookup(gameType)
	case err != nil:
		return nil, err
	}
	return g, nil
}

// checkRules compares the digest of the league's rules with the one in the journal.
func (v *Result) checkRules() {
	created, found := v.audit.State.Created, ""
	rules, err := v.played.game(created.GameType)
	if err == nil {
		found = game.Digest(rules)
	}
	if found == created.RulesSHA256 {
		return
	}
	told := Difference{File: v.played.file, Field: "SHA-256", Want: created.RulesSHA256, Found: found}
	told.What = "these are not the rules of " + created.GameType + " that the league was played by"
	if _, err := v.played.load(); errors.Is(err, fs.ErrNotExist) {
		told.What = "the rules of " + created.GameType + " are missing: without them no result can be played again"
	} else if err != nil {
		told.What = err.Error()
	}
	v.differ(told)
}
