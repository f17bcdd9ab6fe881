package cluster

// adopt returns the events that assign each league without an owner to the member with the least work at that point. It
// is a pure function of the state, so all members get the same result.
func adopt(s *clusterState) (out []event) {
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
		out = append(out, event{Given: &givenEvent{League: l.ID, Member: to.member}})
		if !l.Over {
			to.played = append(to.played, l)
		}
	}
	return out
}

// surplus returns a league that a member should transfer, and the new owner, if the member has at least two more active
// leagues than another. Only the owner transfers an active league, since only the owner can finish its matches first.
// It is the youngest, whose log is probably the shortest; finished leagues stay.
func surplus(s *clusterState, member string) (league, to string, ok bool) {
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

// evens reports whether the transfer of a league between two members reduces the difference of their work.
func evens(s *clusterState, from, to string) bool {
	played := map[string]int{}
	for _, share := range weigh(s) {
		played[share.member] = len(share.played)
	}
	return s.Address(to) != "" && played[from] >= played[to]+2
}

// A share is the work of one member.
type share struct {
	member string
	played []*League // that are not over, the oldest first
}

// weigh returns the work of all members, by name.
func weigh(s *clusterState) []*share {
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

// lightest returns the first member with the least work.
func lightest(all []*share) *share {
	least := all[0]
	for _, s := range all {
		if len(s.played) < len(least.played) {
			least = s
		}
	}
	return least
}
