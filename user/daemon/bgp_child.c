// SPDX-License-Identifier: MIT
/* The bgp process as its parent sees it: started, fed, listened to, restarted with growing
 * waits. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "fltgate/names.h"
#include "util/cleanup.h"

#define BACKOFF_MIN_MS 100
#define BACKOFF_MAX_MS 10000
#define HEALTHY_MS 60000 /* a child that lived this long starts again without waiting */
#define BATCH 512        /* messages read before other events get their turn */
#define EXIT_WAIT_MS 3000

struct fg_bgp_child {
	struct fg_daemon *daemon;
	pid_t pid; /* 0: not running */
	int fd;
	struct event *readable, *writable, *restart;
	struct fg_link_queue queue;
	unsigned backoff_ms;
	int64_t started_ms;
};

/* --- sending ---------------------------------------------------------------------------------- */

/* Other failures mean that the process is at its end: SIGCHLD follows. */
static void flush_queue(struct fg_bgp_child *child)
{
	if (child->fd >= 0 && fg_link_queue_flush(&child->queue, child->fd) == -EAGAIN)
		(void)event_add(child->writable, NULL);
}

void fg_bgp_child_send(struct fg_daemon *daemon, const struct fg_link_header *message, int fd)
{
	struct fg_bgp_child *child = daemon->bgp;
	FG_AUTO_CLOSE int passed = fd;
	int r = child->fd < 0 ? 0 : fg_link_queue_send(&child->queue, child->fd, message, passed);

	if (r == -ENOMEM)
		fg_log(FG_LOG_ERROR, "a message to the bgp process is lost: out of memory");
	flush_queue(child);
}

static void on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	flush_queue(arg);
}

/* --- link ------------------------------------------------------------------------------------- */

static void close_link(struct fg_bgp_child *child)
{
	if (child->readable)
		event_free(child->readable);
	if (child->writable)
		event_free(child->writable);
	child->readable = child->writable = NULL;
	fg_link_queue_free(&child->queue);
	fg_closep(&child->fd);
}

static void kill_child(const struct fg_bgp_child *child)
{
	if (child->pid > 0)
		(void)kill(child->pid, SIGKILL);
}

/* Handles what is there, at most @max messages. */
static void receive(struct fg_bgp_child *child, int max)
{
	static struct fg_link_message message;
	struct fg_error err = { 0 };

	for (int i = 0; i < max && child->fd >= 0; i++) {
		int r = fg_link_recv(child->fd, FG_LINK_BGP, &message, &err);

		if (r == 1) {
			fg_peers_message(child->daemon, &message);
			fg_closep(&message.fd);
			continue;
		}
		if (r == -EAGAIN)
			return;
		if (r < 0) {
			fg_log(FG_LOG_ERROR, "the bgp process sent nonsense and is ended: %s",
			       err.what);
			kill_child(child);
		}
		close_link(child);
	}
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	receive(arg, BATCH);
}

/* --- life ------------------------------------------------------------------------------------- */

