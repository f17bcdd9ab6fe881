package files

import (
	"errors"
	"os"
)

// spare is how many bytes a disk has left that is not full: enough for a few files.
const spare = 32 << 10

// Room fails with a [FullError] while there is no room for a few more files. It finds out by writing one, which is gone
// when it returns.
func (r *Root) Room() error {
	path := r.path("data/.room")
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return r.told(err)
	}
	_, err = f.Write(make([]byte, spare))
	return r.told(errors.Join(err, f.Close(), os.Remove(path)))
}
