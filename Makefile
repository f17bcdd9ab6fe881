.PHONY: run quick test race test-all long soak check bench microbench chaos mutants doc pictures release

# Up to five failed tests run a second time, unless the race detector found the failure. Both results are printed; a test
# that needed its second run is a fault to repair, but it does not stop a change. Tests wait for processes, disks and
# deadlines, so more of them run at a time than there are processors. The collector runs a quarter as often; tests are short.
tests = env GORACE=atexit_sleep_ms=0 GOGC=400 go run gotest.tools/gotestsum@v1.13.0 --format pkgname \
	--rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-run-root-test --rerun-fails-abort-on-data-race --packages "$(1)" \
	-- -p $$((2 * $$(getconf _NPROCESSORS_ONLN))) -timeout 60m -vet=off -ldflags=-w

# The race detector makes tests six times as slow. It watches the packages whose goroutines share memory; the detector need
# not wait a second when a program ends, and need not watch the arithmetic of signatures, which is on numbers of its own.
race = -race -gcflags=crypto/internal/fips140/edwards25519/...=-race=false
shared = ./backup ./client ./cluster/... ./engine/... ./host ./league/... ./mailbox ./metrics ./player/... ./referee ./rpc/... \
	./seat ./server ./store/...

run:
	go run ./cmd/league run

# The pure packages, without the race detector: what to run after every change.
quick:
	go test ./protocol/... ./league ./format ./dialect/... ./rating ./config ./engine/line ./engine/sim ./game/... ./player ./rpc/wire ./rpc/gate

# The packages that take longest come first, so that no processor is idle at the end; go test prints the others behind them.
first = ./internal/cli ./chaos ./interop/mcp ./web ./engine/jetstream ./league/manager ./interop
test:
	.ci/needs python3 pip3=python3-pip node=nodejs npm 'chromium-headless-shell|chromium' curl openssl ip=iproute2 \
		$(if $(CI)$(LONG),promtool=prometheus systemd-analyze=systemd nsenter=util-linux)
	$(call tests,$(first) ./...) -parallel 4 $(if $(LONG),,-skip '^TestLong')
	$(MAKE) race LONG=

# The tests of packages whose goroutines share memory, with the race detector.
race:
	$(call tests,$(shared)) $(race) $(if $(LONG),,-skip '^TestLong')

# And the tests that are called TestLong…, in the same run.
test-all:
	$(MAKE) test LONG=yes

# Only those.
long:
	.ci/needs python3 pip3=python3-pip node=nodejs npm 'chromium-headless-shell|chromium' curl openssl ip=iproute2 nsenter=util-linux
	$(call tests,$$(grep -rl '^func TestLong' --include='*_test.go' . | xargs -n 1 dirname | sort -u | xargs)) -run '^TestLong'

# All tests with the race detector and the full counts, then kills and power cuts by the thousand. Hours; not part of .ci/run.
soak:
	LEAGUE_LONG=1 $(MAKE) race shared=./... LONG=yes
	$(MAKE) chaos

check:
	! gofmt -l . | grep . && go vet ./... && GOOS=windows go build ./... && GOOS=darwin go build ./... && go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.14.0 run

# Measure what a match costs, and write the figures into the guides. Two minutes on an idle machine.
bench:
	go run ./cmd/league bench --guide docs/guide/speed.md --guide docs/guide/operating.md

# The program for each system with its version, checksums and list of modules, in dist/. Two builds of one commit are equal.
release:
	rm -rf dist
	for platform in $(platforms); do \
		out=dist/league-$$(git describe --tags --always --dirty)-$${platform%/*}-$${platform#*/}; \
		[ "$${platform%/*}" != windows ] || out=$$out.exe; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} go build -buildvcs=true -trimpath -ldflags='-s -w' -o $$out ./cmd/league || exit 1; \
		go version -m $$out | grep -q vcs.revision || { echo "$$out has no version: build it in a clone of the repository"; exit 1; }; \
	done
	go run ./deploy/sbom dist/league-*-linux-amd64 > dist/league.cdx.json
	cd dist && sha256sum * > SHA256SUMS && cat SHA256SUMS

platforms = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# What doc/ and docs/ have that follows from the code and from the diagrams in the documents: examples, schemas, requirements and pictures.
doc:
	go test ./protocol -run TestDocumentedExamplesFollowFromTheCode -update
	go test ./protocol/schema -run TestDocumentedSchemasFollowFromTheCode -update
	go test . -run TestRequirementsAreListed -update
	go test . -run TestPicturesAreOfTheDiagrams -update

# The pictures of the README, of a league that is played for them.
pictures:
	LEAGUE_PICTURES=1 go test ./internal/cli -count=1 -run TestPicturesOfTheReadme

# The benchmarks of single packages.
microbench:
	go test -run '^$$' -bench . -benchmem ./...

chaos:
	LEAGUE_SEEDS=$${LEAGUE_SEEDS:-10000} LEAGUE_SWEEP=all go test -count=1 -timeout 2h -v -run 'SameTrace|CrashAt' ./league/manager | grep -E '^(---|ok|FAIL|panic)|points:|_test.go'
	LEAGUE_CHAOS=long go test -count=1 -timeout 1h -v ./chaos

mutants:
	chaos/mutations
