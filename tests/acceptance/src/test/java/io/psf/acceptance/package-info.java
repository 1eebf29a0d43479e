/** What psf promises, tried on whole clusters. */
@NullMarked
package io.psf.acceptance;

import org.jspecify.annotations.NullMarked;
