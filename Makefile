# SPDX-License-Identifier: MIT
# Builds fltgate: the user-space modules, the BPF object with its skeleton, the tests. `make help` lists targets.
#
# One make sees the whole tree (no recursion into folders). Sources are found by wildcard, so a
# new file needs no line here; a new module needs its name in MODULES and a deps-<module> line.

BUILD      ?= build
PREFIX     ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR    ?=

ifeq ($(origin CC),default)
CC         := gcc
endif
CLANG      ?= clang
AR         := ar
PKG_CONFIG ?= pkg-config
BPFTOOL    ?= $(firstword $(shell command -v bpftool) /usr/sbin/bpftool)
# Seconds each fuzz target runs in `make check` and `make fuzz`.
FUZZ_SECONDS ?= 60

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

# ---- modules: who may link whom (design.md section 3) ---------------------------------------
# Listed in link order: a module before those it depends on.

MODULES  := dp conf bgp compile flowspec util
PROGRAMS := daemon cli
deps-util     :=
deps-flowspec := util
deps-compile  := flowspec util
deps-dp       := compile flowspec util
deps-bgp      := flowspec util
deps-conf     := flowspec util
deps-daemon   := $(MODULES)
deps-cli      := $(MODULES)

# ---- flags ----------------------------------------------------------------------------------

CFLAGS ?= -O2 -g
WARN   := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual \
          -Wpointer-arith -Wformat=2 -Wvla

# SANITIZE=1 is the debug build (see `make debug`), FUZZ=1 the one below libFuzzer (see `make fuzz`).
ifneq ($(FUZZ),)
variant := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
varlink := -fsanitize=address,undefined
else ifneq ($(SANITIZE),)
variant := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
varlink := -fsanitize=address,undefined
else
variant := -D_FORTIFY_SOURCE=2 -fstack-protector-strong
varlink := -Wl,-z,relro,-z,now
endif

# What pkg-config is asked for; --as-needed leaves in each binary only what it calls.
PKGS  := libbpf jansson libevent_core libnl-route-3.0 libnl-genl-3.0 libnl-3.0 libcap-ng libseccomp libpcap
ask-pkg = $(shell $(PKG_CONFIG) $(1))$(if $(filter-out 0,$(.SHELLSTATUS)),$(error a library is missing: run deploy/deps.sh))
# Asked once, and only when something is compiled: each variable replaces itself by the answer.
LIBS   = $(eval LIBS := $$(call ask-pkg,--libs $(PKGS)) -lm)$(LIBS)
PKGINC = $(eval PKGINC := $$(patsubst -I%,-isystem %,$$(call ask-pkg,--cflags-only-I $(filter-out libpcap,$(PKGS)))))$(PKGINC)

# _GNU_SOURCE is defined empty so that a file which says `#define _GNU_SOURCE` itself agrees with it.
# The skeleton is not our code: -isystem keeps our warnings out of it.
base     = -std=gnu17 $(WARN) $(CFLAGS) $(variant) -fPIE -D_GNU_SOURCE= -pthread
userinc  = -Iuser -Iinclude -I. -isystem $(BUILD)/gen $(PKGINC)
testinc  = -Iselftests $(userinc)
ldflags  = -pie -pthread $(varlink) -Wl,--as-needed $(LDFLAGS)

# <linux/*.h> asks for <asm/*.h>, which Debian keeps in the multiarch folder.
bpfflags = -target bpf -O2 -g -mcpu=v3 -Wall -Wextra -Werror -Iinclude -Ibpf/lib -Ibpf \
           $(addprefix -idirafter ,$(wildcard /usr/include/$(shell uname -m)-linux-gnu))

# The one place where each kind of source gets its command; compile_commands.json uses the same.
# $(call cc-<kind>,source,object)
cc-user   = $(CC) $(base) $(userinc) -c -o $(2) $(1)
cc-test   = $(CC) $(base) $(testinc) -c -o $(2) $(1)
# The oracle is independent of the product: it cannot even include its headers.
cc-oracle = $(CC) $(base) -Iselftests -c -o $(2) $(1)
cc-bpf    = $(CLANG) $(bpfflags) -c -o $(2) $(1)

