// Package view is the read model of a league: every page, API, export, report and MCP resource shows a part of it.
//
//	log ─▶ league.State ─┬▶ New ─▶ League, immutable ─▶ pages · /api/v1 · CSV · report
//	                     └▶ Table, immutable         ─▶ queries · MCP · exports
//	                            ▲
//	                          Cache, one for each open league: a view is made once for all readers
//
// What a view holds is public: free text is cleaned and cut, addresses and tokens are not in it. Nothing here does I/O,
// and only a [Cache] and a [Lobby] read a clock.
package view
