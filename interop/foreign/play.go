package foreign

import "hash/fnv"

// answer executes a message and answers it.
func (p *Player) answer(c call) *answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch c.kind {
	case Invitation:
		return p.invited(c)
	case Choice:
		return p.asked(c)
	case Result:
		p.over(c)
	case Round:
		p.announced(c)
	}
	return p.shape(c, p.acknowledges())
}

// Answer handles a message of a kind and returns the answer, or the reason for refusing it. It is for handlers that
// implement other framings.
func (p *Player) Answer(kind Kind, message map[string]any) (reply map[string]any, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := call{kind: kind, message: message}
	switch kind {
	case Invitation:
		if why := p.mayJoin(c); why != "" {
			return nil, why
		}
		return p.joins(c), ""
	case Choice:
		if why := p.mayChoose(c); why != "" {
			return nil, why
		}
		return p.chooses(c), ""
	case Result:
		p.over(c)
	case Round:
		p.announced(c)
	}
	return p.acknowledges(), ""
}

// invited answers an invitation as the persona does: with a message, with a callback, or in words.
func (p *Player) invited(c call) *answer {
	if why := p.mayJoin(c); why != "" {
		return p.failed(c.id, 409, why)
	}
	if p.Callback.Join {
		return p.callBack(c, p.joins(c), object{"status": "joined"})
	}
	if p.Words {
		return p.speaks(c, "Yes, I am ready to play.")
	}
	return p.shape(c, p.joins(c))
}

// mayJoin adds a match and returns "", or returns the reason why the player does not join it.
func (p *Player) mayJoin(c call) string {
	match := c.message.text("match_id")
	if _, again := p.playing[match]; p.Busy && !again && len(p.playing) > 0 {
		return "player is busy"
	}
	p.playing[match] = ""
	return ""
}

// asked answers a question in the same ways.
func (p *Player) asked(c call) *answer {
	if why := p.mayChoose(c); why != "" {
		return p.failed(c.id, 400, why)
	}
	if p.Callback.Choice {
		return p.callBack(c, p.chooses(c), object{"status": "received"})
	}
	if p.Words {
		return p.speaks(c, p.choiceInWords(c.message.text("match_id")))
	}
	return p.shape(c, p.chooses(c))
}

// mayChoose returns the reason why the player does not choose, or "". It chooses only in matches that it has joined.
func (p *Player) mayChoose(c call) string {
	if _, ok := p.playing[c.message.text("match_id")]; !ok {
		return "no such match"
	}
	return ""
}

// choice returns the player's choice in a match. The same match always has the same choice.
func (p Persona) choice(match string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Name + match))
	return []string{"even", "odd"}[h.Sum32()%2]
}

// over forgets a finished match, so that the player refuses later questions about it.
func (p *Player) over(c call) {
	match := c.message.text("match_id")
	delete(p.playing, match)
	p.ended[match] = true
}

// announced records the referee of each announced match, to which the player may send callbacks.
func (p *Player) announced(c call) {
	for _, match := range c.message.list("matches") {
		p.referees[match.text("match_id")] = match.text("referee_endpoint")
	}
}
