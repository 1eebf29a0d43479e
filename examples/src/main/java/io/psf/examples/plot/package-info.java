/** The pictures and the progress of the examples' trainings. They know no training. */
@NullMarked
package io.psf.examples.plot;

import org.jspecify.annotations.NullMarked;
