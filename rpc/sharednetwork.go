package rpc

// NewNetwork returns the network that a node with these options would make for itself, for several nodes of one process
// to share ([Options].Network): they use the same connections, and the same sessions with MCP servers.
func NewNetwork(o Options) *HTTP {
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	return newHTTP(o)
}

// defaultMaxBody is how many bytes a request or an answer may have.
const defaultMaxBody = 1 << 20
