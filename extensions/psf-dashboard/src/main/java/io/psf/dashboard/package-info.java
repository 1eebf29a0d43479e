/**
 * A page in the browser that shows what a cluster does. Imports psf-api, psf-builtin and the root of psf-runtime.
 */
@NullMarked
package io.psf.dashboard;

import org.jspecify.annotations.NullMarked;
