package dialect

import (
	"slices"

	"agentleague/dialect/notation"
)

// The methods in this file reorder the remaining encodings after a refusal and drop none of them.

// lead puts encodings that have not been offered in front of all others.
func (s *Search) lead(forms []notation.Form) {
	forms = slices.DeleteFunc(forms, func(f notation.Form) bool { return slices.Contains(s.tried, f) })
	s.todo = distinct(slices.Concat(forms, s.todo))
}

// understood reports whether the peer accepts or sends the envelope at the position that it has in this encoding.
func (s *Search) understood(form notation.Form) bool {
	if s.known.From != (notation.Form{}) && envelopeAt(s.known.From) == envelopeAt(form) {
		return true
	}
	for _, f := range s.known.Forms {
		if envelopeAt(f) == envelopeAt(form) {
			return true
		}
	}
	return false
}

// avoid moves encodings with the envelope at another position than place to the front: of each framing, the first name
// only. The framing "mcp" is excluded, because a server that needs a session mentions it in its error.
func (s *Search) avoid(place string) {
	forward(s.todo, func(f notation.Form) bool {
		return f.Frame != "mcp" && envelopeAt(f) != place && isFirst(f, s.typ)
	})
}

// prefer moves all encodings of the given framings to the front.
func (s *Search) prefer(frames ...string) { forward(s.todo, inFrames(frames)) }

// hasten moves the common encodings of the given framings to the front. Their rare encodings stay behind the common
// encodings of other framings.
func (s *Search) hasten(frames ...string) {
	forward(s.todo[:s.lastCommon(inFrames(frames))], inFrames(frames))
}

// lastCommon returns the index after the last remaining encoding that is common and for which of returns true.
func (s *Search) lastCommon(of func(notation.Form) bool) int {
	last := len(s.todo)
	for last > 0 && !(of(s.todo[last-1]) && isCommon(s.todo[last-1], s.typ)) {
		last--
	}
	return last
}

func inFrames(frames []string) func(notation.Form) bool {
	return func(f notation.Form) bool { return slices.Contains(frames, f.Frame) }
}

// forward moves the encodings for which some returns true to the front. It is stable.
func forward(forms []notation.Form, some func(notation.Form) bool) {
	rank := func(f notation.Form) int {
		if some(f) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(forms, func(a, b notation.Form) int { return rank(a) - rank(b) })
}
