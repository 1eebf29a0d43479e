/** Data sets that are fetched with npm when they are first used, and read from a folder afterwards. */
@NullMarked
package io.psf.examples.data;

import org.jspecify.annotations.NullMarked;
