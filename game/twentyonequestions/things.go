package twentyonequestions

import (
	"slices"
	"strings"
)

// attributes lists the possible questions in the order in which they are offered.
var attributes = []string{
	"is_alive", "is_animal", "can_fly", "has_wings", "has_four_legs", "has_fur", "lives_in_water", "lays_eggs", "is_edible",
	"has_wheels", "carries_people", "makes_music", "uses_electricity", "is_wooden", "is_round", "is_kept_indoors",
	"is_large", "fits_in_a_hand",
}

// A thing is a possible secret, with the attributes that are true of it.
type thing struct {
	name  string
	truly string // its attributes
}

// things lists the possible secrets in alphabetical order. Any two differ in an attribute.
var things = []thing{
	{"ant", "is_alive is_animal lays_eggs fits_in_a_hand"},
	{"apple", "is_alive is_edible is_round fits_in_a_hand"},
	{"ball", "is_round fits_in_a_hand"},
	{"bat", "is_alive is_animal can_fly has_wings has_fur fits_in_a_hand"},
	{"bee", "is_alive is_animal can_fly has_wings has_fur lays_eggs fits_in_a_hand"},
	{"bicycle", "has_wheels carries_people"},
	{"boat", "carries_people is_wooden is_large"},
	{"bus", "has_wheels carries_people uses_electricity is_large"},
	{"candle", "is_kept_indoors fits_in_a_hand"},
	{"carrot", "is_alive is_edible fits_in_a_hand"},
	{"cat", "is_alive is_animal has_four_legs has_fur is_kept_indoors"},
	{"chair", "has_four_legs is_wooden is_kept_indoors"},
	{"clock", "uses_electricity is_round is_kept_indoors"},
	{"cow", "is_alive is_animal has_four_legs has_fur is_edible is_large"},
	{"dolphin", "is_alive is_animal lives_in_water is_large"},
	{"drum", "makes_music is_wooden is_round"},
	{"duck", "is_alive is_animal can_fly has_wings lives_in_water lays_eggs is_edible"},
	{"eagle", "is_alive is_animal can_fly has_wings lays_eggs"},
	{"flute", "makes_music is_wooden is_kept_indoors fits_in_a_hand"},
	{"frog", "is_alive is_animal has_four_legs lives_in_water lays_eggs fits_in_a_hand"},
	{"horse", "is_alive is_animal has_four_legs has_fur carries_people is_large"},
	{"kite", "can_fly has_wings"},
	{"lamp", "uses_electricity is_kept_indoors"},
	{"oak", "is_alive is_wooden is_large"},
	{"penguin", "is_alive is_animal has_wings lives_in_water lays_eggs"},
	{"piano", "has_four_legs makes_music is_wooden is_kept_indoors is_large"},
	{"pizza", "is_edible is_round"},
	{"plane", "can_fly has_wings has_wheels carries_people uses_electricity is_large"},
	{"radio", "makes_music uses_electricity is_kept_indoors fits_in_a_hand"},
	{"robot", "has_wheels uses_electricity is_kept_indoors"},
	{"salmon", "is_alive is_animal lives_in_water lays_eggs is_edible"},
	{"violin", "makes_music is_wooden is_kept_indoors"},
}

// has reports whether an attribute is true of a thing.
func (t thing) has(attribute string) bool {
	return slices.Contains(strings.Fields(t.truly), attribute)
}

// isThing reports whether a possible secret has that name.
func isThing(name string) bool {
	return slices.ContainsFunc(things, func(t thing) bool { return t.name == name })
}

// public is the table that players see: for each attribute, the things of which it is true.
var public = func() map[string]string {
	out := map[string]string{}
	for _, a := range attributes {
		var names []string
		for _, t := range things {
			if t.has(a) {
				names = append(names, t.name)
			}
		}
		out[a] = strings.Join(names, " ")
	}
	return out
}()
