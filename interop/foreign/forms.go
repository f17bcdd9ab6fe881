package foreign

import (
	"fmt"
	"time"
)

// write writes a round that came in another's form.
func (f RoundForm) write(round any) any {
	n, ok := round.(float64)
	switch {
	case !ok:
		return round
	case f == RoundLong:
		return fmt.Sprintf("ROUND_%d", int(n))
	case f == RoundShort:
		return fmt.Sprintf("R%d", int(n))
	}
	return int(n)
}

// write writes a time.
func (f TimeForm) write(t time.Time) string { return t.UTC().Format(orElse(string(f), string(TimeZ))) }

// show puts a token into a message.
func (f TokenForm) show(m object, own, referees string) {
	switch f {
	case TokenOwn:
		m["auth_token"] = own
	case TokenPlaceholder:
		m["auth_token"] = "your-token-here"
	case TokenNull:
		m["auth_token"] = nil
	case TokenReferee:
		m["auth_token"] = referees
	}
}

func (p *Player) now() string { return p.Time.write(time.Now()) }
