/**
 * A node and its shards, as its handlers see them and as calls run on them. Imports {@code server.invocation} and what
 * that imports, and {@code server.shard}.
 */
@NullMarked
package io.psf.runtime.internal.server.node;

import org.jspecify.annotations.NullMarked;
