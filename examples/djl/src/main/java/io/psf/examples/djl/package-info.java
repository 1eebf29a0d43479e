/** A worker whose gradients PyTorch computes, through the Deep Java Library (DJL). */
@NullMarked
package io.psf.examples.djl;

import org.jspecify.annotations.NullMarked;
