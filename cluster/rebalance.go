package cluster

// Rebalance returns what has to be written so that every league is somebody's and nobody has two more that are played
// than another. It is a function of the state alone, so that whoever calls it comes to the same; when nothing has to
// move it returns nothing.
//
// A league that moves while it is played goes on as after the death of its manager, which nothing is lost by but some
// work; so no more are moved than have to be, and a league that is over stays where it is.
func Rebalance(s *State) (out []Event) {
	load := weigh(s)
	if len(load) == 0 {
		return nil
	}
	give := func(l *League, to *share) {
		out = append(out, Event{Given: &Given{League: l.ID, Member: to.member}})
		if !l.Over {
			to.played = append(to.played, l)
		}
	}
	for _, id := range s.order {
		if l := s.leagues[id]; l.Owner == "" {
			give(l, lightest(load))
		}
	}
	for {
		from, to := heaviest(load), lightest(load)
		if len(from.played) < len(to.played)+2 {
			return out
		}
		last := len(from.played) - 1 // the youngest has the least to be read again
		l := from.played[last]
		from.played = from.played[:last]
		give(l, to)
	}
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

// heaviest is the first of those who have most.
func heaviest(all []*share) *share {
	most := all[0]
	for _, s := range all {
		if len(s.played) > len(most.played) {
			most = s
		}
	}
	return most
}
