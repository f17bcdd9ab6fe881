module agentleague

go 1.26

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	github.com/sony/gobreaker/v2 v2.4.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)
