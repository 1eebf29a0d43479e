/**
 * The values of a shard for answers, and sums of its rows, in the format of the wire where the shard converts them
 * itself. Imports psf-api.
 */
@NullMarked
package io.psf.builtin.answer;

import org.jspecify.annotations.NullMarked;
