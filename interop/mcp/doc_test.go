// Package mcp_test meets our agents with the MCP programs of others: the
// conformance suites, the Inspector, the official SDKs and a bridge to stdio,
// from the packages that package-lock.json names.
package mcp_test
