package dialect

import (
	"slices"

	"agentleague/protocol"
)

// The evidence in a refusal reorders the remaining forms and drops none of them.

// lead puts forms in front of all others, unless they have been offered.
func (s *Search) lead(forms []protocol.Form) {
	forms = slices.DeleteFunc(forms, func(f protocol.Form) bool { return slices.Contains(s.tried, f) })
	s.todo = distinct(slices.Concat(forms, s.todo))
}

// understood reports whether the peer has understood another message at the place of this form, or has itself put
// one there.
func (s *Search) understood(form protocol.Form) bool {
	if s.known.From != (protocol.Form{}) && envelopeAt(s.known.From) == envelopeAt(form) {
		return true
	}
	for _, f := range s.known.Forms {
		if envelopeAt(f) == envelopeAt(form) {
			return true
		}
	}
	return false
}

// avoid moves the first names of the frames that have the envelope elsewhere than at a place to the front. A server
// that needs a session names it in its error.
func (s *Search) avoid(place string) {
	forward(s.todo, func(f protocol.Form) bool {
		return f.Frame != "mcp" && envelopeAt(f) != place && isFirst(f, s.typ)
	})
}

// prefer moves the forms of some frames to the front.
func (s *Search) prefer(frames ...string) { forward(s.todo, inFrames(frames)) }

// hasten moves the common forms of some frames forward. Rare forms stay behind the common forms of other frames.
func (s *Search) hasten(frames ...string) {
	forward(s.todo[:s.lastCommon(inFrames(frames))], inFrames(frames))
}

// lastCommon returns the index behind the last form of some that is common.
func (s *Search) lastCommon(of func(protocol.Form) bool) int {
	last := len(s.todo)
	for last > 0 && !(of(s.todo[last-1]) && isCommon(s.todo[last-1], s.typ)) {
		last--
	}
	return last
}

func inFrames(frames []string) func(protocol.Form) bool {
	return func(f protocol.Form) bool { return slices.Contains(frames, f.Frame) }
}

// forward moves some forms in front of the others, and keeps the order otherwise.
func forward(forms []protocol.Form, some func(protocol.Form) bool) {
	rank := func(f protocol.Form) int {
		if some(f) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(forms, func(a, b protocol.Form) int { return rank(a) - rank(b) })
}
