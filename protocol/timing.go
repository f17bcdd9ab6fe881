package protocol

// A Timing adds up tries, in microseconds.
type Timing struct {
	Tries      int `json:"tries"`
	AgentUS    int `json:"agent_us"`
	OverheadUS int `json:"overhead_us"`
}

// Plus returns both together.
func (t Timing) Plus(other Timing) Timing {
	return Timing{t.Tries + other.Tries, t.AgentUS + other.AgentUS, t.OverheadUS + other.OverheadUS}
}
