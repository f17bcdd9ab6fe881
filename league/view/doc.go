// Package view is the read model of a league: every page, API, export, report and MCP resource shows a part of it.
//
//	log ─▶ league.State ─┬▶ New ─▶ League, immutable ─▶ pages · /api/v1 · CSV · report
//	                     └▶ Table, immutable         ─▶ queries · MCP · exports
//	                            ▲
//	                          Cache, one for each open league: builds each view once for all readers
//
// A view is public: free text is sanitized and truncated, and it has no addresses or tokens. The package does no I/O,
// and only a [Cache] and a [Lobby] read a clock.
package view
