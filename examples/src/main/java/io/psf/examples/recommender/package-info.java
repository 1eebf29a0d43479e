/**
 * A recommender: DeepFM on hashed features, with tables that grow, an optimizer for each part, and checkpoints from
 * which a killed job continues.
 */
@NullMarked
package io.psf.examples.recommender;

import org.jspecify.annotations.NullMarked;
