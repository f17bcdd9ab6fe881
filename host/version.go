package host

import "agentleague/rpc"

// Version returns the module's version, or the commit that this program was built from.
func Version() string { return rpc.Version() }

// BuildCommit returns the commit that this program was built from; "" if unknown.
func BuildCommit() string { return rpc.BuildCommit() }
