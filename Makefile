.PHONY: run test check bench

run:
	go run ./cmd/league run

test:
	.ci/test go test -race ./...

check:
	! gofmt -l . | grep . && go vet ./... && GOOS=windows go build ./... && GOOS=darwin go build ./... && go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

bench:
	go test -run '^$$' -bench . -benchmem ./...
