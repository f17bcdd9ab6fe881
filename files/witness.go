package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// A WitnessRepository keeps data/players/…/<id>/witness.json: what a player has heard of its league's log while it
// was written. Its form is the player's.
type WitnessRepository struct {
	root           *Root
	league, player string
}

// Witness returns the repository of what a player has heard; no league means the default one. Ids that cannot be any
// are an error of Load and Save.
func (r *Root) Witness(league, player string) WitnessRepository {
	return WitnessRepository{r, league, player}
}

// Load reads what was heard into v, which stays as it is when there is nothing.
func (s WitnessRepository) Load(v any) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	return s.root.load("data/players/"+folder+"/witness.json", v)
}

// Save replaces what was heard of the league with that seal. What was heard of another, whose log was in the place of
// this one, is kept beside it: it may be all that is left of it.
func (s WitnessRepository) Save(seal string, v any) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	folder = "data/players/" + folder
	if err := s.root.setAside(folder, seal); err != nil {
		return s.root.told(err)
	}
	return s.root.save(folder+"/witness.json", v)
}

// Replace is Save for one who has saved what it heard of the same league, and for whom nobody else writes: it need not
// look what is there.
func (s WitnessRepository) Replace(v any) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	return s.root.save("data/players/"+folder+"/witness.json", v)
}

// setAside keeps what was noted of another league under that one's seal: it may still be needed as evidence, and must
// not be mixed with this one's.
func (r *Root) setAside(folder, seal string) error {
	name := folder + "/witness.json"
	text, err := os.ReadFile(r.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var was struct{ Seal string }
	if json.Unmarshal(text, &was) == nil && was.Seal == seal {
		return nil
	}
	other := inPath(was.Seal, "damaged")
	return os.Rename(r.path(name), r.path(folder+"/witness-"+other[:min(16, len(other))]+".json"))
}
