package foreign

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

// reserve finds a port that is free now and most likely still is when the player listens: one outside of the range
// that the system assigns.
func (p *Player) reserve() error {
	for range 100 {
		port := 20_000 + rand.IntN(10_000)
		l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		p.port = port
		return l.Close()
	}
	return errors.New("no free port")
}
