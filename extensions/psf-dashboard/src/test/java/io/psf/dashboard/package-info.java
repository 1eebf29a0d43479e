@NullMarked
package io.psf.dashboard;

import org.jspecify.annotations.NullMarked;
