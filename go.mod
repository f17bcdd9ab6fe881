module agentleague

go 1.26
