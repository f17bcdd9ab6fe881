package protocol

// A family is the thousands digit of the numeric errors that a request may be answered with.
type family int

// The families of messages. They differ only in which JSON-RPC codes their errors have.
const (
	anyFamily family = iota
	refereeRegistration
	playerRegistration
	coordination
	play
	report
	query
)
