/**
 * Functions for a cache of embedding rows on a worker. Rows have versions, and only stale rows are sent. Imports
 * psf-api and the packages {@code sparse} and {@code sync}.
 */
@NullMarked
package io.psf.builtin.cache;

import org.jspecify.annotations.NullMarked;
