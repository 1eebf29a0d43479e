/**
 * The values that workers report, kept on the servers. Imports psf-api and {@code push}.
 */
@NullMarked
package io.psf.builtin.internal.reports;

import org.jspecify.annotations.NullMarked;
