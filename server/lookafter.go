package server

import "time"

// How often it is looked whether the logs of the open leagues are there, and after how many of those looks whether the
// disk has room. One look at the disk is for all leagues, and a league that is closed needs none.
const (
	lookEvery    = 900 * time.Millisecond
	looksPerRoom = 2
)

// lookAfter has leagues pause that cannot be recorded, although nothing is to be written just now, until the server
// ends.
func (c *places) lookAfter(hasRoom func() error) {
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
