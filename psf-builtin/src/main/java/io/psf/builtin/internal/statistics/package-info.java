/**
 * The statistics of the functions on each server. Imports psf-api.
 */
@NullMarked
package io.psf.builtin.internal.statistics;

import org.jspecify.annotations.NullMarked;
