/** Initial values as pure functions of a seed and an element's index. Imports psf-api only. */
@NullMarked
package io.psf.builtin.initializer;

import org.jspecify.annotations.NullMarked;
