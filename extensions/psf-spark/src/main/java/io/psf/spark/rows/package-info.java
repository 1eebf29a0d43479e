/** Frames as the rows that Spark has inside. Imports nothing of psf. */
@NullMarked
package io.psf.spark.rows;

import org.jspecify.annotations.NullMarked;