/* Between fork and exec: only calls that are safe there. */
static void become_role(int link_fd, char *const *argv)
{
	static char *const no_environment[] = { NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			_exit(FG_EXIT_FAILED);
	if (link_fd == FG_ROLE_LINK_FD ? fcntl(link_fd, F_SETFD, 0) < 0
				       : dup2(link_fd, FG_ROLE_LINK_FD) < 0)
		_exit(FG_EXIT_FAILED);
	if (close_range(FG_ROLE_LINK_FD + 1, ~0U, 0) < 0)
		_exit(FG_EXIT_FAILED);
	(void)execve("/proc/self/exe", argv, no_environment);
	_exit(FG_EXIT_FAILED);
}

static int spawn(struct fg_bgp_child *child)
{
	char program[] = "fltgated", role[] = "--role=bgp", empty[PATH_MAX + 16];
	char *const argv[] = { program, role, empty, NULL };
	FG_AUTO_CLOSE int ours = -1, theirs = -1;
	int r = fg_link_pair(&ours, &theirs);

	if (r < 0)
		return r;
	(void)snprintf(empty, sizeof(empty), "--empty-dir=%s", child->daemon->empty_dir);
	child->pid = fork();
	if (child->pid < 0) {
		r = -errno;
		child->pid = 0;
		return r;
	}
	if (child->pid == 0)
		become_role(theirs, argv);
	child->fd = FG_TAKE_FD(ours);
	child->readable =
		event_new(child->daemon->base, child->fd, EV_READ | EV_PERSIST, on_readable, child);
	child->writable = event_new(child->daemon->base, child->fd, EV_WRITE, on_writable, child);
	if (!child->readable || !child->writable || event_add(child->readable, NULL) < 0)
		return -ENOMEM;
	child->started_ms = fg_now_ms();
	return 0;
}

static void restart_later(struct fg_bgp_child *child)
{
	const struct timeval wait = { child->backoff_ms / 1000, child->backoff_ms % 1000 * 1000 };

	(void)event_add(child->restart, &wait);
	child->backoff_ms =
		child->backoff_ms * 2 > BACKOFF_MAX_MS ? BACKOFF_MAX_MS : child->backoff_ms * 2;
}

void fg_bgp_child_start(struct fg_daemon *daemon)
{
	struct fg_bgp_child *child = daemon->bgp;
	int r;

	if (child->pid || daemon->n_peers == 0)
		return;
	r = spawn(child);
	if (r < 0) {
		fg_log(FG_LOG_ERROR, "cannot start the bgp process: %s", strerror(-r));
		close_link(child);
		kill_child(child);
		restart_later(child);
		return;
	}
	fg_log(FG_LOG_INFO, "bgp process started, pid %d", (int)child->pid);
	fg_peers_send(daemon);
}

static void on_restart(evutil_socket_t fd, short what, void *arg)
{
	struct fg_bgp_child *child = arg;

	(void)fd;
	(void)what;
	fg_bgp_child_start(child->daemon);
}

static void log_end(pid_t pid, int status)
{
	if (WIFSIGNALED(status))
		fg_log(FG_LOG_ERROR,
		       "bgp process %d killed by signal %d (%s); its rules stay, marked stale",
		       (int)pid, WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fg_log(FG_LOG_ERROR,
		       "bgp process %d ended with status %d; its rules stay, marked stale",
		       (int)pid, WEXITSTATUS(status));
}

void fg_bgp_child_reap(struct fg_daemon *daemon)
{
	struct fg_bgp_child *child = daemon->bgp;
	int status;

	if (!child || !child->pid || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return;
	receive(child, INT_MAX); /* its last words */
	log_end(child->pid, status);
	child->pid = 0;
	close_link(child);
	fg_peers_lost(daemon);
	if (fg_now_ms() - child->started_ms > HEALTHY_MS)
		child->backoff_ms = BACKOFF_MIN_MS;
	restart_later(child);
}

void fg_bgp_child_restart(struct fg_daemon *daemon)
{
	kill_child(daemon->bgp);
}

pid_t fg_bgp_child_pid(const struct fg_daemon *daemon)
{
	return daemon->bgp ? daemon->bgp->pid : 0;
}

int fg_bgp_child_new(struct fg_daemon *daemon, struct fg_error *err)
{
	struct fg_bgp_child *child = calloc(1, sizeof(*child));

	if (!child)
		return fg_error_set(err, -ENOMEM, "out of memory");
	child->daemon = daemon;
	child->fd = -1;
	child->backoff_ms = BACKOFF_MIN_MS;
	child->restart = evtimer_new(daemon->base, on_restart, child);
	if (!child->restart) {
		free(child);
		return fg_error_set(err, -ENOMEM, "out of memory");
	}
	daemon->bgp = child;
	return 0;
}

/* Closing the link makes the process say goodbye to its peers and end. */
static void end_child(struct fg_bgp_child *child)
{
	FG_AUTO_CLOSE int pidfd = pidfd_open(child->pid, 0);
	struct pollfd wait = { .fd = pidfd, .events = POLLIN };

	if (pidfd < 0 || poll(&wait, 1, EXIT_WAIT_MS) != 1)
		kill_child(child);
	(void)waitpid(child->pid, NULL, 0);
}

void fg_bgp_child_free(struct fg_daemon *daemon)
{
	struct fg_bgp_child *child = daemon->bgp;

	if (!child)
		return;
	close_link(child);
	if (child->pid > 0)
		end_child(child);
	event_free(child->restart);
	free(child);
	daemon->bgp = NULL;
}
