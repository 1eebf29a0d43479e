/**
 * For who adds a kind of shard: a {@link io.psf.runtime.spi.shard.ShardFactory}, found as a service, makes the shards
 * of its placements, with the services of a {@link io.psf.runtime.spi.shard.ShardLane}.
 */
@NullMarked
package io.psf.runtime.spi.shard;

import org.jspecify.annotations.NullMarked;
