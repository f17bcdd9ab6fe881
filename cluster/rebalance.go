package cluster

// Adopt returns what has to be written so that every league is somebody's: those that are nobody's go, one after the
// other, to whoever has fewest to play. It is a function of the state alone, so that whoever calls it comes to the
// same.
func Adopt(s *State) (out []Event) {
	load := weigh(s)
	if len(load) == 0 {
		return nil
	}
	for _, id := range s.order {
		l := s.leagues[id]
		if l.Owner != "" {
			continue
		}
		to := lightest(load)
		out = append(out, Event{Given: &Given{League: l.ID, Member: to.member}})
		if !l.Over {
			to.played = append(to.played, l)
		}
	}
	return out
}

// Surplus returns a league that a member should hand on, and to whom: when it has two more to play than another. Only
// the owner hands a league on that is played, because only the owner can let the matches in hand come to their end
// first. It is the youngest, of which the least has to be read again; what is over stays where it is.
func Surplus(s *State, member string) (league, to string, ok bool) {
	load := weigh(s)
	for _, own := range load {
		if own.member != member {
			continue
		}
		other := lightest(load)
		if len(own.played) < len(other.played)+2 {
			break
		}
		return own.played[len(own.played)-1].ID, other.member, true
	}
	return "", "", false
}

// evens reports whether a league that one member hands on to another brings their shares closer.
func evens(s *State, from, to string) bool {
	played := map[string]int{}
	for _, share := range weigh(s) {
		played[share.member] = len(share.played)
	}
	return s.Address(to) != "" && played[from] >= played[to]+2
}

// A share is what one member has to do.
type share struct {
	member string
	played []*League // that are not over, the oldest first
}

// weigh returns the shares of all members, in the order of their names.
func weigh(s *State) []*share {
	names := s.Members()
	out, of := make([]*share, len(names)), map[string]*share{}
	for i, name := range names {
		out[i] = &share{member: name}
		of[name] = out[i]
	}
	for _, id := range s.order {
		if l := s.leagues[id]; l.Owner != "" && !l.Over {
			of[l.Owner].played = append(of[l.Owner].played, l)
		}
	}
	return out
}

// lightest is the first of those who have least.
func lightest(all []*share) *share {
	least := all[0]
	for _, s := range all {
		if len(s.played) < len(least.played) {
			least = s
		}
	}
	return least
}
