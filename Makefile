# Targets for people and for CI. Everything that is installed goes into .cache/, everything that is built too,
# except ./caddy.
.DEFAULT_GOAL := help
SHELL := /bin/bash

GOLANGCI_LINT := v2.15.0
FUZZTIME ?= 1m
SOAK ?= 15m
# A real MCP server to stand before, for "make run": http://host:port[/path].
UPSTREAM ?=

SOURCES = $(shell find . -path ./.cache -prune -o -path ./integration -prune -o -path ./examples -prune \
	-o -type f \( -name '*.go' -o -name '*.lua' -o -name '*.html' \) ! -name '*_test.go' -print)

.PHONY: help
help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

caddy: xcaddy.sh go.mod go.sum $(SOURCES) ## Caddy with the gateway, by xcaddy.sh
	./xcaddy.sh caddy

.PHONY: run
run: caddy ## The gateway on :8080 before the demo server, or before UPSTREAM=http://host:port[/path]
	@UPSTREAM='$(UPSTREAM)' examples/run.sh

.PHONY: setup
setup:
	@integration/setup.sh

.PHONY: test
test: setup ## All tests, with the race detector; installs what they need
	go test -race -timeout 25m ./...

.PHONY: conformance
conformance: setup ## The official MCP suite, with and without the gateway in between: the same checks pass
	go test -count=1 -timeout 20m -tags conformance -run '^TestConformance' -v ./integration

.PHONY: fuzz
fuzz: ## Every fuzz target for FUZZTIME (1m)
	integration/fuzz.sh $(FUZZTIME)

.PHONY: secretscan
secretscan: ## gitleaks reads everything that the normalizer lets out and must find nothing; a module of its own
	cd normalize/secretscan && go vet ./... && go test -count=1 -timeout 20m ./...

.PHONY: lint
lint: .cache/bin/golangci-lint-$(GOLANGCI_LINT) ## gofmt, go vet, golangci-lint, go mod verify
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "gofmt these files"; exit 1; }
	go mod verify
	go vet -tags conformance,bench ./...
	$< run ./...

.cache/bin/golangci-lint-$(GOLANGCI_LINT):
	@mkdir -p .cache/bin
	GOBIN=$(CURDIR)/.cache/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	@mv .cache/bin/golangci-lint $@

.PHONY: bench
bench: caddy ## nginx, plain Caddy and the gateway in one run, into bench/RESULTS.md; BENCH_ROUND=1s is the length of a round
	@bench/setup.sh
	go test -count=1 -timeout 60m -tags bench -run '^TestBench$$' -v ./bench

.PHONY: bench-growth
bench-growth: caddy ## What a call costs as bodies, callers, tools and replicas grow, into bench/GROWTH.md
	@bench/setup.sh
	go test -count=1 -timeout 30m -tags bench -run '^TestGrowth$$' -v ./bench

.PHONY: bench-limits
bench-limits: setup ## PING, INCR, a GCRA limiter, memory and this one, interleaved, against the targets
	cd limits/bench && go test -count=1 -timeout 30m -run '^TestBench$$' -v

.PHONY: faults
faults: setup ## The long forms of the tests that break things on purpose
	GATEWAY_LONG=1 go test -race -count=1 -timeout 90m ./integration ./limits/...

.PHONY: soak
soak: ## Mixed traffic with faults for SOAK (15m); memory and goroutines must be flat at the end
	GATEWAY_SOAK=$(SOAK) go test -count=1 -timeout 120m -run '^TestSoak$$' -v ./integration

.PHONY: licences
licences: ## Every module that is linked in has a licence of a short list
	.ci/licences.sh

.PHONY: vuln
vuln: ## Known vulnerabilities; says so when their database is out of reach, and fails then with VULN=strict
	.ci/vuln.sh

.PHONY: caddy-latest
caddy-latest: ## Builds and tests against the newest release of Caddy that can be reached
	.ci/caddy-latest.sh

.PHONY: ci
ci: ## What CI runs
	.ci/run

.PHONY: clean
clean: ## Remove what was built and installed here
	rm -rf .cache caddy
