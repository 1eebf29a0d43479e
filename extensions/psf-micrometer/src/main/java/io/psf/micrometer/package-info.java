/**
 * The numbers of psf's nodes in the registries of Micrometer. Imports psf-api.
 */
@NullMarked
package io.psf.micrometer;

import org.jspecify.annotations.NullMarked;
