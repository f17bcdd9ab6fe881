package mcpapp

import (
	"maps"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Extension is the name by which hosts declare that they show views.
const Extension = "io.modelcontextprotocol/ui"

// shows reports whether the calling host declared views of our kind. Without a handshake it has not.
func shows(req mcp.Request) bool {
	session, ok := req.GetSession().(*mcp.ServerSession)
	if !ok || session.InitializeParams() == nil || session.InitializeParams().Capabilities == nil {
		return false
	}
	said, ok := session.InitializeParams().Capabilities.Extensions[Extension]
	if !ok {
		return false
	}
	settings, _ := said.(map[string]any)
	types, listed := settings["mimeTypes"].([]any)
	return !listed || slices.Contains(types, any(MIMEType))
}

// linked are the tools with their views. The tools themselves belong to all callers.
func linked(tools []*mcp.Tool, views map[string]View) []*mcp.Tool {
	out := slices.Clone(tools)
	for i, tool := range out {
		v, ok := views[tool.Name]
		if !ok {
			continue
		}
		with := *tool
		with.Meta = mcp.Meta{"ui": map[string]any{"resourceUri": v.URI}}
		maps.Copy(with.Meta, tool.Meta)
		out[i] = &with
	}
	return out
}

// without are the resources that every client can use.
func without(resources []*mcp.Resource, views []View) []*mcp.Resource {
	return slices.DeleteFunc(slices.Clone(resources), func(r *mcp.Resource) bool {
		return slices.ContainsFunc(views, func(v View) bool { return v.URI == r.URI })
	})
}
