/**
 * Shards as handlers see them, the factories that make them, and what they store: columns of values and slots, and row
 * indexes. Imports {@code store}.
 */
@NullMarked
package io.psf.runtime.internal.server.shard;

import org.jspecify.annotations.NullMarked;
