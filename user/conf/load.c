// SPDX-License-Identifier: MIT
/* The configuration from files: the main one, what it includes, and conf.d beside it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/lexer.h"
#include "conf/tree.h"
#include "util/cleanup.h"

#define MAIN_FILE "fltgate.conf"
#define EXTRA_DIR "conf.d"
#define EXTRA_SUFFIX ".conf"

static void free_treep(struct fg_tree **tree)
{
	fg_tree_free(*tree);
}

static int file_error(struct fg_error *err, const char *file)
{
	int code = -errno;

	(void)fg_error_set(err, code, "%s: %s", file, strerror(-code));
	if (code == -ENOENT)
		(void)fg_error_fix(err, "write the file, or name another one");
	else if (code == -EACCES)
		(void)fg_error_fix(
			err, "run as root or as a member of the file's group: ls -l %.200s", file);
	return code;
}

/* Reads all of @fd, which may be a pipe. */
static int read_all(int fd, struct fg_buf *out)
{
	char chunk[16384];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		fg_buf_add(out, chunk, (size_t)n);
		if (out->failed)
			return -(errno = ENOMEM);
		if (out->len > FG_CONF_SIZE_MAX)
			break;
	}
	explicit_bzero(chunk, sizeof(chunk));
	return 0;
}

/* Keys must not be readable by everybody; a group (0640) is the operator's choice. */
static int check_mode(struct fg_tree *tree, const char *file, const struct stat *st)
{
	struct fg_place place = { .file = file, .line = 1, .column = 1 };

	if (!tree->has_secrets || !S_ISREG(st->st_mode) || !(st->st_mode & 0037))
		return 0;
	return fg_warn(&tree->warnings, &tree->n_warnings, &place,
		       "holds keys but has mode %04o: use `chmod 0640 %s`, or 0600",
		       (unsigned)st->st_mode & 07777, file);
}

static void wipe_buf(struct fg_buf *buf)
{
	if (buf->data)
		explicit_bzero(buf->data, buf->len);
	fg_buf_free(buf);
}

static fg_include_fn include;

static int load_file(struct fg_tree *tree, const char *file, unsigned depth, struct fg_error *err)
{
	FG_CLEANUP(wipe_buf) struct fg_buf text = { 0 };
	FG_AUTO_CLOSE int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool had_secrets = tree->has_secrets;
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0 || read_all(fd, &text) < 0)
		return file_error(err, file);
	tree->has_secrets = false;
	r = fg_tree_merge_text(tree, file, text.data ? text.data : "", text.len, include, depth,
			       err);
	if (r == 0 && check_mode(tree, file, &st) < 0)
		r = fg_error_set(err, -ENOMEM, "%s: out of memory", file);
	tree->has_secrets |= had_secrets;
	return r;
}

/* @name is taken relative to the folder of the file that includes it. */
static int include(struct fg_tree *tree, const char *from, const char *name, unsigned depth,
		   struct fg_error *err)
{
	const char *slash = strrchr(from, '/');
	FG_AUTO_FREE char *path = NULL;

	if (*name == '/' || !slash)
		path = strdup(name);
	else if (asprintf(&path, "%.*s/%s", (int)(slash - from), from, name) < 0)
		path = NULL;
	if (!path)
		return fg_error_set(err, -ENOMEM, "%s: out of memory", name);
	return load_file(tree, path, depth, err);
}

static int is_extra(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), suffix = strlen(EXTRA_SUFFIX);

	return entry->d_name[0] != '.' && len > suffix &&
	       !strcmp(entry->d_name + len - suffix, EXTRA_SUFFIX);
}

/* By octets: the same order in every locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int load_entries(struct fg_tree *tree, const char *dir, struct dirent **entries, int n,
			struct fg_error *err)
{
	int r = 0;

	for (int i = 0; i < n; i++) {
		FG_AUTO_FREE char *path = NULL;

		if (r == 0 && asprintf(&path, "%s/%s", dir, entries[i]->d_name) < 0)
			r = fg_error_set(err, -ENOMEM, "%s: out of memory", dir);
		if (r == 0)
			r = load_file(tree, path, 0, err);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int load_extra(struct fg_tree *tree, const char *file, struct fg_error *err)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	FG_AUTO_FREE char *dir = NULL;
	struct dirent **entries;
	int n;

	if (strcmp(name, MAIN_FILE) != 0)
		return 0;
	if (asprintf(&dir, "%.*s" EXTRA_DIR, (int)(name - file), file) < 0)
		return fg_error_set(err, -ENOMEM, "%s: out of memory", file);
	n = scandir(dir, &entries, is_extra, by_name);
	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : file_error(err, dir);
	return load_entries(tree, dir, entries, n, err);
}

int fg_tree_load(const char *file, struct fg_tree **ret_tree, struct fg_error *err)
{
	FG_CLEANUP(free_treep) struct fg_tree *tree = fg_tree_new();
	int r;

	if (!tree)
		return fg_error_set(err, -ENOMEM, "%s: out of memory", file);
	r = load_file(tree, file, 0, err);
	if (r == 0)
		r = load_extra(tree, file, err);
	if (r == 0)
		*ret_tree = FG_TAKE_PTR(tree);
	return r;
}
