.PHONY: run test check bench

run:
	go run ./cmd/league run

test:
	.ci/needs python3 node=nodejs
	.ci/test go test -race ./...

check:
	! gofmt -l . | grep . && go vet ./... && GOOS=windows go build ./... && GOOS=darwin go build ./... && go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0 run

bench:
	go test -run '^$$' -bench . -benchmem ./...
