// Package mcpapp gives MCP hosts views for tool results: the table of a league, and the turn of a seat. It implements
// the extension io.modelcontextprotocol/ui, version 2026-01-26.
//
//	tools/list      watch_league  ─▶ ui://league/table       for hosts that declare that they show views
//	                wait_for_turn ─▶ ui://league/turn
//	resources/read  a document of [web.AppView], which may load nothing and open no connection
//
// The tools are independent of it, and answer all hosts alike.
package mcpapp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/web"
)

// MIMEType is the media type of a view in the extension.
const MIMEType = "text/html;profile=mcp-app"

// A View is a document that a host shows for a tool.
type View struct {
	Tool string // the tool with the results to show
	URI  string // where it is read

	name, title, description string
}

// The views that there are.
var (
	Table = View{
		Tool: "watch_league", URI: "ui://league/table", name: "table", title: "The table of the league",
		description: "Shows the table and the newest results, and follows the league.",
	}
	Turn = View{
		Tool: "wait_for_turn", URI: "ui://league/turn", name: "turn", title: "Your turn",
		description: "Shows a turn of your seat, with the board and a button for each legal move.",
	}
)

// Add makes a server offer views. Hosts without the extension see no difference.
func Add(server *mcp.Server, views ...View) {
	of := map[string]View{}
	for _, v := range views {
		of[v.Tool] = v
		server.AddResource(v.resource(), v.reader())
	}
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if err != nil {
				return res, err
			}
			switch list := res.(type) {
			case *mcp.ListToolsResult:
				if shows(req) {
					list.Tools = linked(list.Tools, of)
				}
				list.CacheScope = private
			case *mcp.ListResourcesResult:
				if !shows(req) {
					list.Resources = without(list.Resources, views)
				}
				list.CacheScope = private
			}
			return res, nil
		}
	})
}

// private marks a list as specific to the caller.
const private = "private"

// resource is the view in resources/list.
func (v View) resource() *mcp.Resource {
	return &mcp.Resource{
		URI: v.URI, Name: v.name, Title: v.title, Description: v.description, MIMEType: MIMEType, Meta: meta(),
	}
}

// reader answers resources/read.
func (v View) reader() mcp.ResourceHandler {
	document := web.AppView(v.name, v.title)
	return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
			{URI: v.URI, MIMEType: MIMEType, Text: document, Meta: meta()},
		}}, nil
	}
}

// meta describes the display of a view: in a frame, and without network access.
func meta() mcp.Meta {
	none := []string{}
	return mcp.Meta{"ui": map[string]any{
		"csp": map[string]any{
			"connectDomains": none, "resourceDomains": none, "frameDomains": none, "baseUriDomains": none,
		},
		"prefersBorder": true,
	}}
}
