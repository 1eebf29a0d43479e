/**
 * Functions for a cache of embedding rows on a worker, and the cache. Rows have versions, and only stale rows are sent.
 */
@NullMarked
package io.psf.builtin.cache;

import org.jspecify.annotations.NullMarked;
