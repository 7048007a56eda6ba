# What a person types. Everything is cargo underneath; nothing here is needed to use cargo alone.

RUST := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
CARGO ?= cargo
FUZZ_SECONDS ?= 30
DETERMINISM_SEEDS ?= 2000
FAULT_SEEDS ?= 10000
# Where the tables of `make load` go, and more of its flags (`load --help`).
LOAD_PAGE ?= target/load.md
LOAD_FLAGS ?=
# Fuzz targets lie beside what they try; each folder is a cargo-fuzz project. No sanitizer: unsafe
# code is forbidden here, and without one it builds and runs twice as fast.
FUZZ_DIRS := $(patsubst %/Cargo.toml,%,$(wildcard scheduler/fuzz/Cargo.toml scheduler/*/fuzz/Cargo.toml))

.DEFAULT_GOAL := help
.PHONY: help live demo controlplane test check fmt clippy house deny bench load load-full docs fuzz faults determinism crds clean toolchain traces

help: ## shows this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

live: toolchain ## a real control plane on this machine, muster on it, gangs of two teams
	@$(CARGO) run --quiet --package e2e --bin live

demo: toolchain ## shows two teams sharing GPU nodes
	@echo "Building muster (a few minutes the first time) ..."
	@$(CARGO) build --quiet --package scheduler --bin muster
	@$(CARGO) run --quiet --package scheduler --bin muster -- simulate docs/samples/demo.yaml

controlplane: toolchain ## builds the servers that e2e tests run (minutes, once)
	$(CARGO) run --quiet --package e2e --bin controlplane -- build

test: toolchain traces ## unit tests, laws, properties, scenarios, command line, house
	$(CARGO) test --workspace --no-fail-fast $(TEST_FLAGS)

check: toolchain fmt clippy test deny ## everything a change must pass

fmt: toolchain
	$(CARGO) fmt --all -- --check

clippy: toolchain
	$(CARGO) clippy --workspace --all-targets -- -D warnings

house: toolchain ## the rules of the house alone
	$(CARGO) test --quiet --package scheduler --test house

deny: toolchain
	@if $(CARGO) deny --version >/dev/null 2>&1; then \
		$(CARGO) deny check bans licenses sources; \
	else \
		echo "cargo-deny is not installed: only the banned crates are checked, by the house test"; \
		$(CARGO) test --quiet --package scheduler --test house bans; \
	fi

bench: toolchain ## measures; docs/benchmarks.md says how to read it
	@test -f benches/Cargo.toml || { echo "no benchmarks yet: benches/Cargo.toml is missing"; exit 1; }
	$(CARGO) bench --package benches

load: toolchain ## muster beside its peers on a real API server, small (most of an hour)
	$(CARGO) build --profile dist --package scheduler --bin muster
	$(CARGO) build --release --package benches-load --bins
	MUSTER_BIN="$$(cd "$${CARGO_TARGET_DIR:-target}" && pwd)/dist/muster" \
	  $${CARGO_TARGET_DIR:-target}/release/load --out $(LOAD_PAGE) $(LOAD_FLAGS)

load-full: toolchain ## the same with 1,000 nodes and more (hours)
	$(MAKE) load LOAD_FLAGS="--size large --seconds 60 --rounds 5 $(LOAD_FLAGS)"

faults: toolchain ## plays the live run under faults, FAULT_SEEDS times
	MUSTER_LIVE_SEEDS=$(FAULT_SEEDS) $(CARGO) test --release --package scheduler-sim --test live no_promise -- --nocapture

docs: toolchain ## the documentation of all crates, broken links denied
	RUSTDOCFLAGS="-D warnings -D rustdoc::broken_intra_doc_links" $(CARGO) doc --no-deps --workspace

fuzz: toolchain ## fuzzes the parsers, FUZZ_SECONDS each
	@if [ -z "$(FUZZ_DIRS)" ]; then echo "fuzz: no fuzz targets in this checkout"; exit 0; fi; \
	if ! $(CARGO) +nightly --version >/dev/null 2>&1; then \
		echo "fuzz: no nightly toolchain; run: rustup toolchain install nightly"; exit 0; fi; \
	if ! $(CARGO) fuzz --version >/dev/null 2>&1; then \
		echo "fuzz: cargo-fuzz is missing; run: cargo install cargo-fuzz"; exit 0; fi; \
	for folder in $(FUZZ_DIRS); do \
		for target in $$($(CARGO) +nightly fuzz list --fuzz-dir $$folder); do \
			echo "fuzz: $$target for $(FUZZ_SECONDS) s"; \
			grown=$$folder/target/grown/$$target; mkdir -p $$grown; \
			$(CARGO) +nightly fuzz run --sanitizer none --fuzz-dir $$folder $$target $$grown $$folder/corpus/$$target -- \
				-max_total_time=$(FUZZ_SECONDS) -max_len=8192 -timeout=20 -rss_limit_mb=4096 || exit 1; \
		done; \
	done

determinism: toolchain ## 2,000 random inputs, each in a debug and a release process
	$(CARGO) build --release --package scheduler --bin muster
	MUSTER_OTHER="$$(cd "$${CARGO_TARGET_DIR:-target}" && pwd)/release/muster" MUSTER_SEEDS=$(DETERMINISM_SEEDS) \
		$(CARGO) test --package scheduler --test determinism -- --nocapture

crds: toolchain ## writes manifests/crds from the types
	UPDATE=1 $(CARGO) test --quiet --package scheduler-api --test crds
	cp $(filter-out %/kustomization.yaml,$(wildcard manifests/crds/*.yaml)) manifests/helm/muster/files/crds/

clean: ## removes everything that was built
	$(CARGO) clean

# Says what to do where the build would fail with something harder to read.
toolchain:
	@command -v $(CARGO) >/dev/null 2>&1 || { \
		echo "cargo is not installed; install Rust $(RUST) or newer from https://rustup.rs"; exit 1; }
	@$(CARGO) --version | awk -v want="$(RUST)" '{ split($$2, have, "."); split(want, need, "."); \
		exit !(have[1] > need[1] || (have[1] == need[1] && have[2] >= need[2])) }' || { \
		echo "muster needs Rust $(RUST) or newer, this is $$($(CARGO) --version); run: rustup update stable"; \
		exit 1; }

traces:
	@test -n "$$MUSTER_TRACES" || \
		echo "MUSTER_TRACES is not set: tests on public cluster traces are skipped (docs/TESTING.md)"
