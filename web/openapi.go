package web

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The description of the API is derived from the tables of the site: its pages, its actions, and the structs of their
// views.

// object is a JSON object.
type object = map[string]any

// describe describes pages and actions as an OpenAPI document, from the same table that serves them, so that none can
// be omitted. A test compares the document with real answers.
func describe(pages []page, actions []action, version string) object {
	d := &describer{schemas: object{}}
	problems := object{"description": "The request was refused; the answer says why", "content": d.content(problem{})}
	paths := object{}
	put := func(path, method string, operation object) {
		operation["responses"].(object)["default"] = problems
		if parameters := pathParameters(path); len(parameters) > 0 {
			given, _ := operation["parameters"].([]object)
			operation["parameters"] = append(parameters, given...)
		}
		at, _ := paths[path].(object)
		if at == nil {
			at = object{}
			paths[path] = at
		}
		at[method] = operation
	}
	for _, p := range pages {
		if p.path != "/" {
			put(api+p.path, "get", object{
				"summary": p.summary, "responses": object{
					"200": object{"description": "The view of the page " + p.path, "content": d.content(p.example)},
				},
			})
		}
	}
	for _, a := range actions {
		operation := object{"summary": a.summary, "responses": object{"200": object{"description": "Done", "content": object{"application/json": object{"schema": object{}}}}}}
		if a.body != nil {
			operation["requestBody"] = object{"required": true, "content": d.content(a.body)}
		}
		if !a.open {
			operation["security"] = []object{{"admin": []string{}}}
		}
		put(api+a.path, "post", operation)
	}
	put(api+"/leagues/{league}/events", "get", object{
		"summary": "The league's log from an entry on, and then live, as server-sent events: the id of each is its " +
			"sequence, its data a notice. A client that was cut off reconnects with Last-Event-ID and misses nothing.",
		"parameters": []object{
			{"name": "Last-Event-ID", "in": "header", "schema": object{"type": "integer"}, "description": "the last entry that was seen; default: none"},
			{"name": "after", "in": "query", "schema": object{"type": "integer"}, "description": "the same, for clients " +
				"that cannot set a header"},
		},
		"responses": object{"200": object{"description": "A stream without end", "content": object{"text/event-stream": object{"schema": d.schema(reflect.TypeFor[Notice]())}}}},
	})
	return object{
		"openapi": "3.1.0",
		"info": object{"title": "league", "version": cmp.Or(version, "0"), "description": "The pages of the site " +
			"as JSON, and the actions on them."},
		"paths": paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{
			"admin": object{"type": "http", "scheme": "bearer", "description": "the admin token: data/admin.token in the " +
				"manager's root"},
		}},
	}
}

// braces matches the variables of a path.
var braces = regexp.MustCompile(`\{(\w+)\}`)

// pathParameters describes the variables of a path, all of which are required.
func pathParameters(path string) (out []object) {
	for _, m := range braces.FindAllStringSubmatch(path, -1) {
		out = append(out, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	return out
}

// A describer collects the schemas of structs.
type describer struct{ schemas object }

// content describes an answer by an example of its type; nil is an answer of any shape.
func (d *describer) content(example any) object {
	schema := object{}
	if example != nil {
		schema = d.schema(reflect.TypeOf(example))
	}
	return object{"application/json": object{"schema": schema}}
}

// The types with a fixed schema.
var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[json.RawMessage]()
)

// schema describes a type as JSON Schema. Structs become named schemas with references, so that recursive types
// terminate.
func (d *describer) schema(t reflect.Type) object {
	switch {
	case t == timeType:
		return object{"type": "string", "format": "date-time"}
	case t == rawType:
		return object{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Struct:
		return d.named(t)
	case reflect.Slice, reflect.Array:
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer"}
	}
	return object{}
}

// named describes a struct once and returns a reference to it.
func (d *describer) named(t reflect.Type) object {
	name := strings.ToUpper(t.Name()[:min(1, len(t.Name()))]) + t.Name()[min(1, len(t.Name())):]
	if name == "" {
		return d.members(t)
	}
	if d.schemas[name] == nil {
		d.schemas[name] = object{} // it may be recursive
		d.schemas[name] = d.members(t)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// members describes the fields of a struct in the form of encoding/json: a field that may be omitted is not required.
func (d *describer) members(t reflect.Type) object {
	properties, required := object{}, []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		properties[name] = d.schema(f.Type)
		if strings.Contains(options, "omit") {
			continue
		}
		required = append(required, name)
		if f.Type.Kind() == reflect.Pointer {
			properties[name] = object{"anyOf": []object{d.schema(f.Type), {"type": "null"}}}
		}
	}
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required}
}