# One short line for each command; V=1 shows the commands themselves. $(call say,WHAT)
say = $(if $(V),,@printf '  %-8s%s\n' '$(1)' '$@';)

# ---- files ----------------------------------------------------------------------------------

obj       = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
src-of    = $(sort $(wildcard user/$(1)/*.c))
# The oracle is a library of the tests; elsewhere it is a module like the others.
lib       = $(patsubst %/libfg-oracle.a,%/liboracle.a,$(patsubst %,$(BUILD)/lib/libfg-%.a,$(1)))

user-src   := $(foreach m,$(MODULES) $(PROGRAMS),$(call src-of,$(m)))
bpf-src    := $(sort $(wildcard bpf/*.bpf.c))
oracle-src := $(sort $(wildcard selftests/oracle/*.c))
stlib-src  := $(sort $(wildcard selftests/lib/*.c))
unit-src   := $(sort $(wildcard selftests/unit/*/test_*.c))
prog-src   := $(sort $(wildcard selftests/prog/test_*.c))
fuzz-src   := $(sort $(wildcard selftests/fuzz/fuzz_*.c))
tool-src   := $(sort $(wildcard selftests/tools/*.c))
bench-src  := $(sort $(wildcard selftests/bench/*.c))
man-tool   := deploy/man/reference.c
test-src   := $(stlib-src) $(unit-src) $(prog-src) $(fuzz-src) $(tool-src) $(bench-src)

bpf-obj := $(bpf-src:%.c=$(BUILD)/obj/%.o)
BPF_OBJ := $(if $(bpf-src),$(BUILD)/fltgate.bpf.o)
SKEL    := $(if $(bpf-src),$(BUILD)/gen/fltgate.skel.h)
BINS    := $(if $(call src-of,daemon),$(BUILD)/fltgated) $(if $(call src-of,cli),$(BUILD)/fltgate)

oracle-lib := $(BUILD)/lib/liboracle.a
stlib      := $(BUILD)/lib/libselftest.a

.PHONY: all bpf help clean FORCE
all: $(BINS) $(BPF_OBJ)
bpf: $(BPF_OBJ) $(SKEL)

# ---- stamps: a changed compiler, flag or list of files rebuilds what depends on it ----------
# $(call stamp,file,text): rewrites file only when text differs from what it holds.

define stamp
$(1): FORCE
	@mkdir -p $$(@D)
	@echo '$(subst ','\'',$(2))' | cmp -s - $$@ || echo '$(subst ','\'',$(2))' >$$@
endef
FORCE:

$(eval $(call stamp,$(BUILD)/stamp/user,$$(CC) $$(base) $$(testinc)))
$(eval $(call stamp,$(BUILD)/stamp/link,$$(CC) $$(ldflags) $$(LIBS)))
$(eval $(call stamp,$(BUILD)/stamp/bpf,$$(CLANG) $$(bpfflags)))

# ---- objects --------------------------------------------------------------------------------

# -MD rather than -MMD: a library upgrade also rebuilds what includes its headers.
deps-flags = -MD -MP -MF $(@:.o=.d)

$(BUILD)/obj/user/%.o: user/%.c $(BUILD)/stamp/user
	@mkdir -p $(@D)
	$(call say,CC)$(call cc-user,$<,$@) $(deps-flags)

$(BUILD)/obj/selftests/oracle/%.o: selftests/oracle/%.c $(BUILD)/stamp/user
	@mkdir -p $(@D)
	$(call say,CC)$(call cc-oracle,$<,$@) $(deps-flags)

$(BUILD)/obj/selftests/%.o: selftests/%.c $(BUILD)/stamp/user
	@mkdir -p $(@D)
	$(call say,CC)$(call cc-test,$<,$@) $(deps-flags)

$(BUILD)/obj/bpf/%.bpf.o: bpf/%.bpf.c $(BUILD)/stamp/bpf
	@mkdir -p $(@D)
	$(call say,BPF)$(call cc-bpf,$<,$@) $(deps-flags)

# These may include the skeleton; after the first build the .d files know who really does.
$(call obj,$(call src-of,dp) $(stlib-src) $(prog-src)): | $(SKEL)

-include $(patsubst %.o,%.d,$(call obj,$(user-src) $(oracle-src) $(test-src)) $(bpf-obj))

# ---- BPF object and skeleton ----------------------------------------------------------------

$(eval $(call stamp,$(BUILD)/stamp/list-bpf,$(bpf-obj)))

$(BUILD)/fltgate.bpf.o: $(bpf-obj) $(BUILD)/stamp/list-bpf
	$(call say,LINK)$(BPFTOOL) gen object $@ $(bpf-obj)

$(BUILD)/gen/fltgate.skel.h: $(BUILD)/fltgate.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL)$(BPFTOOL) gen skeleton $< name fltgate >$@

# ---- libraries and programs -----------------------------------------------------------------

# $(call archive,file,sources): the list is a stamp, so a removed source leaves the archive.
define archive
$(call stamp,$(BUILD)/stamp/list-$(notdir $(1)),$(call obj,$(2)))
$(1): $(call obj,$(2)) $(BUILD)/stamp/list-$(notdir $(1))
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(call say,AR)$(AR) rcs $$@ $(call obj,$(2))
endef

# main() stays out of the program's library, so that unit tests can link the rest of it.
$(foreach m,$(MODULES) $(PROGRAMS),$(eval $(call archive,$(call lib,$(m)),\
	$(filter-out user/$(m)/main.c,$(call src-of,$(m))))))
$(eval $(call archive,$(oracle-lib),$(oracle-src)))
$(eval $(call archive,$(stlib),$(stlib-src)))

.PHONY: $(addprefix lib-,$(MODULES) $(PROGRAMS) oracle)
$(foreach m,$(MODULES) $(PROGRAMS) oracle,$(eval lib-$(m): $(call lib,$(m))))

link = $(CC) $(ldflags) -o $@ $(filter %.o %.a,$^) $(1) $(LIBS)

$(BUILD)/fltgated: $(call obj,$(filter user/daemon/main.c,$(user-src))) $(call lib,daemon $(deps-daemon)) $(BUILD)/stamp/link
	$(call say,LINK)$(call link)

$(BUILD)/fltgate: $(call obj,$(filter user/cli/main.c,$(user-src))) $(call lib,cli $(deps-cli)) $(BUILD)/stamp/link
	$(call say,LINK)$(call link)

include mk/test.mk
include mk/install.mk

# ---- the rest -------------------------------------------------------------------------------

clean:
	rm -rf $(BUILD) compile_commands.json

help:
	@echo 'make                 $(BUILD)/fltgated, $(BUILD)/fltgate, $(BUILD)/fltgate.bpf.o'
	@echo 'make demo            installs what is missing, builds, shows the gateway at work (root)'
	@echo 'make check           installs what is missing, builds, runs all tests'
	@echo 'make check-GROUP     GROUP: unit prog golden netns interop fuzz'
	@echo 'make unit-MODULE     unit tests of one module: $(MODULES) $(PROGRAMS)'
	@echo 'make lib-MODULE      builds one module'
	@echo 'make bpf             BPF object and skeleton'
	@echo 'make debug           everything with ASan and UBSan, in $(BUILD)/debug'
	@echo 'make fuzz            every fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make lint, format    clang-format, clang-tidy, cppcheck, shellcheck, own rules'
	@echo 'make install         DESTDIR= PREFIX=$(PREFIX) SYSCONFDIR=$(SYSCONFDIR); make uninstall'
	@echo 'make compile_commands.json, make clean'
	@echo 'Variables: V=1 BUILD CC CLANG BPFTOOL CFLAGS LDFLAGS DESTDIR PREFIX SYSCONFDIR FUZZ_SECONDS'
