package verify

import (
	"context"
	"errors"
	"io/fs"

	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/game/wasm"
)

// rulesFile returns the name of the league's copy of its rules, if they are a file.
func (v *Result) rulesFile() string { return "data/leagues/" + v.LeagueID + "/rules" + wasm.Extension }

// game returns the rules of a game: the file beside the journal if it is of that game, and otherwise this program's.
func (v *Result) game(gameType string) (game.Game, error) {
	g, err := v.fileOfRules()
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && g.Info().Type != gameType:
		return catalog.Lookup(gameType)
	case err != nil:
		return nil, err
	}
	return g, nil
}

// fileOfRules returns the game in the file, which it reads once.
func (v *Result) fileOfRules() (*wasm.Game, error) {
	if v.rulesIn == nil {
		g, err := wasm.Load(context.Background(), v.root, v.rulesFile())
		v.rulesIn = func() (*wasm.Game, error) { return g, err }
	}
	return v.rulesIn()
}

// module compares the rules beside the journal with the digest in the journal.
func (v *Result) module() {
	created, found := v.audit.State.Created, ""
	rules, err := v.game(created.GameType)
	if err == nil {
		found = game.Digest(rules)
	}
	if found == created.RulesSHA256 {
		return
	}
	told := Difference{File: v.rulesFile(), Field: "SHA-256", Want: created.RulesSHA256, Found: found}
	told.What = "these are not the rules of " + created.GameType + " that the league was played by"
	if _, err := v.fileOfRules(); errors.Is(err, fs.ErrNotExist) {
		told.What = "the rules of " + created.GameType + " are missing: without them no result can be played again"
	} else if err != nil {
		told.What = err.Error()
	}
	v.differ(told)
}
