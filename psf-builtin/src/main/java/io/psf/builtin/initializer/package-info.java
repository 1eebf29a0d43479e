/**
 * Pure math: first values as functions of a seed and an element's number. Imports psf-api alone.
 */
@NullMarked
package io.psf.builtin.initializer;

import org.jspecify.annotations.NullMarked;
