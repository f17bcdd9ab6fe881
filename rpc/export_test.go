package rpc

// NewServer makes a server of listeners that a test has opened.
var NewServer = newServer

// MaxBuckets is how many a limiter remembers.
const MaxBuckets = maxBuckets

// Len returns how many a limiter remembers.
func (l *Limiter) Len() int { return len(l.known) }
