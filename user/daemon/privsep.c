// SPDX-License-Identifier: MIT
/* Giving privileges up: the unprivileged processes for good, the parent down to what its work
 * needs. */
#include <cap-ng.h>
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

/* What the speaker and libevent call once they run. Descriptors are received, never opened. */
static const int allowed_calls[] = {
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(close),
	SCMP_SYS(recvfrom),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendto),
	SCMP_SYS(sendmsg),
	SCMP_SYS(accept4),
	SCMP_SYS(connect),
	SCMP_SYS(shutdown),
	SCMP_SYS(getpeername),
	SCMP_SYS(getsockname),
	SCMP_SYS(getsockopt),
	SCMP_SYS(setsockopt),
	SCMP_SYS(fcntl),
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(eventfd2),
	SCMP_SYS(pipe2),
	SCMP_SYS(socketpair),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(getrandom),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(brk),
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(tgkill),
	SCMP_SYS(sysinfo),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* Never by accident: whoever calls these has taken the process over. */
static const int deadly_calls[] = {
	SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_writev),
	SCMP_SYS(bpf),    SCMP_SYS(fork),     SCMP_SYS(vfork),  SCMP_SYS(mount),
	SCMP_SYS(setns),  SCMP_SYS(unshare),  SCMP_SYS(chroot), SCMP_SYS(socket),
	SCMP_SYS(bind),   SCMP_SYS(listen),
};

static void release_filter(scmp_filter_ctx *filter)
{
	if (*filter)
		seccomp_release(*filter);
}

static int limit_calls(struct fg_error *err)
{
	FG_CLEANUP(release_filter) scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r = filter ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < FG_ARRAY_SIZE(allowed_calls); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_calls[i], 0);
	for (size_t i = 0; r == 0 && i < FG_ARRAY_SIZE(deadly_calls); i++)
		r = seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, deadly_calls[i], 0);
	if (r == 0) /* memory, but none that can be executed */
		r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1,
				     SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	if (r == 0)
		r = seccomp_load(filter);
	return r < 0 ? fg_error_set(err, r, "cannot limit system calls (seccomp): %s", strerror(-r))
		     : 0;
}

static int find_user(uid_t *ret_uid, gid_t *ret_gid, char *warning, size_t size,
		     struct fg_error *err)
{
	const struct passwd *user = getpwnam(FG_USER);

	warning[0] = '\0';
	if (!user) {
		(void)snprintf(warning, size,
			       "no user " FG_USER ": the bgp process runs as nobody; try: useradd "
			       "--system --no-create-home --shell /usr/sbin/nologin " FG_USER);
		user = getpwnam("nobody");
	}
	if (!user || user->pw_uid == 0) {
		(void)fg_error_set(err, -ENOENT, "neither a user " FG_USER " nor a user nobody");
		return fg_error_fix(
			err,
			"useradd --system --no-create-home --shell /usr/sbin/nologin " FG_USER);
	}
	*ret_uid = user->pw_uid;
	*ret_gid = user->pw_gid;
	return 0;
}

static int check_empty(const char *path, struct fg_error *err)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	bool empty = true;

	if (!dir)
		return fg_error_set(err, -errno, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			empty = false;
	(void)closedir(dir);
	return empty ? 0 : fg_error_set(err, -ENOTEMPTY, "%s is not empty", path);
}

static int change_root(const char *path, struct fg_error *err)
{
	int r = check_empty(path, err);

	if (r < 0)
		return r;
	if (chroot(path) < 0 || chdir("/") < 0)
		return fg_error_set(err, -errno, "cannot make %s the root: %s", path,
				    strerror(errno));
	return 0;
}

static void limit_resources(void)
{
	static const struct {
		int what;
		rlim_t limit;
	} limits[] = { { RLIMIT_CORE, 0 }, { RLIMIT_FSIZE, 0 }, { RLIMIT_NPROC, 0 } };

	for (size_t i = 0; i < FG_ARRAY_SIZE(limits); i++) {
		const struct rlimit limit = { limits[i].limit, limits[i].limit };

		(void)setrlimit(limits[i].what, &limit);
	}
}

/* Trust in what the kernel says, not in what was asked of it. */
static int verify(struct fg_error *err)
{
	if (capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return fg_error_set(err, -EPERM, "the process still has capabilities");
	if (getuid() == 0 || geteuid() == 0 || setuid(0) == 0)
		return fg_error_set(err, -EPERM, "the process can still be root");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return fg_error_set(err, -EPERM, "the process can still gain privileges");
	return 0;
}

int fg_privsep_drop(const char *empty_dir, char *warning, size_t size, struct fg_error *err)
{
	uid_t uid = 0;
	gid_t gid = 0;
	int r = find_user(&uid, &gid, warning, size, err);

	(void)capng_get_caps_process(); /* while /proc is there */
	if (r == 0)
		r = change_root(empty_dir, err);
	if (r < 0)
		return r;
	limit_resources();
	capng_clear(CAPNG_SELECT_ALL);
	r = capng_change_id((int)uid, (int)gid, CAPNG_DROP_SUPP_GRP | CAPNG_CLEAR_BOUNDING);
	if (r < 0)
		return fg_error_set(err, -EPERM,
				    "cannot become uid %u without capabilities (libcap-ng: %d)",
				    uid, r);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fg_error_set(err, -errno, "prctl: %s", strerror(errno));
	r = verify(err);
	return r < 0 ? r : limit_calls(err);
}

int fg_privsep_limit_parent(struct fg_error *err)
{
	static const unsigned int kept[] = {
		CAP_BPF,
		CAP_NET_ADMIN,
		CAP_PERFMON,          /* programs, attaching, MD5 keys */
		CAP_NET_BIND_SERVICE, /* port 179 */
		CAP_SETUID,
		CAP_SETGID,
		CAP_SYS_CHROOT,
		CAP_SETPCAP,
		CAP_KILL,  /* starting and ending children */
		CAP_CHOWN, /* the socket's group */
	};
	int r;

	if (capng_get_caps_process() < 0)
		return fg_error_set(err, -EPERM, "cannot read the process's capabilities");
	if (!capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
		return 0; /* already limited, by systemd */
	capng_clear(CAPNG_SELECT_ALL);
	for (size_t i = 0; i < FG_ARRAY_SIZE(kept); i++)
		(void)capng_update(CAPNG_ADD,
				   CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET, kept[i]);
	r = capng_apply(CAPNG_SELECT_ALL);
	return r < 0 ? fg_error_set(err, -EPERM, "cannot limit the capabilities (libcap-ng: %d)", r)
		     : 0;
}
