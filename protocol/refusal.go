package protocol

// A Refusal is an error that a peer gave as its answer. What it says of the
// message that was refused, package dialect tells.
type Refusal struct {
	HTTPStatus int
	Code       int    // of JSON-RPC; 0 if the answer has none
	Name       string // of the protocol's error table, when the answer names one
	Message    string // for the person who reads it
	Said       string // the beginning of the whole answer; "": the message is all
}

func (r *Refusal) Error() string {
	if r.Name != "" {
		return "the agent answered " + r.Name + ": " + r.Message
	}
	return "the agent answered with an error: " + r.Message
}
