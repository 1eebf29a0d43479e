/**
 * Files of other tools that tensors are exported to and imported from: safetensors and npy. Imports psf-api, and of
 * psf-builtin the root and {@code sparse}.
 */
@NullMarked
package io.psf.interchange;

import org.jspecify.annotations.NullMarked;
