package config

import "encoding/json"

// NewLeague returns the text of the settings of a new league: the defaults under its id, changed by edit. If the result
// is invalid, the error names the field.
func NewLeague(id string, edit func(*League)) ([]byte, error) {
	if err := CheckLeagueID(id); err != nil {
		return nil, err
	}
	v := Described(id)
	edit(&v)
	text, err := Document(v)
	if err != nil {
		return nil, err
	}
	_, err = readLeague(LeagueFile(id), text, id)
	return text, err
}

// Described returns the default description of a new league.
func Described(id string) League {
	v := LeagueDefaults()
	v.LeagueID, v.DisplayName, v.LastUpdated = id, id, now()
	return v
}

// IsCreatedOnManager reports whether a league with these settings was created on a running manager. The settings may be
// invalid otherwise.
func IsCreatedOnManager(settings []byte) bool {
	var v struct {
		By    string          `json:"created_by"`
		Start json.RawMessage `json:"start"`
	}
	return json.Unmarshal(settings, &v) == nil && v.By != "" && v.Start != nil
}
