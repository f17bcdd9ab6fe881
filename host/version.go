package host

import "agentleague/rpc"

// Version is the version of this build: the module's, or the commit it was built from.
func Version() string { return rpc.Version() }

// Commit is the commit that this program was built from; "": unknown.
func Commit() string { return rpc.Commit() }
