package store

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"agentleague/config"
)

// A WitnessRepository stores data/players/…/<id>/witness.json: the heads of the league's log that a player received
// during the league. The player package defines the format.
type WitnessRepository struct {
	root           *Root
	league, player string
}

// Witness returns the repository of a player's witness; "" is the default league. Load and Save return an error for
// invalid ids.
func (r *Root) Witness(league, player string) WitnessRepository {
	return WitnessRepository{r, league, player}
}

// Load reads the witness into v; if there is none, v is unchanged.
func (s WitnessRepository) Load(v any) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	return s.root.load("data/players/"+folder+"/witness.json", v)
}

// Save replaces the witness of the league with that seal. If the stored witness is of a league with another seal,
// it is moved to a separate file, since it may be the only evidence that a log was replaced.
func (s WitnessRepository) Save(seal string, v any) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	folder = "data/players/" + folder
	if err := s.setAside(folder, seal); err != nil {
		return s.root.wrapFull(err)
	}
	return s.root.save(folder+"/witness.json", v)
}

// Replace is Save without the check of the stored witness. It is for the only writer of the file, which has saved a
// witness of the same league before.
func (s WitnessRepository) Replace(v any) error {
	folder, err := s.root.inLeague(s.league, s.player)
	if err != nil {
		return err
	}
	return s.root.save("data/players/"+folder+"/witness.json", v)
}

// setAside saves the witness of another league in a file named after its seal. It may be needed as evidence.
func (s WitnessRepository) setAside(folder, seal string) error {
	name := folder + "/witness.json"
	text, err := os.ReadFile(s.root.path(name))
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
	other := config.ToID(was.Seal, "damaged")
	return os.Rename(s.root.path(name), s.root.path(folder+"/witness-"+other[:min(16, len(other))]+".json"))
}
