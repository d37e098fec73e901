// SPDX-License-Identifier: MIT
/* Feeds the decoder of control requests: whatever the line, it is refused with a word or gives a
 * checked request. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fg_request request;
	struct fg_error err = { 0 };
	int r = fg_request_parse((const char *)data, size, &request, &err);

	if (r < 0) {
		if (!err.what[0] || err.code != r)
			abort();
		return 0;
	}
	if (request.kind >= FG_REQUEST_KINDS ||
	    (request.interface && strlen(request.interface) > 15))
		abort();
	fg_request_free(&request);
	return 0;
}
