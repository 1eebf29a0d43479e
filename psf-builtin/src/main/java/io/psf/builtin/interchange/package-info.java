/**
 * Files of other tools that tensors are exported to and imported from: safetensors and npy. Imports psf-api and the
 * package {@code sparse}.
 */
@NullMarked
package io.psf.builtin.interchange;

import org.jspecify.annotations.NullMarked;
