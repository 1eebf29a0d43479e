/** What a hostile peer may send: frames that were changed on the way, to every place that reads them. */
@NullMarked
package io.psf.fuzz;

import org.jspecify.annotations.NullMarked;
