/** The CUDA driver: devices, memory, streams and modules. The only package that names JCuda. */
@NullMarked
package io.psf.gpu.driver;

import org.jspecify.annotations.NullMarked;
