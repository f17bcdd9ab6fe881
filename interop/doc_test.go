// Package interop holds our agents against foreign ones: anybody's player,
// referee or manager joins as it is.
//
//	ours: manager, referees, players          (league, referee, player)
//	  ▲ real HTTP, free ports
//	  ▼
//	theirs: every framing, name and habit     (foreign, mcpserver, testdata)
package interop_test
