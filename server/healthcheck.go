package server

import "time"

// The interval of the log-file health check of all open leagues, and the number of such checks per check of the disk
// space. Closed leagues need neither.
const (
	lookEvery    = 900 * time.Millisecond
	looksPerRoom = 2
)

// lookAfter pauses leagues that cannot be recorded, even if no write is due, until the server ends.
func (c *Leagues) lookAfter(hasRoom func() error) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for n := 1; ; n++ {
		select {
		case <-look.C:
		case <-c.over.Done():
			return
		}
		var room error
		if n%looksPerRoom == 0 {
			room = hasRoom()
		}
		for _, l := range c.Running() {
			l.Manager.Look(room)
		}
	}
}
