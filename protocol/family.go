package protocol

// A family is the thousands digit of the numeric errors that a request may be answered with.
type family int

const (
	anyFamily family = iota
	refereeRegistration
	playerRegistration
	coordination
	play
	report
	query
)
