/**
 * Functions that a cache of embedding rows on a worker is made of: rows have versions, and only stale ones travel. Imports
 * psf-api and the rooms {@code sparse} and {@code sync}.
 */
@NullMarked
package io.psf.builtin.cache;

import org.jspecify.annotations.NullMarked;
