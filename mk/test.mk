# SPDX-License-Identifier: MIT
# Builds and runs the tests, the fuzz targets, the debug build and the lints; included by Makefile.

test-bin = $(patsubst selftests/%.c,$(BUILD)/test/%,$(1))
unit-bin := $(call test-bin,$(unit-src))
prog-bin := $(call test-bin,$(prog-src))
tool-bin := $(call test-bin,$(tool-src))
bench-bin := $(call test-bin,$(bench-src))
fuzz-bin := $(call test-bin,$(fuzz-src))
run      = BUILD='$(BUILD)' FUZZ_SECONDS='$(FUZZ_SECONDS)' selftests/run

# A make called by make uses all processors, unless -j was given.
submake  = +@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# ---- unit and prog binaries -----------------------------------------------------------------
# A unit test links its module and what that may depend on, nothing more: a forbidden dependency
# does not link. Where the module decides verdicts, the oracle and the test library come along.

unit-libs-oracle   := $(oracle-lib)
unit-libs-flowspec := $(oracle-lib)
unit-libs-compile  := $(oracle-lib)
unit-libs-dp      := $(stlib) $(oracle-lib)
unit-libs-daemon  := $(stlib)
unit-libs-cli     := $(stlib)

define unit-test
$(call test-bin,$(1)): $(call obj,$(1)) $(unit-libs-$(2)) $(call lib,$(filter $(MODULES) $(PROGRAMS),$(2)) $(deps-$(2))) $(BUILD)/stamp/link
	@mkdir -p $$(@D)
	$$(call say,LINK)$$(call link,-lcmocka)
endef
module-of = $(patsubst selftests/unit/%/,%,$(dir $(1)))
$(foreach s,$(unit-src),$(eval $(call unit-test,$(s),$(call module-of,$(s)))))

$(prog-bin): $(BUILD)/test/%: $(BUILD)/obj/selftests/%.o $(stlib) $(oracle-lib) $(call lib,$(MODULES)) $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(call say,LINK)$(call link,-lcmocka)

# Tools stand alone: the demo needs them where the libraries of the tests are not installed.
$(tool-bin): $(BUILD)/test/%: $(BUILD)/obj/selftests/%.o $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(call say,LINK)$(call link)

$(bench-bin): $(BUILD)/test/%: $(BUILD)/obj/selftests/%.o $(call lib,$(MODULES)) $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(call say,LINK)$(call link)

# ---- fuzz targets ---------------------------------------------------------------------------
# The whole product is built once more with clang's instrumentation, in $(BUILD)/fuzz.
# FUZZ_MODULES="flowspec util" builds against part of the tree.

FUZZ_MODULES ?= daemon $(MODULES)
FUZZ_CC      ?= $(CLANG)

$(fuzz-bin): $(BUILD)/test/%: $(BUILD)/obj/selftests/%.o $(call lib,$(FUZZ_MODULES)) $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(call say,LINK)$(call link,-fsanitize=fuzzer)

.PHONY: fuzz-bins fuzz-build fuzz
fuzz-bins: $(fuzz-bin)
fuzz-build:
	$(if $(fuzz-src),$(submake) BUILD='$(BUILD)/fuzz' CC='$(FUZZ_CC)' FUZZ=1 fuzz-bins)
fuzz: fuzz-build
	$(run) fuzz

# ---- running --------------------------------------------------------------------------------

.PHONY: tests check check-run demo demo-run debug
tests: all $(unit-bin) $(prog-bin) $(tool-bin)

# deps.sh may install pkg-config and the compilers, so only a second make can look at them.
check:
	@deploy/deps.sh test
	$(submake) check-run
check-run: tests fuzz-build
	@$(run)

demo:
	@deploy/deps.sh demo
	$(submake) demo-run
demo-run: all $(tool-bin)
	@BUILD='$(BUILD)' exec deploy/demo.sh

# Benchmarks print figures and judge nothing; they are no part of `make check`.
.PHONY: bench
bench: $(bench-bin)
	$(BUILD)/test/bench/classify
	$(BUILD)/test/bench/classify --rules 100000
	$(BUILD)/test/bench/classify --dmem

.PHONY: check-unit check-golden check-prog check-netns check-interop check-fuzz
check-unit: $(unit-bin)
check-prog: $(prog-bin)
check-golden check-netns check-interop: all $(tool-bin)
check-fuzz: fuzz-build
check-unit check-golden check-prog check-netns check-interop check-fuzz:
	@$(run) $(@:check-%=%)

unit-modules := $(MODULES) $(PROGRAMS) oracle
.PHONY: $(addprefix unit-,$(unit-modules))
$(foreach m,$(unit-modules),$(eval unit-$(m): $(call test-bin,$(wildcard selftests/unit/$(m)/test_*.c))))
$(addprefix unit-,$(unit-modules)):
	@$(run) $(@:unit-%=unit/%)

debug:
	$(submake) BUILD='$(BUILD)/debug' SANITIZE=1 tests

# ---- compile_commands.json ------------------------------------------------------------------

# $(call entry,kind,source)
entry = {"directory": "$(CURDIR)", "file": "$(2)", "command": "$(strip $(call cc-$(1),$(2),$(BUILD)/obj/$(2:.c=.o)))"}
comma := ,

.PHONY: compile_commands.json
compile_commands.json:
	$(file >$@.tmp,[)
	$(foreach s,$(user-src) $(man-tool),$(file >>$@.tmp,$(call entry,user,$(s))$(comma)))
	$(foreach s,$(oracle-src),$(file >>$@.tmp,$(call entry,oracle,$(s))$(comma)))
	$(foreach s,$(test-src),$(file >>$@.tmp,$(call entry,test,$(s))$(comma)))
	$(foreach s,$(bpf-src),$(file >>$@.tmp,$(call entry,bpf,$(s))$(comma)))
	@sed '$$ s/,$$//' $@.tmp >$@ && echo ']' >>$@ && rm $@.tmp

# ---- lint -----------------------------------------------------------------------------------

.PHONY: lint lint-run format
lint:
	@deploy/deps.sh lint
	$(submake) lint-run
lint-run: compile_commands.json $(SKEL)
	@BUILD='$(BUILD)' CLANG='$(CLANG)' selftests/lint/run

format:
	clang-format -i $(shell find include bpf user selftests -name '*.[ch]')
