# SPDX-License-Identifier: MIT
# Installs and removes programs, manual pages, units and the example configuration; included by Makefile.

sbindir := $(DESTDIR)$(PREFIX)/sbin
mandir  := $(DESTDIR)$(PREFIX)/share/man
compdir := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
unitdir := $(DESTDIR)$(PREFIX)/lib/systemd/system
userdir := $(DESTDIR)$(PREFIX)/lib/sysusers.d
tmpdir  := $(DESTDIR)$(PREFIX)/lib/tmpfiles.d
confdir := $(DESTDIR)$(SYSCONFDIR)/fltgate

man-src   := $(sort $(wildcard deploy/man/*.scd))
man-pages := $(patsubst deploy/man/%.scd,$(BUILD)/man/%,$(man-src))
# fltgate.8 -> man8/fltgate.8
man-path   = man$(patsubst .%,%,$(suffix $(1)))/$(notdir $(1))

# What the pages list - statements, commands - comes from the tables of the programs.
reference := $(BUILD)/man/reference
$(BUILD)/obj/deploy/man/reference.o: deploy/man/reference.c $(BUILD)/stamp/user
	@mkdir -p $(@D)
	$(call say,CC)$(call cc-user,$<,$@) $(deps-flags)
-include $(BUILD)/obj/deploy/man/reference.d
$(reference): $(BUILD)/obj/deploy/man/reference.o $(call lib,cli $(deps-cli)) $(BUILD)/stamp/link
	@mkdir -p $(@D)
	$(call say,LINK)$(call link)
$(BUILD)/man/%.txt: $(reference)
	$(call say,GEN)$(reference) $* >$@

$(man-pages): $(BUILD)/man/%: deploy/man/%.scd $(BUILD)/man/statements.txt $(BUILD)/man/commands.txt
	$(call say,MAN)sed $(foreach t,statements commands,-e '/^@$(t)@$$/{r $(BUILD)/man/$(t).txt' -e 'd}') $< | scdoc >$@

.PHONY: man install uninstall
man: $(man-pages)

# The unit names the program's place; PREFIX may have moved it.
install: all man
	install -d $(sbindir) $(unitdir) $(userdir) $(tmpdir) $(compdir) $(confdir)
	install -m 755 $(BINS) $(sbindir)
	$(foreach p,$(man-pages),install -D -m 644 $(p) $(mandir)/$(call man-path,$(p)) &&) true
	install -m 644 deploy/completion/fltgate $(compdir)/fltgate
	sed 's,/usr/local/sbin,$(PREFIX)/sbin,' deploy/systemd/fltgated.service >$(unitdir)/fltgated.service
	chmod 644 $(unitdir)/fltgated.service
	install -m 644 deploy/systemd/fltgate.sysusers $(userdir)/fltgate.conf
	install -m 644 deploy/systemd/fltgate.tmpfiles $(tmpdir)/fltgate.conf
	test -e $(confdir)/fltgate.conf || install -m 640 deploy/config/fltgate.conf $(confdir)/fltgate.conf

# The configuration is the user's: it stays.
uninstall:
	rm -f $(sbindir)/fltgated $(sbindir)/fltgate $(compdir)/fltgate $(unitdir)/fltgated.service
	rm -f $(userdir)/fltgate.conf $(tmpdir)/fltgate.conf
	rm -f $(foreach p,$(man-pages),$(mandir)/$(call man-path,$(p)))
