# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# All that a netns test needs: TAP (check.sh), clean-up (cleanup.sh), namespaces (topology.sh).

# shellcheck source=check.sh
. "$(dirname "${BASH_SOURCE[0]}")/check.sh"
# shellcheck source=topology.sh
. "$(dirname "${BASH_SOURCE[0]}")/topology.sh"
