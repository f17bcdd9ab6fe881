.PHONY: run test check bench chaos mutants

run:
	go run ./cmd/league run

test:
	.ci/needs python3 node=nodejs npm chromium
	.ci/test go test -timeout 40m -race -vet=off -ldflags=-w ./...

check:
	! gofmt -l . | grep . && go vet ./... && GOOS=windows go build ./... && GOOS=darwin go build ./... && go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0 run

bench:
	go test -run '^$$' -bench . -benchmem ./...

chaos:
	LEAGUE_SEEDS=$${LEAGUE_SEEDS:-10000} LEAGUE_SWEEP=all go test -count=1 -timeout 2h -v -run 'TestSameSeedGivesSameTrace|TestCrashAtEveryPoint' ./league | grep -E '^(---|ok|FAIL|panic)|points:|_test.go'
	LEAGUE_CHAOS=long go test -count=1 -timeout 1h -v ./chaos

mutants:
	chaos/mutations
