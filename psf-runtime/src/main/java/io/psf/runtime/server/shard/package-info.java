/**
 * What a shard stores: columns of values and slots, and row indexes. Imports {@code store}.
 */
@NullMarked
package io.psf.runtime.server.shard;

import org.jspecify.annotations.NullMarked;
