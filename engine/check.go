package engine

import (
	"fmt"
	"strings"
	"time"
)

// MaxName is the length of the longest name in bytes.
const MaxName = 128

// CheckName answers [ErrName] unless name can stand for a log, a lease, a secret or a subject. A name is
// 1 to 128 ASCII letters, digits, "_", "-" and single dots inside, so that an engine may make a file or
// a subject of it.
func CheckName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("%w: it is empty", ErrName)
	case len(name) > MaxName:
		return fmt.Errorf("%w: %d bytes, want at most %d", ErrName, len(name), MaxName)
	case strings.ContainsFunc(name, isForbidden):
		return fmt.Errorf("%w %q: want letters, digits, '_', '-' and '.'", ErrName, name)
	case name[0] == '.' || name[len(name)-1] == '.' || strings.Contains(name, ".."):
		return fmt.Errorf("%w %q: dots may only stand alone and inside", ErrName, name)
	}
	return nil
}

// CheckAppend returns why batch cannot be appended to log, independent of the log's content.
func CheckAppend(log string, batch []byte) error {
	if len(batch) == 0 {
		return ErrEmpty
	}
	return CheckName(log)
}

// CheckAcquire returns why no holder can claim key like that, independent of the current holder.
func CheckAcquire(key, holder string, ttl time.Duration) error {
	if holder == "" || ttl <= 0 {
		return fmt.Errorf("%w: got holder %q, ttl %v", ErrLease, holder, ttl)
	}
	return CheckName(key)
}

func isForbidden(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return r != '_' && r != '-' && r != '.'
}
