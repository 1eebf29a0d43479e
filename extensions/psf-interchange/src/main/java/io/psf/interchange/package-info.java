/**
 * Files of other tools that tensors are exported to and imported from: safetensors, npy and Parquet. Imports
 * psf-api, and of psf-builtin the root, {@code sparse} and what {@code checkpoint} has for tensors that are written.
 */
@NullMarked
package io.psf.interchange;

import org.jspecify.annotations.NullMarked;
