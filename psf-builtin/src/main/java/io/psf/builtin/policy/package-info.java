/**
 * Which keys of a growing table get a row, and which rows are removed: admission, expiry, and eviction. Imports
 * psf-api.
 */
@NullMarked
package io.psf.builtin.policy;

import org.jspecify.annotations.NullMarked;
