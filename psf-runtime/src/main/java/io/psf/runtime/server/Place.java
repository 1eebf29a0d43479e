package io.psf.runtime.server;

import org.jspecify.annotations.Nullable;

/**
 * Where a request runs.
 *
 * @param lane the node's lane, or the lane of the shard
 * @param shard null for a function on nodes
 */
record Place(HostNode node, Lane lane, @Nullable LaneShard shard) {}
