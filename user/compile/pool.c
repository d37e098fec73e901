// SPDX-License-Identifier: MIT
/* Array growth, the open-addressing map and the interning of sets. */
#include "compile/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define FG_IDMAP_MIN 64

void *fg_table_grow(struct fg_image_table *table, size_t *capacity, size_t extra)
{
	size_t need = table->n + extra, size = *capacity ? *capacity : 64;
	void *data;

	while (size < need)
		size *= 2;
	if (size != *capacity) {
		data = realloc(table->data, size * table->element);
		if (!data)
			return NULL;
		table->data = data;
		*capacity = size;
	}
	return (char *)table->data + table->n * table->element;
}

/* The slot that holds @key, or the empty one where it belongs. */
static size_t idmap_slot(const struct fg_idmap *map, uint64_t key)
{
	size_t i = key & (map->size - 1);

	while (map->key[i] && map->key[i] != key)
		i = (i + 1) & (map->size - 1);
	return i;
}

static int idmap_resize(struct fg_idmap *map)
{
	struct fg_idmap bigger = { .size = map->size ? map->size * 2 : FG_IDMAP_MIN, .n = map->n };

	bigger.key = calloc(bigger.size, sizeof(*bigger.key));
	bigger.value = calloc(bigger.size, sizeof(*bigger.value));
	if (!bigger.key || !bigger.value) {
		fg_idmap_free(&bigger);
		return -ENOMEM;
	}
	for (size_t i = 0; i < map->size; i++) {
		size_t slot;

		if (!map->key[i])
			continue;
		slot = idmap_slot(&bigger, map->key[i]);
		bigger.key[slot] = map->key[i];
		bigger.value[slot] = map->value[i];
	}
	fg_idmap_free(map);
	*map = bigger;
	return 0;
}

int fg_idmap_get(struct fg_idmap *map, uint64_t key, uint32_t **ret_value, int *ret_new)
{
	size_t slot;

	if (map->n * 2 >= map->size && idmap_resize(map))
		return -ENOMEM;
	key = key ? key : 1;
	slot = idmap_slot(map, key);
	*ret_new = !map->key[slot];
	if (*ret_new) {
		map->key[slot] = key;
		map->n++;
	}
	*ret_value = &map->value[slot];
	return 0;
}

void fg_idmap_free(struct fg_idmap *map)
{
	free(map->key);
	free(map->value);
	*map = (struct fg_idmap){ 0 };
}

static int pool_same(const struct fg_set_pool *pool, uint32_t first, const uint64_t *words,
		     size_t n)
{
	const uint64_t *stored = pool->table->data;

	return first + n <= pool->table->n && !memcmp(stored + first, words, n * sizeof(*words));
}

int fg_pool_words(struct fg_set_pool *pool, const uint64_t *words, size_t n, uint32_t *ret_first)
{
	uint32_t *first;
	void *room;
	int added;

	if (fg_idmap_get(&pool->index, fg_hash64(words, n * sizeof(*words), n), &first, &added))
		return -ENOMEM;
	if (!added && pool_same(pool, *first, words, n)) {
		*ret_first = *first;
		return 0;
	}
	/* New, or another content with the same hash: stored apart. */
	room = fg_table_grow(pool->table, &pool->capacity, n);
	if (!room)
		return -ENOMEM;
	memcpy(room, words, n * sizeof(*words));
	*first = (uint32_t)pool->table->n;
	*ret_first = *first;
	pool->table->n += n;
	return 0;
}
