// Package web serves the pages of the leagues: HTML rendered on the server, with live updates by server-sent events.
//
//	Season ─▶ view (a struct) ─┬▶ template ─▶ /leagues/{league}/…                   a page
//	                           └▶ JSON     ─▶ /api/v1/leagues/{league}/…            the same data
//	log ─▶ Follow ─▶ hub (encoded once) ─▶ /api/v1/leagues/{league}/events         every viewer
//
// Every page is a row of data with a function that makes its view (page.go); the page and the API show the same view.
// The pages can be read without a script. The scripts in assets add live updates: they request the page again when the
// log has grown.
package web
